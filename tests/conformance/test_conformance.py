"""Every case on every target; over TCP a sample of each file, and the others in `make test-long`."""

import os
from collections.abc import Callable, Iterable, Iterator

import pytest

from shared.stores.embedded import stored_rows, turns
from tests.conformance.cases import Case, read_cases
from tests.conformance.running import run
from tests.conformance.targets import InProcess, Target, targets

SLOW = "ROWBOOK_SLOW"  # set to anything: also the cases that wait for minutes

TARGETS = targets()


def sample(cases: Iterable[Case]) -> list[Case]:
    """Of each file the cases that are the first to make a call or to expect another kind of outcome of it."""
    seen: set[tuple[str, ...]] = set()
    sampled: list[Case] = []
    for case in cases:
        calls = {(case.file, step.call, *step.expected) for step in case.steps}
        if not calls <= seen:
            sampled.append(case)
        seen |= calls
    return sampled


CASES = read_cases()
SAMPLE = sample(CASES)


def marks(name: str, case: Case) -> list[pytest.MarkDecorator]:
    if name == "HBase":
        return [pytest.mark.hbase]
    return [pytest.mark.long] if name == "over TCP" and case not in SAMPLE else []


@pytest.fixture(scope="module")
def opened() -> Iterator[Callable[[str], Target]]:
    """Opens a target by its name, once for all cases: tables that they share are made once."""
    opened: dict[str, Target] = {}

    def open_once(name: str) -> Target:
        if name not in opened:
            opened[name] = TARGETS[name]()
        return opened[name]

    yield open_once
    for target in opened.values():
        target.close()


@pytest.mark.store
@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, marks=marks(name, case), id=f"{name}-{case.file}: {case.sentence}")
        for name in TARGETS
        for case in CASES
    ],
)
def test_a_store_does_what_a_case_says(opened: Callable[[str], Target], name: str, case: Case) -> None:
    if case.slow and not os.environ.get(SLOW):
        pytest.skip(f"waits for minutes: set {SLOW}")
    with opened(name).store(case) as store:
        run(case, store)


# Where calls take turns with the engine, and where a row counts as one with many cells: after every row, and any row.
TURNS, PARTS = (turns, "TURN_S", -1.0), (stored_rows, "_FEW_CELLS", 0)
SETTINGS = {"many turns": [TURNS], "rows read in part": [PARTS], "both": [TURNS, PARTS]}


@pytest.mark.parametrize(
    ("setting", "case"),
    [
        pytest.param(setting, case, marks=[pytest.mark.long] if cases is CASES else [], id=f"{setting}-{case.sentence}")
        for setting, cases in (("many turns", CASES), ("rows read in part", CASES), ("both", SAMPLE))
        for case in cases
        if not case.slow
    ],
)
def test_a_store_does_the_same_in_many_turns_and_with_rows_read_in_part(
    monkeypatch: pytest.MonkeyPatch, setting: str, case: Case
) -> None:
    for replacement in SETTINGS[setting]:
        monkeypatch.setattr(*replacement)
    with InProcess().store(case) as store:
        run(case, store)


def test_the_sample_has_each_call_and_each_outcome_of_each_file() -> None:
    in_sample, in_all = (
        {(case.file, step.call, *step.expected) for case in cases for step in case.steps} for cases in (SAMPLE, CASES)
    )
    assert in_sample == in_all
    assert len(SAMPLE) < len(CASES) * 2 / 3
