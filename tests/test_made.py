"""`build.made`: what stages were told is there for the stages after them, and goes when it no longer holds."""

import pytest

from build import storage
from build.errors import InputError, RunError
from build.made import NAME, as_before, forget, noted, noting, require_unchanged, whole_notes

STAGES = ("songs", "excerpt", "terms", "ratings")


def note(tables, *stages, **told):
    for stage in stages:
        with noting(tables, stage, **told):
            pass


def test_what_a_stage_was_told_is_noted_at_its_end(tmp_path):
    with noting(tmp_path, "songs", limit=20, seed=3):
        assert noted(tmp_path) == {}
    assert noted(tmp_path) == {"songs": {"limit": 20, "seed": 3}}


def test_a_stage_that_fails_has_nothing_noted(tmp_path):
    note(tmp_path, *STAGES)
    with pytest.raises(RunError, match="no room"), noting(tmp_path, "ratings"):
        raise RunError("no room")
    assert set(noted(tmp_path)) == {"songs", "excerpt", "terms"}


@pytest.mark.parametrize(
    ("again", "left"),
    [
        ("songs", set()),
        ("excerpt", {"songs", "terms", "ratings"}),
        ("terms", {"songs", "excerpt"}),
        ("ratings", {"songs", "excerpt", "terms"}),
    ],
)
def test_what_was_made_from_other_tables_is_no_longer_noted(tmp_path, again, left):
    note(tmp_path, *STAGES)
    assert set(forget(tmp_path, again)) == set(noted(tmp_path)) == left


def test_a_dataset_is_put_together_only_when_all_is_known(tmp_path):
    note(tmp_path, "songs", "terms")
    with pytest.raises(InputError, match="run `excerpt`, `ratings`, then this again"):
        whole_notes(tmp_path)
    note(tmp_path, "excerpt", "ratings", limit=1)
    assert whole_notes(tmp_path)["ratings"] == {"limit": 1}


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"[1]", b'{"songs": {'])
def test_damaged_notes_are_none(tmp_path, content):
    (tmp_path / NAME).write_bytes(content)
    assert noted(tmp_path) == {}


def test_notes_are_kept_on_a_store_too(request):
    tables = storage.at(f"memory://{request.node.name}")
    assert noted(tables) == {}
    note(tables, "songs", limit=2)
    assert noted(tables) == {"songs": {"limit": 2}}


def test_a_stage_takes_over_source_seed_and_urls(tmp_path):
    assert as_before(tmp_path, None, None) == {"source": "sample", "seed": 0, "urls": None}
    note(tmp_path, "songs", source="hub:org/name", seed=3, urls=str(tmp_path))
    assert as_before(tmp_path, None, None) == {"source": "hub:org/name", "seed": 3, "urls": tmp_path}


def test_options_of_excerpts_are_not_those_of_the_build(tmp_path):
    note(tmp_path, "excerpt", clip={"seed": 7})
    assert as_before(tmp_path, None, None)["seed"] == 0


def test_a_folder_is_the_same_however_it_is_named(tmp_path, monkeypatch):
    note(tmp_path, "songs", source=str(tmp_path), seed=0)
    monkeypatch.chdir(tmp_path.parent)
    assert as_before(tmp_path, f"{tmp_path.name}/", 0)["source"] == f"{tmp_path.name}/"


@pytest.mark.parametrize(
    ("source", "seed", "told"),
    [("upstream", None, "--source upstream: .* had sample"), (None, 4, "--seed 4: the stages before had 3")],
)
def test_another_source_or_seed_is_refused(tmp_path, source, seed, told):
    note(tmp_path, "songs", source="sample", seed=3)
    with pytest.raises(InputError, match=told):
        as_before(tmp_path, source, seed)


def test_a_source_that_was_edited_since_a_stage_read_it_is_told(tmp_path):
    notes = {"songs": {"inputs": {"a.csv": "1"}}, "excerpt": {}, "terms": {"inputs": {"a.csv": "2"}}}
    with pytest.raises(RunError, match=r"\(changed: a\.csv\): run the same command again, or `terms` and the stages"):
        require_unchanged(notes, {"a.csv": "1"})
    require_unchanged(notes | {"terms": {}}, {"a.csv": "1"})
