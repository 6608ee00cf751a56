"""Publishing with the real client, to a Hub on this machine."""

import pytest
from typer.testing import CliRunner

import build.cli.publish  # noqa: F401 - registers the verb
from build.cli import app
from build.errors import InputError, RunError
from build.hub.publish import packed, parcel_of, upload
from tests.hub.server import CUT, TOKEN

REPOSITORY = "org/moods"


def send(folder, private=False) -> list[str]:
    said: list[str] = []
    upload(parcel_of(folder, folder), REPOSITORY, private, said.append)
    return said


def command(*arguments, answer: str = ""):
    return CliRunner().invoke(app, ["publish", REPOSITORY, *map(str, arguments)], input=answer)


def content(folder) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published(hub, revision: str = "v1.0.0") -> dict[str, bytes]:
    repository = hub.repositories[REPOSITORY]
    return {name: there for name, there in repository.commits[repository.tags[revision]].items() if name[0] != "."}


def test_one_commit_with_a_tag_holds_the_dataset_without_audio(hub, built, silent):
    said: list[str] = []
    with packed(built, with_audio=False) as parcel:
        upload(parcel, REPOSITORY, False, said.append)
    repository = hub.repositories[REPOSITORY]
    assert list(repository.messages.values()) == ["initial commit", "globalmood 1.0.0"]
    assert published(hub) == content(silent)
    where = f"{hub.url}/datasets/{REPOSITORY}/commit/{repository.tags['v1.0.0']}"
    assert said == [f"{where}: {len(content(silent))} files, tagged v1.0.0"]


def test_a_version_that_is_there_is_left_alone(hub, silent):
    send(silent)
    assert send(silent) == [f"{REPOSITORY} has v1.0.0 already, with this content"]
    assert len(hub.repositories[REPOSITORY].commits) == 2


def test_a_tag_is_never_moved(hub, silent, copy):
    send(silent)
    with pytest.raises(
        InputError, match=r"org/moods has v1\.0\.0 already, with other content, and a tag is never moved"
    ):
        send(copy)
    assert len(hub.repositories[REPOSITORY].commits) == 2


@pytest.mark.parametrize(("method", "path"), [("POST", "/commit/"), ("POST", "/tag/"), ("POST", "/repos/create")])
def test_the_same_command_goes_on_after_the_hub_failed(hub, silent, method, path):
    hub.fail(method, path, 500)
    with pytest.raises(RunError, match=r"(?s)org/moods: publishing failed: .*500.*the same command goes on"):
        send(silent)
    send(silent)
    assert published(hub) == content(silent)
    assert len(hub.repositories[REPOSITORY].commits) == 2


@pytest.mark.parametrize(
    ("method", "path", "kind"), [("PUT", "/lfs/", 500), ("POST", "preupload", 429), ("PUT", "/lfs/", CUT)]
)
def test_an_upload_outlives_a_refusal_and_a_cut(hub, silent, method, path, kind):
    hub.fail(method, path, kind)
    send(silent)
    assert published(hub) == content(silent)


def test_only_the_list_is_uploaded(hub, copy):
    strange = ("globalmood.py", "notes.txt", ".env", "data/globalmood.py", "data/extra.parquet", "data/deep/a.parquet")
    for name in strange:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text("strange")
    with packed(copy, with_audio=False) as parcel:
        assert parcel.left_out == sorted(strange)
        assert "eval.yaml" in parcel.sizes
        assert not set(strange) & set(parcel.sizes)


def test_shards_of_an_earlier_version_go_and_other_files_stay(hub, silent):
    send(silent)
    repository = hub.repositories[REPOSITORY]
    there = repository.commits[repository.branches["main"]]
    repository.commit(there | {"data/train-00000-of-00032.parquet": b"old", "cover.png": b"image"}, "by hand")
    del repository.tags["v1.0.0"]
    send(silent)
    assert set(published(hub)) == set(content(silent)) | {"cover.png"}


