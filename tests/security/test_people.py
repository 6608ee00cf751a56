"""The ids of raters are those of a panel, where they lead to a person: none leaves a build."""

import pyarrow.parquet as pq
import pytest

from tests.security.source import PANEL_IDS


def contents(folder) -> dict[str, bytes]:
    """Every file below a folder as it is, and the values of tables, which are compressed in their files."""
    found = {}
    for path in (path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes()
        if path.suffix == ".parquet":
            columns = [field.name for field in pq.read_schema(path) if field.name != "audio"]
            found[f"{name}, values"] = str(pq.read_table(path, columns=columns).to_pydict()).encode()
    return found


@pytest.mark.parametrize("person", PANEL_IDS)
def test_no_id_is_in_what_is_built_kept_or_said(hostile, person):
    made = contents(hostile.out) | contents(hostile.work) | {"said": "\n".join(hostile.said).encode()}
    assert [name for name, content in made.items() if person.lower().encode() in content.lower()] == []


def test_the_people_are_there_by_number(hostile):
    ratings = pq.read_table(hostile.out / "ratings" / "english-train-00000-of-00001.parquet")
    assert set(ratings["participant"].to_pylist()) == {1, 2, 3}
    chains = pq.read_table(hostile.out / "chains" / "train-00000-of-00001.parquet")
    assert len(set(chains["participant"].to_pylist())) == 2, "the third only gave away an address"
