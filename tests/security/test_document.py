"""SECURITY.md: every threat names tests, and they are there."""

import ast
import re

import pytest

from build.workspace import REPOSITORY

DOCUMENT = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
THREATS = [line for line in DOCUMENT.splitlines() if line.startswith("|") and not line.startswith(("| Threat", "|---"))]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def functions(path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("line", THREATS, ids=[line.split("|")[1].strip()[:60] for line in THREATS])
def test_every_threat_names_a_test(line):
    assert NAMED.search(line.split("|")[-2])


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED.findall(DOCUMENT))))
def test_every_test_that_is_named_is_there(file, name):
    assert name in functions(REPOSITORY / file)