def test_a_script_in_the_repository_that_stops_datasets_is_told(hub, silent):
    send(silent)
    repository = hub.repositories[REPOSITORY]
    repository.commit(repository.commits[repository.branches["main"]] | {"moods.py": b""}, "by hand")
    del repository.tags["v1.0.0"]
    assert send(silent)[-1].startswith("warning: org/moods holds moods.py, so `datasets` 4 and later refuse")


def test_private_makes_a_private_repository(hub, silent):
    send(silent, private=True)
    assert hub.repositories[REPOSITORY].private


def test_private_never_ends_in_a_public_repository(hub, silent):
    send(silent)
    with pytest.raises(InputError, match="--private: org/moods exists and is public"):
        send(silent, private=True)


def test_without_a_token_nothing_is_asked(hub, silent, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    with pytest.raises(InputError, match="there is no token of the Hub: run `hf auth login`, or set HF_TOKEN"):
        send(silent)
    assert hub.log == []


def test_a_wrong_token_is_a_failure_that_does_not_show_it(hub, silent, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(RunError, match="publishing failed") as failure:
        send(silent)
    assert "hf_wrong" not in str(failure.value)


@pytest.mark.parametrize("name", ["moods", "org/moods/x", "hub:org/moods", "org/mo ods"])
def test_a_name_that_is_none_is_refused(hub, silent, name):
    with pytest.raises(InputError, match=r"wanted ORG/NAME"):
        upload(parcel_of(silent, silent), name, False, print)
    assert hub.log == []


def test_a_damaged_folder_is_not_published(copy):
    (copy / "terms" / "train-00000-of-00001.parquet").write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"copy does not validate, so it is not published; .*the first: terms/train"):
        packed(copy, with_audio=False).__enter__()


def test_audio_is_left_out_of_globalmood_alone(copy):
    manifest = (copy / "MANIFEST.json").read_text()
    (copy / "MANIFEST.json").write_text(manifest.replace('"name": "globalmood"', '"name": "madb"'))
    with pytest.raises(InputError, match="audio can be left out of globalmood alone; build this without"):
        packed(copy, with_audio=False).__enter__()


def test_audio_that_is_not_there_cannot_be_published(silent):
    with pytest.raises(InputError, match=r"--with-audio: .* has none; build it with audio"):
        packed(silent, with_audio=True).__enter__()


def test_a_dry_run_shows_files_sizes_and_card_and_sends_nothing(hub, built, silent):
    shown = command("--folder", built, "--dry-run")
    assert shown.exit_code == 0
    size = (silent / "croissant.json").stat().st_size
    assert f"{size / 1000:.1f} kB  croissant.json\n" in shown.output
    assert f"{len(content(silent))} files for org/moods, tag v1.0.0; none was sent" in shown.output
    assert (silent / "README.md").read_text() in shown.output
    assert hub.log == []


def test_audio_is_published_once_its_rights_are_answered_for(hub, built):
    done = command("--folder", built, "--with-audio", answer="y\n")
    assert done.exit_code == 0, done.output
    assert "The audio in this dataset belongs to those who made and own the recordings." in done.output
    assert published(hub) == content(built)
    assert TOKEN not in done.output


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_audio_stays_here_without_a_yes(hub, built, answer):
    assert command("--folder", built, "--with-audio", answer=answer).exit_code != 0
    assert hub.log == []


def test_a_file_that_is_a_link_is_not_published(copy, tmp_path):
    """Also where it leads to what the manifest lists: the next build of that place would be published unseen."""
    figure = next((copy / "figures").iterdir())
    figure.rename(tmp_path / "elsewhere.png")
    figure.symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(InputError, match=rf"{figure.name}: is a link to .*elsewhere\.png; put the file itself there"):
        packed(copy, with_audio=False).__enter__()


def test_a_folder_that_is_a_link_is_not_published(copy, tmp_path):
    (tmp_path / "secrets").mkdir()
    (copy / "notes").symlink_to(tmp_path / "secrets")
    with pytest.raises(InputError, match=r"notes: is a link to .*secrets"):
        packed(copy, with_audio=False).__enter__()
