"""The languages in `globalmood.py` are those of `metadata/languages.csv`.

A loading script is copied away from its folder and cannot read `metadata/`, so the module carries its languages itself,
in a block that this module writes. A language is added by its row in the CSV file alone.
"""

import re
from pathlib import Path

from build import vocab
from build.files import write_bytes
from build.workspace import REPOSITORY

MODULE = REPOSITORY / "globalmood.py"
_BLOCK = re.compile(r"(?<=\nLANGUAGES = \(\n).*?(?=\)\n# end of the generated block\n)", re.DOTALL)


def refresh(module: Path = MODULE) -> bool:
    """Write the languages into `module` if they are not what it says; return whether they were not.

    Raises InputError where `metadata/languages.csv` cannot be used.
    """
    text = module.read_text(encoding="utf-8")
    fresh = _BLOCK.sub(lambda _: _lines(vocab.languages()), text, count=1)
    if fresh == text:
        return False
    write_bytes(module, fresh.encode())
    return True


def _lines(languages: tuple[vocab.Language, ...]) -> str:
    return "".join(
        f"    Language({_quoted(row.config)}, {_quoted(row.tag)}, {_quoted(row.population)}, {row.n_terms}),\n"
        for row in languages
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
