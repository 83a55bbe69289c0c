"""Writers that die, pause or meet another one at any call: what readers of each design see, and what completes them."""

from collections.abc import Iterator

import pytest

from domains.command_line.designs import all_designs
from shared.testing import (
    CrashTests,
    StoppedWrites,
    Write,
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_a_store_that_fails_often,
    check_late_calls,
    check_rivals,
    crash_tests,
)
from shared.testing.stopped_writes import Opened
from shared.writes import holds_intents
from tests.domains.counters import stopped_writes as counters
from tests.domains.documents import stopped_writes as documents
from tests.domains.feeds import stopped_writes as feeds
from tests.domains.messages import stopped_writes as messages
from tests.domains.orders import stopped_writes as orders
from tests.engines import Engine

STOPPED = {
    "orders": orders.STOPPED,
    "counters": counters.STOPPED,
    "messages": messages.STOPPED,
    "feeds": feeds.STOPPED,
    "documents": documents.STOPPED,
}
MANY, FEW, FEWEST = 14, 2, 1
"""Crash points of a write that a check visits: stops in the design itself, then all else; in other variants, which
differ in their lists alone, and on HBase. `make test-long` visits all."""


def variants(chosen: slice) -> Iterator[tuple[str, StoppedWrites, Opened]]:
    """The variants of each design whose writes survive a crash, or some of them."""
    for name, stopped in STOPPED.items():
        for variant in stopped.variants[chosen]:
            yield name, stopped, variant


ALL, FIRST, OTHERS = slice(None), slice(1), slice(1, None)


def cases(chosen: slice = ALL, *, recovered: bool = False) -> pytest.MarkDecorator:
    """Runs a test for each write of these variants; with `recovered`, for each that `recover` completes."""
    params = [
        pytest.param(name, stopped, variant, write, id=f"{name}:{variant.name}: {write.name}")
        for name, stopped, variant in variants(chosen)
        for write in stopped.writes
        if write.is_recovered or not recovered
    ]
    return pytest.mark.parametrize(("design", "stopped", "variant", "write"), params)


each_variant = pytest.mark.parametrize(
    ("design", "stopped", "variant"), [pytest.param(*case, id=f"{case[0]}:{case[2].name}") for case in variants(ALL)]
)


@pytest.fixture(scope="session")
def made() -> dict[tuple[str, str, str], CrashTests]:
    """The crash tests of each variant, which run each write without a crash only once."""
    return {}


@pytest.fixture
def crashes(
    engine: Engine, design: str, stopped: StoppedWrites, variant: Opened, made: dict[tuple[str, str, str], CrashTests]
) -> CrashTests:
    return made.setdefault((engine.name, design, variant.name), crash_tests(engine, stopped, variant))


@pytest.fixture(params=["some", pytest.param("all", marks=pytest.mark.long)])
def few(request: pytest.FixtureRequest, engine: Engine, stopped: StoppedWrites, variant: Opened) -> int | None:
    if request.param == "all":
        return None
    return FEWEST if engine.is_slow or variant is not stopped.variants[0] else FEW


def test_every_design_whose_writes_leave_intents_names_its_writes() -> None:
    with_intents = {design.name for design in all_designs() if any(map(holds_intents, design.main.tables))}
    assert with_intents == set(STOPPED)


@each_variant
def test_a_write_makes_as_many_calls_that_change_the_store_as_it_promises(
    crashes: CrashTests, stopped: StoppedWrites, variant: Opened
) -> None:
    promised = {write.name: write.promised_calls(variant.name) for write in stopped.writes}
    assert {name: calls for name, (calls, _) in crashes.points(stopped.writes).items()} == promised


# ---- some crash points of every write


@cases(FIRST)
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(
    crashes: CrashTests, write: Write
) -> None:
    check_a_stop_at_each_call(crashes, write, 2 * FEW if crashes.engine.is_slow else MANY, all_replies_lost=False)


@cases(OTHERS)
def test_a_writer_that_stops_in_any_other_variant_leaves_what_is_completed(
    crashes: CrashTests, write: Write, few: int | None
) -> None:
    check_a_stop_at_each_call(crashes, write, few)


@cases(recovered=True)
def test_a_recoverer_may_die_or_pause_at_any_call_too(crashes: CrashTests, write: Write, few: int | None) -> None:
    check_a_crash_of_the_recoverer_too(crashes, write, few)


@cases(recovered=True)
@pytest.mark.parametrize("keeps_tombstones", [True, False], ids=["kept", "dropped"])
def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(
    crashes: CrashTests, write: Write, keeps_tombstones: bool, few: int | None
) -> None:
    check_a_pause_at_each_call(crashes, write, few, compacts=True, keeps_tombstones=keeps_tombstones)
    if few is None:
        check_a_pause_at_each_call(crashes, write)


@cases(recovered=True)
def test_a_call_that_arrives_after_all_is_over_changes_nothing(
    crashes: CrashTests, write: Write, few: int | None
) -> None:
    check_late_calls(crashes, write, few)


@cases(FIRST, recovered=True)
def test_two_writers_at_once_are_as_one_after_the_other(crashes: CrashTests, write: Write) -> None:
    check_rivals(crashes, write, FEWEST if crashes.engine.is_slow else FEW)


@each_variant
def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(
    crashes: CrashTests, stopped: StoppedWrites
) -> None:
    if stopped.often:
        assert check_a_store_that_fails_often(crashes, stopped.often, stopped.often_every) > 5


# ---- all of them


@pytest.mark.long
@cases(FIRST)
def test_every_write_may_stop(crashes: CrashTests, write: Write) -> None:
    assert check_a_stop_at_each_call(crashes, write) == len(crashes.clean(write).points)


@pytest.mark.long
@cases(recovered=True)
def test_every_write_may_meet_another_one_and_die(crashes: CrashTests, write: Write) -> None:
    check_rivals(crashes, write)
    check_rivals(crashes, write, dies=True, compacts=True)
