"""`build.release` and its verb: data that changed need a new version and a word in the changelog."""

import importlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from build import release
from build.audio import ClipOptions
from build.cli import app
from build.dataset.swap import MARK
from build.errors import InputError, RunError
from build.hub.rebuild import open_build
from build.options import BuildOptions
from build.workspace import Workspace
from tests.hub.source import write_source
from tests.reliability.trial import edit

command = importlib.import_module("build.cli.release")
RATINGS = "rawrating_GlobalMood.csv"
TOLD = "# Changelog\n\n## 1.0.0\n\n- The first.\n"


def manifest(files: dict[str, str], audio: dict[str, str] | None = None, **more: object) -> dict:
    entries = {name: {"sha256": digest, "bytes": 1} for name, digest in files.items()}
    return {"name": "globalmood", "version": "1.0.0", "source": "sample", "files": entries, "audio": audio or {}} | more


def test_rows_and_sound_are_compared_and_texts_are_not():
    before = manifest({"a.parquet": "1", "b.parquet": "1", "README.md": "1"}, {"s": "1", "t": "1"})
    after = manifest({"a.parquet": "2", "c.parquet": "1", "README.md": "2"}, {"s": "2", "t": "1"})
    assert release.changes(before, after) == [
        "changed: a.parquet",
        "gone: b.parquet",
        "new: c.parquet",
        "changed sound: s",
    ]
    assert release.changes(before, before | {"packages": {"numpy": "9"}}) == []


def test_packages_that_differ_are_told_beside_what_changed():
    before = manifest({"a.parquet": "1"}, packages={"numpy": "1", "av": "1"})
    after = manifest({"a.parquet": "2"}, packages={"numpy": "2", "av": "1"})
    assert release.changes(before, after)[1:] == ["changed package, which may be why: numpy"]


def test_many_files_are_counted():
    before = manifest({f"{number:02d}.parquet": "1" for number in range(25)})
    [line] = release.changes(before, manifest({}))
    assert line.endswith("18.parquet, 19.parquet and 5 more")


@pytest.mark.parametrize(
    ("version", "before", "has_changed", "found"),
    [
        ("1.0.0", None, False, []),
        ("1.0.0", "1.0.0", False, []),
        ("1.0.0", "0.9.10", True, []),
        ("1.0.0", "1.0.0", True, ["the data of 1.0.0 have changed and the version is 1.0.0"]),
        ("1.0.0", "1.0.1", True, ["the data of 1.0.1 have changed and the version is 1.0.0"]),
        ("1.1.0", "1.0.0", True, ["CHANGELOG.md has no entry below `## 1.1.0`"]),
        ("1.1.0", None, False, ["CHANGELOG.md has no entry below `## 1.1.0`"]),
    ],
)
def test_what_keeps_a_version_back(version, before, has_changed, found):
    told = release.obstacles(version, before, has_changed, TOLD)
    assert [one[: len(start)] for one, start in zip(told, found, strict=True)] == found


@pytest.mark.parametrize(
    ("changelog", "is_described"),
    [
        (TOLD, True),
        ("## 1.0.0\n\n## 0.9.0\n\n- Before.\n", False),
        ("## 1.0.0.1\n\n- Another.\n", False),
        ("# Changelog\n\n- 1.0.0 without a heading\n", False),
        ("## 1.0.0 (the first)\n### New\n- It is there.\n", True),
        ("", False),
    ],
)
def test_an_entry_is_a_heading_and_a_point(changelog, is_described):
    assert release.described("1.0.0", changelog) == is_described


@pytest.mark.parametrize("version", ["None", "1.0.0-rc1", "one"])
def test_versions_that_have_no_order_are_refused(version):
    with pytest.raises(InputError, match=rf"version '{version}': wanted numbers"):
        release.obstacles("1.0.0", version, True, TOLD)


def test_what_was_built_from_something_else_is_not_compared():
    with pytest.raises(InputError, match=r"the manifests differ in 'source' \('upstream' and 'sample'\)"):
        release.require_comparable(manifest({}, source="upstream"), manifest({}))
    with pytest.raises(InputError, match=r"the manifests differ in 'limit' \(3 and None\)"):
        release.require_comparable(manifest({}, options={"limit": 3}), manifest({}, options={"limit": None}))
    release.require_comparable(manifest({}, options={}), manifest({}, options={"added_since": 1}))


def test_what_other_code_has_built_is_refused():
    with pytest.raises(InputError, match=r"is of version '0\.1' and the code of '1\.0\.0': build it again"):
        release.require_comparable(None, manifest({}, version="0.1"))
    with pytest.raises(InputError, match=r"is of version None and the code of None: build it again"):
        release.require_comparable(None, {"files": {}, "audio": {}})


def test_only_the_sample_is_regenerated(tmp_path):
    with pytest.raises(InputError, match="source 'upstream': build that, and name it with --built"):
        release.regenerate(manifest({}, source="upstream"), tmp_path, print)


