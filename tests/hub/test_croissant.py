"""croissant.json, read by the reference implementation."""

import hashlib
import json
import math

import pyarrow.parquet as pq
import pytest

from build.hub.croissant import render
from globalmood import FEATURES
from tests.hub.source import GONE, TERMS

mlcroissant = pytest.importorskip("mlcroissant")
MINIMAL_RAI = (
    "dataCollection dataCollectionType dataUseCases dataBiases dataLimitations dataSocialImpact "
    "personalSensitiveInformation hasSyntheticData annotationsPerItem"
)


@pytest.fixture(scope="module")
def described(built) -> dict:
    return json.loads((built / "croissant.json").read_text())


@pytest.fixture(scope="module")
def dataset(built):
    return mlcroissant.Dataset(built / "croissant.json")


def records(dataset, config: str) -> list[dict]:
    def plain(value):
        if isinstance(value, dict):
            return {name.rsplit("/", 1)[1]: plain(inner) for name, inner in value.items()}
        return value.decode() if isinstance(value, bytes) and not value.startswith(b"fLaC") else value

    return [plain(record) for record in dataset.records(config)]


def test_the_reference_implementation_finds_nothing_wrong(dataset):
    assert list(dataset.metadata.ctx.issues.errors) == []
    assert list(dataset.metadata.ctx.issues.warnings) == []


def test_every_column_of_every_config_is_described(dataset):
    fields = {one.id: [field.name for field in one.fields] for one in dataset.metadata.record_sets}
    expected = {config: list(FEATURES[config]) for config in fields}
    for config in ("all", "ratings"):
        expected[config].append("split")
    assert fields == expected
    assert set(fields) == {"all", "ratings", "terms", "lexicon", "chains", "participants"}


def test_songs_read_back(dataset, built):
    read = {record["song_id"]: record for record in records(dataset, "all")}
    shards = sorted(built.glob("data/*.parquet"))
    written = {row["song_id"]: row for path in shards for row in pq.read_table(path).to_pylist()}
    assert set(read) == set(written)
    for song_id, record in read.items():
        for name in ("title", "country", "status", "start_s", "audio_sha256", "fold"):
            assert record[name] == written[song_id][name], (song_id, name)
    assert {record["split"] for record in read.values()} == {"train", "test"}


def test_sound_reads_back_as_its_bytes_and_none_as_none(dataset):
    read = {record["song_id"]: record for record in records(dataset, "all")}
    assert read[GONE]["audio"] is None
    song = read["song-02"]
    assert hashlib.sha256(song["audio"]).hexdigest() == song["audio_sha256"]


def test_means_read_back_in_the_order_of_the_terms(dataset):
    song = next(record for record in records(dataset, "all") if record["song_id"] == "song-02")
    # of three people who rate 1 + (2 + person + place) % 5, where that sum is no multiple of 7
    assert song["korean"]["mean"][:5] == pytest.approx([4.0, 10 / 3, 8 / 3, 1.5, 3.0])
    assert song["korean"]["count"][:5] == [3, 3, 3, 2, 2]
    assert len(song["korean"]["std"]) == len(TERMS)
    assert all(math.isnan(mean) for mean in song["french"]["mean"])


def test_ratings_read_back_with_their_split(dataset):
    read = records(dataset, "ratings")
    assert len(read) == 928
    assert {record["rating"] for record in read} == {1, 2, 3, 4, 5}
    assert {(record["song_id"], record["split"]) for record in read} >= {("song-02", "train")}


def test_every_parquet_file_is_listed_with_its_digest(described, built):
    objects = {one["contentUrl"]: one for one in described["distribution"] if one["@type"] == "cr:FileObject"}
    files = {path.relative_to(built).as_posix(): path for path in built.rglob("*.parquet")}
    assert set(objects) == set(files)
    for name, path in files.items():
        assert objects[name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", MINIMAL_RAI.split())
def test_the_responsible_ai_fields_are_filled(described, name):
    assert described[f"rai:{name}"] not in (None, "", [])


def test_a_synthetic_sample_says_so(built):
    facts = json.loads((built / "MANIFEST.json").read_text())["facts"]
    rai = {"people": {"rai:hasSyntheticData": False}, "sample": {"rai:hasSyntheticData": True}}
    for source, synthetic in (("folder", False), ("sample", True)):
        content = json.loads(render(facts | {"source": source}, {}, [], rai))
        assert content["rai:hasSyntheticData"] is synthetic
        assert content["description"].startswith("A synthetic sample") is synthetic


def test_annotations_per_item_are_those_of_the_ratings(described):
    assert described["rai:annotationsPerItem"] == (
        "mean number of raters a rated song and term: english 2.58, korean 2.58"
    )
