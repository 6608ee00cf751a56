"""`build.dataset.readme`: the committed README is what its template and results give."""

from build.dataset.readme import readme
from build.workspace import REPOSITORY


def test_the_readme_is_up_to_date():
    """`make readme` renders it again."""
    assert (REPOSITORY / "README.md").read_text(encoding="utf-8") == readme()
