import pytest

from build.errors import InputError
from build.madb.tracks import TRACKS, read_tracks, read_validation
from tests.madb.made import SILENT, tracks, write

NONE = frozenset()


def test_a_row_a_track_in_order_of_id(tmp_path):
    table = read_tracks(write(tmp_path / "a.csv", tracks()[::-1]), frozenset({2}), {})
    assert table.schema == TRACKS
    first, second = table.slice(0, 2).to_pylist()
    assert (first["id"], first["name"], first["source"], first["is_pure_music"]) == (1, "song, 1.mp3", "levo", False)
    assert (first["mood"], first["genre"]) == (["sad", "happy"], [])
    assert [first["split"], second["split"]] == ["train", "validation"]


def test_0_is_null(tmp_path):
    rows = read_tracks(write(tmp_path / "a.csv", tracks()), NONE, {}).to_pylist()
    assert [row["id"] for row in rows if row["enunciation_and_singing_skill"] is None] == [3, 6, 9, 12]


def test_genre_tags_of_the_list_are_kept(tmp_path):
    table = read_tracks(write(tmp_path / "a.csv", [row | {"genre": "pop|dj"} for row in tracks(1)]), NONE, {})
    assert table["genre"].to_pylist() == [["pop", "dj"]]


def test_columns_may_be_called_as_published_or_mapped(tmp_path):
    renamed = [
        {
            {"avg_melody_emotion": "melody_emotion", SILENT: "singing"}.get(name, name): value
            for name, value in row.items()
        }
        for row in tracks(3)
    ]
    table = read_tracks(write(tmp_path / "a.csv", renamed), NONE, {"enunciation_and_singing_skill": "singing"})
    assert table["enunciation_and_singing_skill"].to_pylist() == [3.5, 3.5, None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "1"}, r"a\.csv, row 3: track 1 is already in row 2; every id stands once"),
        ({"id": "x"}, r"row 3: id 'x' must be a whole number"),
        ({"source_type": "udio"}, r"row 3: source 'udio' is not in metadata/madb/sources\.csv .* add it"),
        ({"is_pure_music": ""}, r"row 3: '' must be TRUE or FALSE"),
        ({"avg_rhythm_perception": "6"}, r"row 3, rhythm_perception: score '6' must be 1 to 5"),
    ],
)
def test_rows_that_cannot_be_used_are_named(tmp_path, change, message):
    rows = tracks(3)
    rows[1] |= change
    with pytest.raises(InputError, match=message):
        read_tracks(write(tmp_path / "a.csv", rows), NONE, {})


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("source_type", "no column for 'source' among .* accepted are .* name yours with --column source=HEADER"),
        ("avg_structure_perception", "no column 'avg_structure_perception' of metadata/madb/dimensions.csv"),
    ],
)
def test_missing_columns_are_named(tmp_path, column, message):
    rows = [{name: value for name, value in row.items() if name != column} for row in tracks(2)]
    with pytest.raises(InputError, match=message):
        read_tracks(write(tmp_path / "a.csv", rows), NONE, {})


def test_a_list_without_tracks_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text(",".join(tracks(1)[0]) + "\n")
    with pytest.raises(InputError, match="a header and no tracks"):
        read_tracks(tmp_path / "a.csv", NONE, {})


def test_the_validation_split_is_a_list_of_ids(tmp_path):
    assert read_validation(write(tmp_path / "v.csv", [{"id": 7}, {"id": 2}])) == {2, 7}
    assert read_validation(None) == set()


def test_the_real_list(shared_data):
    """Facts of the release: sources, pure music without singing skill, and mean scores to three digits."""
    folder = shared_data / "madb"
    table = read_tracks(folder / "song_avg_scores.csv", read_validation(folder / "split_val_seed5.csv"), {}).to_pandas()
    assert len(table) == 9_999
    assert table.source.value_counts().to_dict() == {"internet": 2799, "suno": 1000, "levo": 1800, "muchin": 4400}
    means = table.groupby("source").overall_score.mean().round(3).to_dict()
    assert means == pytest.approx({"suno": 3.518, "levo": 3.181, "internet": 3.564, "muchin": 3.458}, abs=1e-6)
    assert (table.is_pure_music & table.enunciation_and_singing_skill.isna()).sum() == 921
    assert (table.split == "validation").sum() == 1_999
