"""`build.dataset.rows`: songs, excerpts and cells joined into published rows."""

import pyarrow as pa

from build.dataset.rows import song_rows, with_statistics
from build.split import position
from build.tables import CELLS, CLIPS, SONGS, SPLITS, TERMS

SONG_IDS = ["b-song", "a-song", "c-song"]


def rows(clips=(), cells=()):
    songs = [{"song_id": song, "title": "NA", "artist": "x", "country": "NA", "start_s": 3.0} for song in SONG_IDS]
    splits = [{"song_id": song, "split": "train", "fold": 0} for song in SONG_IDS]
    terms = [
        {
            "language": "korean",
            "term_id": f"t{rank}",
            "rank": rank,
            "term": f"T{rank}",
            "frequency": 1,
            "mean_rating": 3,
            "score": 3,
        }
        for rank in range(20, 0, -1)
    ]
    joined = song_rows(
        pa.Table.from_pylist(songs, SONGS),
        pa.Table.from_pylist(splits, SPLITS),
        pa.Table.from_pylist(list(clips), CLIPS),
    )
    return with_statistics(joined, pa.Table.from_pylist(list(cells), CELLS), pa.Table.from_pylist(terms, TERMS))


def cell(song_id, term_id, mean, std, count):
    return {"language": "korean", "song_id": song_id, "term_id": term_id, "mean": mean, "std": std, "count": count}


def row_of(table, song_id):
    return next(row for row in table.to_pylist() if row["song_id"] == song_id)


def test_every_song_is_a_row_in_the_order_of_its_position():
    assert rows()["song_id"].to_pylist() == sorted(SONG_IDS, key=position)


def test_a_song_that_was_not_asked_for_says_so_and_has_nulls():
    row = row_of(rows(), "a-song")
    assert (row["status"], row["clip"], row["start_s"], row["audio_sha256"]) == ("not_fetched", None, None, None)


def test_an_excerpt_brings_its_columns():
    clip = {"song_id": "a-song", "status": "ok", "start_s": 12.5, "gain_db": -3.0, "path": "/clips/a.flac"}
    row = row_of(rows(clips=[clip]), "a-song")
    assert (row["status"], row["clip"], row["start_s"], row["gain_db"]) == ("ok", "/clips/a.flac", 12.5, -3.0)


def test_an_unrated_song_is_null_means_null_deviations_and_zero_counts():
    unrated = row_of(rows(), "b-song")["korean"]
    assert unrated == {"mean": [None] * 20, "std": [None] * 20, "count": [0] * 20}


def test_cells_stand_in_the_order_of_ranks():
    korean = row_of(rows(cells=[cell("b-song", "t3", 2.5, 0.5, 2), cell("b-song", "t20", 4.0, None, 1)]), "b-song")[
        "korean"
    ]
    assert (korean["mean"][2], korean["std"][2], korean["count"][2]) == (2.5, 0.5, 2)
    assert (korean["mean"][19], korean["std"][19], korean["count"][19]) == (4.0, None, 1)
    assert sum(korean["count"]) == 3


def test_structs_and_lists_are_never_null():
    column = rows()["korean"].combine_chunks()
    assert column.null_count == 0
    assert [column.field(name).null_count for name in ("mean", "std", "count")] == [0, 0, 0]
