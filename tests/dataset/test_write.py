"""`build.dataset.write`: which files a card has `datasets` read."""

from build.dataset.write import paths_to_read
from globalmood import FILES

ENGLISH, KOREAN = (f"ratings/{name}-train-00000-of-00001.parquet" for name in ("english", "korean"))


def test_a_card_reads_globs_where_every_file_has_rows():
    assert paths_to_read({ENGLISH: {"rows": 4}, KOREAN: {"rows": 5}}) == FILES


def test_a_card_passes_a_file_without_rows_over():
    paths = paths_to_read({ENGLISH: {"rows": 0}, KOREAN: {"rows": 5}})
    assert paths["ratings"] == {"train": [KOREAN], "test": FILES["ratings"]["test"]}
    assert paths["english_ratings"] == FILES["english_ratings"], "a config without any rows"


def test_files_named_by_their_content_are_listed_one_by_one():
    named = "ratings/korean-train-00000-of-00001-0123456789ab.parquet"
    assert paths_to_read({named: {"rows": 5}})["korean_ratings"]["train"] == [named]
