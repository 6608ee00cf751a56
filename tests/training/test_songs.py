"""`build.training.songs`: labels and places, against the whole files read by pyarrow."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from build.errors import RunError
from build.training.files import Files
from build.training.pages import payload
from build.training.songs import read_songs
from tests.bench.ranges import serve
from tests.training.folder import TEST, TRAIN, has_audio, mean, song_id, sound


@pytest.fixture
def copy(small, tmp_path):
    return shutil.copytree(small, tmp_path / "copy")


def test_songs_and_row_groups_come_in_the_order_of_the_shards(small):
    songs = read_songs(Files(str(small)), "train", ["korean"])
    assert songs.ids == [song_id(number) for number in range(sum(TRAIN))]
    assert songs.group_sizes == [8, 1, 8, 8, 5, 1, 8]
    assert read_songs(Files(str(small)), "test", ["korean"]).ids == [
        song_id(number) for number in range(sum(TRAIN), sum(TRAIN) + sum(TEST))
    ]


def test_labels_by_hand(small):
    songs = read_songs(Files(str(small)), "train", ["korean"])
    assert (songs.means.dtype, songs.means.shape) == (np.float32, (39, 20))
    assert (songs.counts.dtype, songs.counts.shape) == (np.int16, (39, 20))
    np.testing.assert_array_equal(songs.means, [[mean(number, term) for term in range(20)] for number in range(39)])
    assert songs.counts[5].tolist() == [6] * 20
    assert (songs.counts[3, 0], songs.counts[3, 1]) == (0, 4)


def test_labels_of_several_languages_stand_side_by_side(sample):
    shards = [pq.read_table(path) for path in sorted(sample.glob("data/train-*.parquet"))]
    rows = pa.concat_tables(shards).to_pylist()
    songs = read_songs(Files(str(sample)), "train", ["korean", "english"])
    assert songs.ids == [row["song_id"] for row in rows]
    wanted = np.array([row["korean"]["mean"] + row["english"]["mean"] for row in rows], np.float32)
    np.testing.assert_array_equal(songs.means, wanted)
    assert songs.counts.tolist() == [row["korean"]["count"] + row["english"]["count"] for row in rows]


def test_payloads_lie_where_the_songs_say(small, sample):
    for folder in (small, sample):
        files, songs = Files(str(folder)), read_songs(Files(str(folder)), "train", ["korean"])
        audio = [pq.read_table(path, columns=["audio"]) for path in sorted(folder.glob("data/train-*.parquet"))]
        cells = pa.concat_tables(audio)["audio"].to_pylist()
        for cell, span, place in zip(cells, songs.spans, songs.places, strict=True):
            assert (cell is None) == (span is None)
            assert cell is None or cell["bytes"] == payload(files.read(span), place)


def test_the_songs_without_audio_have_no_place(small):
    songs = read_songs(Files(str(small)), "train", ["korean"])
    assert [span is not None for span in songs.spans] == [has_audio(number) for number in range(39)]


def test_no_sound_is_read(sample):
    sizes = [path.stat().st_size for path in sample.glob("data/train-*.parquet")]
    with serve(sample) as server:
        read_songs(Files(server.address), "train", ["korean"])
        assert server.counts()["bytes"] < 0.02 * sum(sizes)


def test_the_digest_follows_the_content(small, copy):
    before = read_songs(Files(str(small)), "train", ["korean"]).content
    assert read_songs(Files(str(copy)), "train", ["english"]).content == before
    manifest = json.loads((copy / "MANIFEST.json").read_text())
    manifest["files"]["data/train-00003-of-00006.parquet"]["sha256"] = "0" * 64
    (copy / "MANIFEST.json").write_text(json.dumps(manifest))
    assert read_songs(Files(str(copy)), "train", ["korean"]).content != before
    assert read_songs(Files(str(copy)), "test", ["korean"]).content != before


def test_a_shard_that_is_not_the_one_of_the_manifest_is_named(copy):
    path = copy / "data" / "train-00002-of-00006.parquet"
    whole = path.read_bytes()
    for broken in (whole[:-100], whole[:1000], b"", b"version https://git-lfs.github.com/spec/v1"):
        path.write_bytes(broken)
        with pytest.raises(RunError, match=r"train-00002-of-00006\.parquet: is not the shard that MANIFEST.json"):
            read_songs(Files(str(copy)), "train", ["korean"])


def test_a_folder_that_was_not_built_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no built dataset: it has no MANIFEST\.json"):
        read_songs(Files(str(tmp_path)), "train", ["korean"])


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ("{}", "cannot be read"),
        (
            '{"files": {"scores/train-0.parquet": {}}}',
            r"lists no data/train-\*\.parquet, so this is no built GlobalMood",
        ),
    ],
)
def test_a_manifest_of_something_else_is_named(tmp_path, manifest, message):
    (tmp_path / "MANIFEST.json").write_text(manifest)
    with pytest.raises(RunError, match=rf"{tmp_path}/MANIFEST\.json: {message}"):
        read_songs(Files(str(tmp_path)), "train", ["korean"])


def test_a_language_that_the_shards_do_not_have_is_named(small):
    with pytest.raises(RunError, match=r"train-0.*\.parquet: is not the shard.*german"):
        read_songs(Files(str(small)), "train", ["german"])


def test_sound_of_the_small_folder_is_what_it_says(small):
    songs = read_songs(Files(str(small)), "train", ["korean"])
    assert payload(Files(str(small)).read(songs.spans[7]), songs.places[7]) == sound(7)
