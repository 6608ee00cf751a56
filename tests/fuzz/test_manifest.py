"""Any bytes as a manifest are one that can be used, or an error that names the file."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.errors import InputError
from build.hub.published import open_published
from build.validate import validate
from build.validate.files import read_manifest
from tests.fuzz.files import AT_LENGTH, BRIEFLY, damaged, given_or_refused

GOOD: dict[str, Any] = {
    "name": "globalmood",
    "version": "1.0.0",
    "source": "folder",
    "options": {"seed": 0, "limit": None, "audio": False, "exclude_raters": []},
    "inputs": {"songs.csv": "0" * 64},
    "charts": {},
    "facts": {"songs": {"all": 1}, "ratings": {"dropped": {"off_scale": 1}}},
    "packages": {"numpy": "2"},
    "files": {"data/train-00000-of-00001.parquet": {"sha256": "0" * 64, "bytes": 3, "rows": 1}},
    "audio": {"song": "0" * 64},
}
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A good manifest in which the values of some keys, at any depth, are others."""
    manifest = json.loads(json.dumps(GOOD))
    for _ in range(draw(st.integers(1, 3))):
        place = manifest
        key = draw(st.sampled_from(sorted(place)))
        while isinstance(place[key], dict) and place[key] and draw(st.booleans()):
            place = place[key]
            key = draw(st.sampled_from(sorted(place)))
        place[key] = draw(JSON)
    return json.dumps(manifest).encode()


FILES = st.one_of(damaged(json.dumps(GOOD, indent=1).encode()), changed())


def check(content: bytes, folder) -> None:
    built = folder / "built"
    (built / "data").mkdir(parents=True, exist_ok=True)
    (built / "data" / "train-00000-of-00001.parquet").write_bytes(b"PAR")
    path = built / "MANIFEST.json"
    path.write_bytes(content)
    manifest = given_or_refused(lambda: read_manifest(built), path)
    if manifest is None:
        return
    assert all(isinstance(entry["sha256"], str) for entry in manifest["files"].values())
    findings = validate(built)
    assert findings
    assert all(isinstance(one, str) for one in [*findings.missing, *findings.invalid, *findings.extra])
    with pytest.raises(InputError, match=r"MANIFEST\.json"):
        open_published(str(built))


@given(FILES)
@BRIEFLY
def test_any_bytes(scratch, content):
    check(content, scratch)


@pytest.mark.slow
@given(FILES)
@AT_LENGTH
def test_any_bytes_at_length(scratch, content):
    check(content, scratch)
