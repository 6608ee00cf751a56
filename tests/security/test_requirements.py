"""Requirements: each says why it is here, and none is held back without a reason."""

import re

import pytest

from build.workspace import REPOSITORY

FILES = sorted(REPOSITORY.glob("**/requirements*.txt"))
LINES = [
    (str(path.relative_to(REPOSITORY)), line.strip())
    for path in FILES
    if not path.relative_to(REPOSITORY).parts[0].startswith(".")
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith(("#", "-"))
]
BOUND = re.compile(r"<|==|~=")
REASONS_OF_BOUNDS = ("untried", "known to work together", "mosaicml-streaming", "the same")  # a peer of the benchmarks


@pytest.mark.parametrize(("file", "line"), LINES)
def test_every_requirement_has_a_reason_and_no_bound_without_one(file, line):
    requirement, _, reason = line.partition("#")
    assert reason.strip(), f"{file}: why is {requirement.strip()} here?"
    if BOUND.search(requirement):
        assert any(word in reason for word in REASONS_OF_BOUNDS), f"{file}: why is {requirement.strip()} held back?"