def test_the_sample_is_regenerated_as_the_manifest_says(tmp_path, monkeypatch):
    run = []

    class Noted:
        def __init__(self, options, workspace, say) -> None:
            run.append((options, workspace.root))

        def run(self) -> None:
            run.append("run")

    monkeypatch.setattr(release, "Build", Noted)
    made = {"seed": 3, "limit": 2, "audio": False, "exclude_raters": ["few"], "policy": "peak", "codec": "source"}
    out = release.regenerate(manifest({}, options=made), tmp_path, print)
    (options, root), ran = run
    assert (options.source, options.out, ran) == ("sample", out, "run")
    assert (options.seed, options.limit, options.audio, options.exclude_raters) == (3, 2, False, ("few",))
    assert options.clip == ClipOptions(seed=3, policy="peak", codec="source")
    assert {out.parent, root.parent} == {tmp_path}, "from nothing: no cache of earlier builds is used"


class TestTags:
    """A repository whose build does nothing but write a manifest."""

    @pytest.fixture
    def repository(self, tmp_path, monkeypatch) -> Path:
        root = tmp_path / "repository"
        (root / "build").mkdir(parents=True)
        wanted = json.dumps(manifest({}))
        (root / "build" / "__main__.py").write_text(
            "import pathlib, sys\n"
            "assert sys.argv[1] == 'run' and sys.argv[4] == '--out'\n"
            "out = pathlib.Path(sys.argv[5]); out.mkdir()\n"
            f"(out / 'MANIFEST.json').write_text({wanted!r})\n"
        )
        git = [shutil.which("git"), "-c", "user.name=a", "-c", "user.email=a@b"]
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"], ["tag", "v1"]):
            subprocess.run([*git, *arguments], cwd=root, check=True)
        (root / "build" / "__main__.py").write_text("raise SystemExit('error: no network')")
        for arguments in (["commit", "-qam", "two"], ["tag", "v2"]):
            subprocess.run([*git, *arguments], cwd=root, check=True)
        monkeypatch.setattr(release, "REPOSITORY", root)
        return root

    def test_a_tag_is_built_as_it_was(self, repository, tmp_path):
        assert release.released("v1", tmp_path) == manifest({})

    def test_a_tag_that_does_not_build_is_told(self, repository, tmp_path):
        with pytest.raises(RunError, match=r"--against v2: its sample cannot be built here: .*no network"):
            release.released("v2", tmp_path)

    @pytest.mark.parametrize("name", ["v3", "--output=x", "../v1", "HEAD"])
    def test_what_is_neither_file_nor_tag_is_refused(self, repository, tmp_path, name):
        with pytest.raises(InputError, match="no such file or folder, and no tag"):
            release.released(name, tmp_path)


class TestVerb:
    """On a small built folder."""

    @pytest.fixture(scope="class")
    def source(self, tmp_path_factory) -> Path:
        return write_source(tmp_path_factory.mktemp("source") / "source", 2)

    @pytest.fixture(scope="class")
    def built(self, source, tmp_path_factory) -> Path:
        return self.build(source, tmp_path_factory.mktemp("built"))

    @pytest.fixture(autouse=True)
    def changelog(self, tmp_path, monkeypatch) -> Path:
        path = tmp_path / "CHANGELOG.md"
        path.write_text(TOLD)
        monkeypatch.setattr(command, "CHANGELOG", path)
        return path

    @staticmethod
    def build(source: Path, root: Path) -> Path:
        options = BuildOptions(source=str(source), out=root / "globalmood", audio=False)
        open_build(options, Workspace(root / "work"), lambda line: None).run()
        return options.out

    @staticmethod
    def check(*arguments: object):
        return CliRunner().invoke(app, ["release-check", *map(str, arguments)])

    def test_a_first_release_that_the_changelog_tells_of(self, built):
        done = self.check("--built", built)
        assert done.exit_code == 0
        assert done.output == "first release\n1.0.0 may be released\n"

    def test_the_same_again(self, built, tmp_path):
        kept = shutil.copy(built / MARK, tmp_path / "MANIFEST-1.0.0.json")
        done = self.check("--built", built, "--against", kept)
        assert done.output == "changes of data since 1.0.0: 0\n1.0.0 may be released\n"

    def test_one_changed_rating_needs_a_new_version(self, built, source, tmp_path):
        own = shutil.copytree(source, tmp_path / "source")
        edit(own / RATINGS, lambda rows: [rows[0], [*rows[1][:-1], 6 - int(rows[1][-1])], *rows[2:]])
        done = self.check("--built", self.build(own, tmp_path), "--against", built / MARK)
        assert isinstance(done.exception, RunError)
        assert "the data of 1.0.0 have changed and the version is 1.0.0: raise it" in str(done.exception)
        assert "changes of data since 1.0.0: 1\n  changed: data/" in done.output
        assert "ratings/english-" in done.output

    def test_a_new_version_needs_a_word_in_the_changelog(self, built, changelog):
        changelog.write_text("# Changelog\n")
        done = self.check("--built", built)
        assert isinstance(done.exception, RunError)
        assert "no entry below `## 1.0.0`" in str(done.exception)

    def test_what_does_not_validate_is_not_released(self, built, tmp_path):
        spoilt = shutil.copytree(built, tmp_path / "spoilt")
        (spoilt / "eval.yaml").write_text("other")
        done = self.check("--built", spoilt)
        assert "does not validate: 1 findings" in str(done.exception)
        assert "  eval.yaml: its SHA-256 is" in done.output
