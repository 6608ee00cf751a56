import re
from collections import Counter

import numpy as np
import pytest

from build.synthetic.songs import EXTENSIONS
from build.synthetic.source import CHAINS, RATINGS, SONGS, Source, draw_source
from build.synthetic.vocabulary import Vocabulary, names, vocabularies
from build.vocab import Language, countries, languages

HOMES = [country for country in countries().values() if country.in_globalmood]
GERMAN = Language("german", "de-DE", "German", "listeners in Germany", "DE", "de", ("german",), "Latin", 18)


def draw(seed: int, *more: Language, **words: Vocabulary) -> Source:
    return draw_source(seed, HOMES, [*languages(), *more], vocabularies() | words, names(), list(EXTENSIONS))


@pytest.fixture(scope="module")
def source() -> Source:
    return draw(0)


def table(source: Source, name: str) -> list[dict[str, str]]:
    header, *rows = source.files[name]
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_the_files_are_those_of_the_upstream_release(source: Source) -> None:
    names = [name for name in source.files if not name.startswith("charts/")]
    locales = ["en", "fr", "es", "ko", "ar"]
    assert sorted(names) == sorted(
        [SONGS, CHAINS, RATINGS]
        + [f"rating_dimensions/{locale}_STEP_for_dense_rate.csv" for locale in locales]
        + [f"variants/{language.config}.csv" for language in languages()]
    )
    assert source.files[SONGS][0] == ["videoID", "iso2", "country", "song", "artist", "url", "start_s"]
    assert source.files[RATINGS][0] == ["videoID", "participant", "country", "term", "rating"]


def test_songs_name_files_below_media(source: Source) -> None:
    for row in table(source, SONGS):
        assert re.fullmatch(rf"media/{row['videoID']}\.(flac|ogg|mp3|webm|m4a)", row["url"])


def test_terms_are_ordered_by_score_and_english_has_no_translation(source: Source) -> None:
    for language in languages():
        rows = table(source, f"rating_dimensions/{language.locale}_STEP_for_dense_rate.csv")
        scores = [float(row["score"]) for row in rows]
        assert len(rows) == 20
        assert scores == sorted(scores, reverse=True)
        assert ("translation" in rows[0]) == (language.config != "english")


def test_some_scores_are_frequency_times_mean_and_merged_ones_are_not(source: Source) -> None:
    rows = table(source, "rating_dimensions/en_STEP_for_dense_rate.csv")
    plain = [abs(int(row["frequency"]) * float(row["mean_rating"]) - float(row["score"])) < 1e-9 for row in rows]
    assert 0 < sum(plain) < len(plain)


def test_what_a_reader_drops_is_told_by_reason(source: Source) -> None:
    songs = {row["videoID"] for row in table(source, SONGS)}
    words = vocabularies()
    configs = {language.country: language.config for language in languages()}
    found: Counter[tuple[str, str]] = Counter()
    for row in table(source, RATINGS):
        language = configs[row["country"]]
        if not row["rating"]:
            found[language, "no_number"] += 1
        elif row["rating"] not in {"1", "2", "3", "4", "5"}:
            found[language, "off_scale"] += 1
        elif row["videoID"] not in songs:
            found[language, "unknown_song"] += 1
        elif row["term"] not in words[language].terms:
            found[language, "unknown_term"] += 1
    told = source.truth["truth_dropped.parquet"].to_pylist()
    assert found == {(row["language"], row["reason"]): row["rows"] for row in told}
    assert len(found) == 4 * 5


def test_truth_has_a_value_for_every_song_and_term(source: Source) -> None:
    truth = source.truth["truth.parquet"].to_pandas()
    assert len(truth) == 118 * 100
    assert not truth.duplicated(["language", "song_id", "term"]).any()
    assert truth["value"].between(1, 5).all()
    assert truth.groupby(["language", "term"])["value"].std().min() > 0.4


def test_raters_and_elicitors_are_different_people(source: Source) -> None:
    raters = {row["participant"] for row in table(source, RATINGS)}
    elicitors = {row["participant"] for row in table(source, CHAINS)}
    assert len(raters) > 5 * 70
    assert len(elicitors) > 5 * 50
    assert not raters & elicitors
    assert set(source.truth["truth_raters.parquet"]["participant"].to_pylist()) == raters


def test_a_sixth_language_with_18_terms_is_a_matter_of_data() -> None:
    random = np.random.default_rng(0)
    terms = [f"Wort {number}" for number in range(18)]
    words = Vocabulary(terms, terms, random.normal(size=(18, 5)) / 2, np.full(18, 2.5), ["selten"], ["quatsch"], [])
    source = draw(0, GERMAN, german=words)
    assert len(table(source, "rating_dimensions/de_STEP_for_dense_rate.csv")) == 18
    ratings = [row for row in table(source, RATINGS) if row["country"] == "DE"]
    assert len({row["term"] for row in ratings} & set(terms)) == 18
    assert len(source.truth["truth.parquet"]) == 118 * 118


def test_a_language_without_words_is_left_out() -> None:
    source = draw(0, GERMAN)
    assert not [name for name in source.files if "de_STEP" in name or "german" in name]
    assert "german" not in source.truth["truth.parquet"]["language"].to_pylist()


def test_the_same_seed_gives_the_same_source_and_another_one_another(source: Source) -> None:
    assert draw(0).files == source.files
    other = draw(1)
    assert other.files[RATINGS] != source.files[RATINGS]
    assert (
        other.files["charts/youtube-charts-top-songs-de-weekly-2022-03-10.csv"]
        != (source.files["charts/youtube-charts-top-songs-de-weekly-2022-03-10.csv"])
    )
