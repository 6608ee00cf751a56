import io

import pyarrow as pa
from rich.console import Console

from build.scoring.align import align
from build.scoring.measures import draw_songs
from build.scoring.predictions import read_predictions
from build.scoring.result import Judge
from build.scoring.table import legend, tables
from build.scoring.truth import Ceiling
from tests.scoring.made import truth


def result() -> dict:
    known = truth([[1, 1], [2, 3], [4, 2]])
    known.ceilings["korean"] = Ceiling(0.49, 0.7, 2)
    judge = Judge(known, draw_songs(3, 50, 0))
    values, _ = align(read_predictions(pa.table({"id": ["s0", "s1", "s2"], "t0": [1, 2, 4]})), known)
    return {
        "task": "globalmood:korean",
        "data": known.data,
        "n_songs": 3,
        "axis": "which axis",
        "scores": {"korean": judge.scores(values, "korean")},
        "comparison": {"against": {"name": "other.csv"}, "korean": judge.comparison(values, values, ("korean",))},
    }


def printed() -> str:
    console = Console(file=io.StringIO(), width=80)
    for table in tables(result()):
        console.print(table)
    return console.file.getvalue()


def test_a_language_is_told_with_its_ceiling_and_the_train_mean():
    row = next(line.split() for line in printed().splitlines() if line.split()[:1] == ["korean"])
    assert row[1] == "0.500"
    assert row[4:6] == ["0.700", "0.490"]


def test_nothing_is_cut_off_in_80_columns():
    assert "…" not in printed()


def test_single_terms_and_the_comparison_are_told():
    assert "T0    1.000" in printed()
    assert "against other.csv" in printed()


def test_the_legend_says_which_axis_and_what_the_ceiling_is():
    assert "which axis" in legend(result())
    assert "square root" in legend(result())
