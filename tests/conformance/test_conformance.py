"""Every case on every target."""

import os
from collections.abc import Iterator

import pytest

from tests.conformance.cases import Case, read_cases
from tests.conformance.running import run
from tests.conformance.targets import Target, targets

SLOW = "ROWBOOK_SLOW"  # set to anything: also the cases that wait for minutes

TARGETS = targets()
NAMES = [pytest.param(name, marks=pytest.mark.hbase) if name == "HBase" else name for name in TARGETS]


@pytest.fixture(scope="module", params=NAMES)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    target = TARGETS[request.param]()
    yield target
    target.close()


@pytest.mark.store
@pytest.mark.parametrize("case", read_cases(), ids=lambda case: f"{case.file}: {case.says}")
def test_a_store_does_what_a_case_says(target: Target, case: Case) -> None:
    if case.slow and not os.environ.get(SLOW):
        pytest.skip(f"waits for minutes: set {SLOW}")
    with target.store(case) as store:
        run(case, store)
