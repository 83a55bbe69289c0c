"""Which parts of the fact sheet and of the IDL the cases cover."""

import re
from pathlib import Path

import pytest

from shared.stores.thrift1.idl import Thrift1
from tests.conformance.cases import SECTIONS, read_cases

FACTS = Path(__file__).parents[3] / "shared" / "facts" / "hbase.md"

NOT_BY_CALLS = ["1.10"]
"""About happybase's client on a store in the same process, which tests of the embedded connection cover."""


def test_the_sections_are_those_of_the_fact_sheet() -> None:
    if not FACTS.exists():
        pytest.skip(f"{FACTS} is not there")
    headings = re.findall(r"^### ([12]\.\d+) ", FACTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == SECTIONS


def test_every_section_has_a_case_or_a_reason_to_have_none() -> None:
    assert {case.section for case in read_cases()} == {*SECTIONS} - {*NOT_BY_CALLS}


def test_every_call_of_the_idl_has_a_case() -> None:
    called = {step.call for case in read_cases() for step in case.steps}
    scans = {"scannerOpenWithScan", "scannerGetList", "scannerClose"}
    assert set(Thrift1.thrift_services) - called - scans == set()
