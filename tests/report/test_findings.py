import pytest

from build.analysis.concepts import concepts
from build.report.findings import find
from tests.report.made import NAMES, built

pytestmark = pytest.mark.filterwarnings("error")


def test_every_finding_of_a_rated_dataset_has_its_rows():
    findings = find(built(), concepts())
    assert findings.reliability.num_rows == 25
    assert set(findings.agreement["concept"].to_pylist()) == {"sadness", "calm", "joy", "tension", "gentleness"}
    assert findings.design["language"].to_pylist() == sorted(NAMES)
    assert findings.raters.num_rows == 20
    assert len(findings.space.terms) == 25


def test_a_dataset_without_ratings_has_reasons_instead_of_values():
    findings = find(built(rated=False), concepts())
    assert set(findings.reliability["reason"].to_pylist()) == {"no ratings"}
    assert findings.agreement.num_rows == 0
    assert findings.excluded.num_rows > 0
    assert findings.space.terms == ()
    assert findings.design.num_rows == findings.raters.num_rows == 0
