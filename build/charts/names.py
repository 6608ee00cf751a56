"""The names of chart files: country and week of a file, and the list of files that a whole rebuild needs."""

import re
from collections.abc import Collection, Iterable
from datetime import date, timedelta

import pyarrow as pa

# youtube-charts-top-songs-br-weekly-2022-01-06.csv (to 2023), ...-20250206.csv (2025), "... (1).csv" (another download)
_NAME = re.compile(
    r"youtube-charts-(?P<chart>[a-z-]+?)-(?P<place>[a-z]{2}|global)-(?P<period>[a-z]+)-"
    r"(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)(?: ?\(\d+\))?\.csv",
    re.IGNORECASE,
)
_SONG_CHARTS = {"top-songs", "top-music-videos"}
_PAGE = "https://charts.youtube.com/charts/TopSongs/{place}/weekly/{week:%Y%m%d}"
FIRST_WEEK, LAST_WEEK = (
    date(2017, 1, 5),
    date(2023, 12, 28),
)  # chart weeks end on Thursdays; paper section 3.2: 2017-2023
_WEEK = timedelta(days=7)


class RefusedError(Exception):
    """A file that is no chart: `reason` from the list in `build.charts`, `detail` for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


def chart_name(name: str, countries: Collection[str]) -> tuple[str, date]:
    """Country (upper case) and last day of the week, from the name of a weekly chart of songs or music videos.

    Raises RefusedError for any other name, and for a country that is not among `countries`.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise RefusedError("file_name", "expected a name like youtube-charts-top-songs-br-weekly-2022-01-06.csv")
    if found["chart"].lower() not in _SONG_CHARTS or found["period"].lower() != "weekly":
        raise RefusedError("other_chart", f"{found['chart']} {found['period']}; only weekly {sorted(_SONG_CHARTS)}")
    country = found["place"].upper()
    if country not in countries:
        raise RefusedError("not_a_country", f"{found['place']} is no country code of metadata/countries.csv")
    try:
        return country, date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError as error:
        raise RefusedError("bad_date", str(error)) from error


def expected_files(
    countries: Iterable[str], files: pa.Table | None = None, first: date = FIRST_WEEK, last: date = LAST_WEEK
) -> pa.Table:
    """The chart files of every country and week from `first` to `last`, which are here, and where the rest is.

    `files` has the columns country and week of the files that were read (`read_charts`). One row a country and week:
    file (the name it is downloaded under), country, week, here, page (where a person downloads it in a browser).
    """
    here = set() if files is None else set(zip(files["country"].to_pylist(), files["week"].to_pylist(), strict=True))
    weeks = [first + _WEEK * number for number in range((last - first) // _WEEK + 1)]
    keys = [(country, week) for country in sorted(countries) for week in weeks]
    return pa.table(
        {
            "file": [f"youtube-charts-top-songs-{country.lower()}-weekly-{week:%Y%m%d}.csv" for country, week in keys],
            "country": [country for country, _ in keys],
            "week": pa.array([week for _, week in keys], pa.date32()),
            "here": [key in here for key in keys],
            "page": [_PAGE.format(place=country.lower(), week=week) for country, week in keys],
        }
    )


def coverage(expected: pa.Table) -> pa.Table:
    """Weeks expected and weeks here, from the table of `expected_files`: country, expected, here; a country a row.

    A week that is missing in one country can make a song of another look exclusive to it.
    """
    counted = expected.group_by("country").aggregate([("week", "count"), ("here", "sum")])
    counted = counted.rename_columns({"week_count": "expected", "here_sum": "here"})
    return counted.set_column(2, "here", counted["here"].cast(pa.int64())).sort_by("country")
