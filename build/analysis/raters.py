"""Checks of raters, reported and applied only on request, and the numbers of the rating design beside the paper's.

A *trial* is one rater hearing one song once; a repeat trial is the same song again (`repetition` 1, 2, ...).
  straightlining  two or more answers, all the same number
  few             fewer than FEW_TRIALS trials
  inconsistent    answers in repeat trials are on average as far from the first ones as blind guesses would be
"""

from collections.abc import Collection

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from build.tables import COUNT, DROPPED, PARTICIPANTS, REAL, TEXT, conform

STAGE = "rating"
STRAIGHTLINING, FEW, INCONSISTENT = "straightlining", "few", "inconsistent"
CHECKS = (STRAIGHTLINING, FEW, INCONSISTENT)
FEW_TRIALS = 10  # about an eighth of a whole session (988,925 ratings / 1,741 raters / 7 terms = 81 trials)
GUESSING = 1.6  # rating points: mean distance of two independent answers, each of 1-5 equally likely (40 / 25)

DESIGN = pa.schema(
    [
        pa.field("language", TEXT, nullable=False),
        *(pa.field(f"n_{what}", COUNT, nullable=False) for what in ("ratings", "repeats", "raters", "songs", "terms")),
        *(
            pa.field(f"{what}_{part}", REAL)
            for what in ("ratings_per_song_and_term", "terms_per_rater", "songs_per_rater")
            for part in ("mean", "sd")
        ),
    ]
)
PAPER = {
    "n_ratings": 988_925,
    "n_raters": 1_741,
    "n_songs": 1_180,
    "n_terms": 20,
    "ratings_per_song_and_term_mean": 8.38,
    "ratings_per_song_and_term_sd": 2.40,
    "terms_per_rater_mean": 7.0,
}  # all languages together, except `n_terms` (of a language) and `terms_per_rater_mean`; paper section 4.2

_PERSON = ["language", "participant"]
_TRIAL = [*_PERSON, "song_id", "repetition"]
_ANSWER = [*_PERSON, "song_id", "term_id"]


def check_raters(ratings: pa.Table, few_trials: int = FEW_TRIALS) -> pa.Table:
    """PARTICIPANTS of the rating stage, sorted; `flags` holds the CHECKS that a person fails.

    Who has no repeat trial cannot be found inconsistent. Repeat trials count among the trials and the answers.
    """
    answers = ratings.to_pandas()
    people = answers.groupby(_PERSON)["rating"].agg(n_ratings="size", low="min", high="max")
    people["n_trials"] = answers.drop_duplicates(_TRIAL).groupby(_PERSON).size()
    people["distance"] = _repeat_distance(ratings)
    failed = pd.DataFrame(
        {
            STRAIGHTLINING: (people["low"] == people["high"]) & (people["n_ratings"] > 1),
            FEW: people["n_trials"] < few_trials,
            INCONSISTENT: people["distance"] >= GUESSING,
        }
    )
    people["flags"] = [[check for check in CHECKS if row[check]] for row in failed.to_dict("records")]
    people["stage"] = STAGE
    return conform(pa.Table.from_pylist(people.reset_index().to_dict("records"), PARTICIPANTS), PARTICIPANTS)


def _repeat_distance(ratings: pa.Table) -> pd.Series:
    """Mean absolute difference, in rating points, of each person's repeated answers from the first ones."""
    points = ratings.select([*_ANSWER, "repetition"]).append_column("points", ratings["rating"].cast(pa.int64()))
    first = points.filter(pc.field("repetition") == 0).drop_columns("repetition")
    again = points.filter(pc.field("repetition") > 0).join(first, _ANSWER, join_type="inner", right_suffix="_first")
    distance = pc.abs(pc.subtract(again["points"], again["points_first"]))
    by_person = again.append_column("distance", distance).group_by(_PERSON).aggregate([("distance", "mean")])
    return by_person.to_pandas().set_index(_PERSON)["distance_mean"]


def without_raters(ratings: pa.Table, participants: pa.Table, checks: Collection[str]) -> tuple[pa.Table, pa.Table]:
    """RATINGS of the people who pass all of `checks`, and those of the others with the failed checks as `reason`."""
    failing = [
        {"language": row["language"], "participant": row["participant"], "reason": ",".join(failed)}
        for row in participants.to_pylist()
        if (failed := [check for check in CHECKS if check in checks and check in row["flags"]])
    ]
    people = pa.Table.from_pylist(
        failing, pa.schema([*(ratings.schema.field(name) for name in _PERSON), pa.field("reason", TEXT)])
    )
    order = ratings.append_column("row", pa.array(range(len(ratings))))
    kept = order.join(people, _PERSON, join_type="left anti").sort_by("row").select(ratings.column_names)
    dropped = order.join(people, _PERSON, join_type="inner").sort_by("row")
    return kept.cast(ratings.schema), dropped.select([*ratings.column_names, "reason"])


def as_dropped(excluded: pa.Table, file: str) -> pa.Table:
    """DROPPED of the ratings that `without_raters` leaves out: the first check failed as reason, and not by whom.

    By then ratings are in an order of their own, so `row` is 0; `file` is what they are said to come from.
    """
    rows = [
        {
            "file": file,
            "row": 0,
            "reason": row["reason"].split(",")[0],
            "detail": "song={song_id}, language={language}, term={term}, rating={rating}".format(**row),
        }
        for row in excluded.to_pylist()
    ]
    return pa.Table.from_pylist(rows, DROPPED)


def design(ratings: pa.Table) -> pa.Table:
    """DESIGN: a row a language, sorted, from first answers, with sample standard deviations (null below two values).

    Ratings per song and term count every song with every term of the language, also those that nobody rated.
    """
    rows = []
    for language in sorted(pc.unique(ratings["language"]).to_pylist()):
        answers = ratings.filter(pc.field("language") == language)
        first = answers.filter(pc.field("repetition") == 0).to_pandas()
        songs, terms = first["song_id"].nunique(), first["term_id"].nunique()
        cells = first.groupby(["song_id", "term_id"]).size()
        grid = pd.Series([*cells, *[0] * (songs * terms - len(cells))], dtype=float)
        raters = first.groupby("participant")
        rows.append(
            {
                "language": language,
                "n_ratings": len(first),
                "n_repeats": len(answers) - len(first),
                "n_raters": len(raters),
                "n_songs": songs,
                "n_terms": terms,
                **_spread("ratings_per_song_and_term", grid),
                **_spread("terms_per_rater", raters["term_id"].nunique()),
                **_spread("songs_per_rater", raters["song_id"].nunique()),
            }
        )
    return conform(pa.Table.from_pylist(rows, schema=DESIGN), DESIGN)


def _spread(name: str, values: pd.Series) -> dict[str, float | None]:
    enough = len(values) > 1
    return {
        f"{name}_mean": float(values.mean()) if len(values) else None,
        f"{name}_sd": float(values.std(ddof=1)) if enough else None,
    }
