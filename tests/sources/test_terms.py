"""`build.sources.terms`: lists of rated terms, a file a language."""

import csv

import pytest

from build.errors import InputError
from build.sources.terms import read_terms

HEADER = "grouped_tag,translation,frequency,mean_rating,score"
TWENTY = [f"기분{rank},mood {rank},{100 - rank},3.5,{350 - rank}" for rank in range(1, 21)]


def korean(folder, rows, header=HEADER):
    (folder / "ko_STEP_for_dense_rate.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read_terms(folder, {})


def test_terms_keep_the_order_of_the_file_as_their_rank(tmp_path):
    terms = korean(tmp_path, TWENTY).to_pylist()
    assert [term["rank"] for term in terms] == list(range(1, 21))
    assert terms[1] == {
        "language": "korean",
        "term_id": "기분2",
        "rank": 2,
        "term": "기분2",
        "frequency": 98,
        "mean_rating": 3.5,
        "score": 348.0,
        "translation": "mood 2",
    }


def test_a_language_without_a_list_has_no_terms(tmp_path):
    assert read_terms(tmp_path, {}).num_rows == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (TWENTY[:19], "has 19 terms, and metadata/languages.csv says that korean has 20"),
        ([*TWENTY[:19], TWENTY[0]], "row 21: the term '기분1' is the same as in row 2; keep one"),
        ([*TWENTY[:19], "기분20,m,many,3.5,1"], "row 21: frequency 'many' is no number"),
        ([*TWENTY[:19], "기분20,m,3,nan,1"], "row 21: mean_rating 'nan' is no number"),
        ([*TWENTY[:19], "기분20,m,1e400,3.5,1"], "row 21: frequency '1e400' is no number"),
        ([*TWENTY[:19], " ,m,3,3.5,1"], "row 21: the term ' ' is empty"),
        ([*TWENTY[:19], "기분20,m,3.7,3.5,1"], "row 21: frequency '3.7' is no whole number from 0 to"),
        ([*TWENTY[:19], "기분20,m,-1,3.5,1"], "row 21: frequency '-1' is no whole number from 0 to 2147483647"),
        ([*TWENTY[:19], "기분20,m,3e9,3.5,1"], "row 21: frequency '3e9' is no whole number from 0 to 2147483647"),
    ],
)
def test_a_list_that_cannot_be_used_is_named(tmp_path, rows, message):
    with pytest.raises(InputError, match=rf"ko_STEP_for_dense_rate\.csv.*{message}"):
        korean(tmp_path, rows)


def test_the_real_lists_come_out_as_they_are_written(shared_data):
    folder = shared_data / "globalmood"
    terms = read_terms(folder, {}).to_pylist()
    written = []
    for language, locale in zip(
        ["english", "french", "spanish", "korean", "arabic"], ["en", "fr", "es", "ko", "ar"], strict=True
    ):
        path = folder / "rating_dimensions" / f"{locale}_STEP_for_dense_rate.csv"
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        written += [(language, row["grouped_tag"], row.get("translation"), float(row["score"])) for row in rows]
    assert len(written) == 100
    assert [(row["language"], row["term"], row["translation"], row["score"]) for row in terms] == written
