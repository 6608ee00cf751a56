"""Object stores: with source, work and output on an S3 server, rows and sounds are those of a build here."""

import json
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import boto3
import pytest
import typer
from moto.server import ThreadedMotoServer

from build import storage
from build.cli import validate as cli
from build.errors import InputError
from build.validate import validate
from build.workers import InProcess
from build.workspace import open_workspace
from tests.scale.conftest import build

BUCKET = "s3://music"


@pytest.fixture(scope="module")
def client():
    """An S3 server on 127.0.0.1 with an empty bucket, which the environment names; and a client of it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = boto3.client("s3")
        client.create_bucket(Bucket="music")
        yield client
    server.stop()


@pytest.fixture(scope="module")
def built(client, source, tmp_path_factory) -> Path:
    """The folder of a driver whose build has source, work and output on the store."""
    for path in [path for path in source.rglob("*") if path.is_file()]:
        client.upload_file(str(path), "music", f"source/{path.relative_to(source)}")
    folder = tmp_path_factory.mktemp("driver")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(f"{BUCKET}/source", workers=1)
    return folder


def run(source: str, **options) -> None:
    """Build in this process alone: others are forked by a server that may be older than the store's address."""
    workspace = open_workspace(storage.at(f"{BUCKET}/work"))
    with mock.patch("build.cluster.pool", return_value=nullcontext(InProcess())):
        build(source, workspace, storage.at(f"{BUCKET}/out"), **options)


def keys(client, prefix: str) -> set[str]:
    listed = client.list_objects_v2(Bucket="music", Prefix=prefix)
    return {entry["Key"].removeprefix(prefix) for entry in listed.get("Contents", [])}


def downloaded(folder: Path) -> Path:
    return storage.copied_in(storage.at(f"{BUCKET}/out"), folder)


def manifest(folder: Path) -> dict:
    return json.loads((folder / "MANIFEST.json").read_text())


def test_rows_and_sounds_are_those_of_a_build_on_this_machine(built, local, tmp_path):
    copy = downloaded(tmp_path / "copy")
    assert manifest(copy)["audio"] == manifest(local)["audio"]
    assert manifest(copy)["inputs"] == manifest(local)["inputs"]
    by_name = {path.relative_to(copy).as_posix(): path for path in copy.rglob("*.parquet")}
    names = [path.relative_to(local).as_posix() for path in local.rglob("*.parquet")]
    assert len(names) == len(by_name)
    for name in names:
        [theirs] = [path for found, path in by_name.items() if found.startswith(name.removesuffix(".parquet") + "-")]
        assert theirs.read_bytes() == (local / name).read_bytes()


def test_what_is_on_the_store_validates_and_loads(built, tmp_path):
    from datasets import Audio, load_dataset

    copy = downloaded(tmp_path / "copy")
    assert not validate(copy)
    loaded = load_dataset(str(copy), "korean", split="train", cache_dir=str(tmp_path / "cache"))
    heard = loaded.cast_column("audio", Audio(decode=False))
    assert sum(row["audio"] is not None for row in heard) > 0


def test_validate_takes_an_address(built, capsys):
    with pytest.raises(typer.Exit) as end:
        cli.validate(storage.at(f"{BUCKET}/out"))
    assert (end.value.exit_code, capsys.readouterr().out) == (0, "missing: 0\ninvalid: 0\nextra: 0\n")


def test_tracks_excerpts_and_tables_are_on_the_store_and_the_journal_is_here(client, built):
    there = keys(client, "work/")
    assert {name.split("/")[0] for name in there} == {"audio", "clips", "tables"}
    kept_here = {path.name for path in built.rglob("*") if path.is_file() and "downloads" not in path.parts}
    assert "journal.sqlite" in kept_here
    assert not {name for name in kept_here if name.endswith((".flac", ".parquet"))}


def test_a_build_again_sends_nothing_but_the_card_and_the_manifest_last(client, built, monkeypatch):
    monkeypatch.chdir(built)
    before, sent, put = keys(client, "out/"), [], storage.put
    monkeypatch.setattr(storage, "put", lambda local, path: (sent.append(str(path)), put(local, path)))
    run(f"{BUCKET}/source", workers=1)
    assert keys(client, "out/") == before
    there = [path.removeprefix(f"{BUCKET}/out/") for path in sent if path.startswith(f"{BUCKET}/out/")]
    assert there[-2:] == ["README.md", "MANIFEST.json"]
    assert not [path for path in there if path.endswith(".parquet")]
    assert not [path for path in sent if "/work/audio/" in path or "/work/clips/" in path]


def test_files_of_earlier_builds_are_deleted_after_the_new_ones_are_there(client, source, tmp_path):
    out = storage.at(f"{BUCKET}/again")
    for seed in (0, 1):
        build(source, tmp_path / "work", out, audio=False, limit=2 + seed)
    parquet = {name for name in keys(client, "again/") if name.endswith(".parquet")}
    listed = json.loads(storage.read_bytes(out / "MANIFEST.json"))["files"]
    assert parquet == {name for name in listed if name.endswith(".parquet")}


def test_a_card_of_something_else_is_not_overwritten(client, source, tmp_path):
    client.put_object(Bucket="music", Key="other/README.md", Body=b"mine")
    with pytest.raises(InputError, match=r"s3://music/other: holds a README.md and no built dataset"):
        build(source, tmp_path / "work", storage.at(f"{BUCKET}/other"), audio=False)


def test_an_empty_source_is_refused(client, tmp_path):
    with pytest.raises(InputError, match=r"s3://music/nothing: there is nothing"):
        build(f"{BUCKET}/nothing", tmp_path / "work", tmp_path / "out")


def test_a_scheme_without_its_package_is_named():
    with pytest.raises(InputError, match=r"nosuch://bucket: .*requirements-dask.txt"):
        storage.at("nosuch://bucket")
