"""Rules of this repository that no linter knows."""

import ast
import re
import subprocess

import pytest

from build import vocab
from build.dataset.card import COLUMN_TABLES
from build.workspace import METADATA, REPOSITORY
from globalmood import FEATURES

SOURCES = sorted((REPOSITORY / "build").rglob("*.py"))
LONGEST_MODULE = 300  # lines; beyond about 250 a wall should move


def test_there_are_sources_to_look_at():
    assert len(SOURCES) > 50


def test_modules_stay_short():
    lines = {path.relative_to(REPOSITORY): path.read_text("utf-8").count("\n") for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > LONGEST_MODULE} == {}


def test_the_published_module_imports_the_pipeline_only_inside_functions():
    tree = ast.parse((REPOSITORY / "globalmood.py").read_text("utf-8"))
    imported = [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    imported += [name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names]
    assert [name for name in imported if name.split(".")[0] == "build"] == []


def test_loading_needs_no_torch():
    banned = re.compile(r"^(import|from) (torch|torchcodec|transformers)\b", re.MULTILINE)
    allowed = {"training", "baselines"}
    paths = [path for path in SOURCES if not allowed & set(path.parts)] + [REPOSITORY / "globalmood.py"]
    assert [path for path in paths if banned.search(path.read_text("utf-8"))] == []


def test_an_error_is_one_message():
    """An exception of several arguments prints as a tuple."""
    several = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and getattr(node.exc.func, "id", "") in ("InputError", "RunError", "ValueError", "TypeError")
        and len(node.exc.args) != 1
    ]
    assert several == []


@pytest.mark.parametrize("table", COLUMN_TABLES)
def test_every_published_column_is_described_in_its_order(table):
    _, config = COLUMN_TABLES[table]
    features = FEATURES[config] if table != "language" else FEATURES[config][config]
    published = [name for name in features if name not in {language.config for language in vocab.languages()}]
    rows = vocab.read_rows(METADATA / "columns.csv", ("table", "column", "unit", "meaning"))
    assert [row["column"] for row in rows if row["table"] == table] == published


def test_no_trace_of_a_machine_or_a_registry_in_tracked_files():
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True)  # noqa: S607
    registry = "|".join(("pypi" + r"\.org", "files" + r"\.pythonhosted", "registry" + r"\.npmjs", "deb" + r"\.debian"))
    banned = re.compile(rf"{registry}|(?<![\w.])/(?:home|root)/\w")
    found = [
        name
        for name in tracked.stdout.splitlines()
        if (REPOSITORY / name).is_file() and banned.search((REPOSITORY / name).read_text("utf-8", errors="replace"))
    ]
    assert found == []
