"""Lint finds the fault of each bad layout, and none in the good ones; others than its author wrote them."""

from pathlib import Path

import pytest

from shared.exhibit.linting import lint_variant

from .lint_layouts import known_1, known_2, unseen
from .lint_layouts.judged import Judged

RULES_OF_KIND = {
    "hot first part": {"rising"},
    "hot salt": {"few-buckets"},
    "few buckets": {"few-buckets"},
    "no split points": {"unsplit"},
    "overwritten records": {"tie"},
    "numbers as text": {"text-number"},
    "part without a value": {"unbound", "whole-table"},
    "unbounded row": {"wide-row"},
    "repeated key": {"long-key"},
    "expiry": {"ttls-differ", "no-ttl"},
    "kept for ever": {"no-ttl"},
    "whole table read": {"whole-table"},
    "too many ranges": {"many-ranges"},
}
"""The rules of which one finds a bad layout of this kind."""


@pytest.mark.parametrize(
    "judged", [*known_1.LAYOUTS, *known_2.LAYOUTS, *unseen.LAYOUTS], ids=lambda judged: judged.name
)
def test_each_bad_layout_has_its_finding_and_a_good_one_none(judged: Judged, tmp_path: Path) -> None:
    design = judged.design_in(tmp_path)
    findings = lint_variant(design, design.main).findings
    if judged.is_bad:
        assert RULES_OF_KIND[judged.kind] & {finding.rule for finding in findings}, judged.why
    else:
        assert findings == [], judged.why
