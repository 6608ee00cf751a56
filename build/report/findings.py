"""What the report says about a built dataset, worked out from its tables (pure)."""

from dataclasses import dataclass

import pyarrow as pa

from build.analysis.agreement import agreement
from build.analysis.raters import check_raters, design
from build.analysis.reliability import reliability
from build.analysis.space import Space, space
from build.report.built import Built


@dataclass(frozen=True)
class Findings:
    """Tables RELIABILITY, AGREEMENT with EXCLUDED, DESIGN and PARTICIPANTS of the raters, and the mood space."""

    reliability: pa.Table
    agreement: pa.Table
    excluded: pa.Table
    space: Space
    design: pa.Table
    raters: pa.Table


def find(built: Built, concepts: pa.Table, seed: int = 0) -> Findings:
    """Everything that the report tells, from the tables of `built` and the CONCEPTS that its terms may share."""
    shared, excluded = agreement(built.ratings, built.cells, built.terms, concepts, seed=seed)
    return Findings(
        reliability=reliability(built.ratings, built.terms, seed=seed),
        agreement=shared,
        excluded=excluded,
        space=space(built.cells, seed=seed),
        design=design(built.ratings),
        raters=check_raters(built.ratings),
    )
