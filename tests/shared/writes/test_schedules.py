"""Random schedules of writers that die, pause and lose replies, with clocks that differ, and what they were told."""

import random
from contextlib import closing

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import ClockSkew, intents
from shared.writes.server_clock import MAX_SKEW_MS
from shared.writes.slots import Slots
from tests.shared.writes.changing import DERIVED, ORDERS, TABLES, contradictions, differences, numbered
from tests.shared.writes.scheduling import PERMITTED_SKEW_MS, Schedule, SkewedClock

EPOCH = 250
"""Steps between two comparisons of the whole store."""


@pytest.fixture(autouse=True)
def own_slots(monkeypatch):
    """Slots of this test alone, because a slot remembers the latest time of its intents."""
    monkeypatch.setattr(intents, "SLOTS", Slots())


@pytest.mark.parametrize("compacts", [False, True], ids=["all tombstones stay", "compactions"])
@pytest.mark.parametrize("steps", [500, pytest.param(20_000, marks=pytest.mark.long)])
def test_no_schedule_contradicts_an_answer_or_loses_a_line(monkeypatch, capsys, steps, compacts):
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    schedule = Schedule(seed, compacts=compacts)
    schedule.patch(monkeypatch)
    writer = schedule.direct.orders.writer
    for step in range(1, steps + 1):
        schedule.step()
        assert schedule.lines_missing() == []
        if step % EPOCH == 0:
            schedule.settle()
            assert writer.pending() == []
            assert contradictions(writer, schedule.log.entries) == []
            found = differences(schedule.connection, writer, DERIVED)
            if compacts:  # a writer that went on after a compaction dropped a tombstone, and then died
                found = [difference for difference in found if "belongs to no record" not in difference]
            assert found == []
    with capsys.disabled():
        print(f"\nseed {seed}: {steps} steps, {len(schedule.log.entries)} answers, {dict(schedule.counts)}")


def test_a_seed_repeats_a_run():
    def run():
        with pytest.MonkeyPatch.context() as patch:
            schedule = Schedule(1, compacts=True)
            schedule.patch(patch)
            for _ in range(200):
                schedule.step()
            schedule.settle()
        tables = [schedule.connection.table(table.name) for table in TABLES]
        return schedule.log.entries, [list(table.scan(include_timestamp=True)) for table in tables]

    assert run() == run()


@pytest.mark.parametrize("skew_ms", [-MAX_SKEW_MS - 5_000, MAX_SKEW_MS + 5_000])
def test_a_writer_whose_clock_is_too_far_off_writes_nothing(skew_ms):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        orders = OrderRepository(connection, clock=SkewedClock(skew_ms))
        with pytest.raises(ClockSkew):
            orders.place(numbered(1))
        assert [list(connection.table(table.name).scan()) for table in (ORDERS, *DERIVED)] == [[]] * 4
        assert orders.upkeep.pending() == []


@pytest.mark.parametrize("skew_ms", [-PERMITTED_SKEW_MS, PERMITTED_SKEW_MS])
def test_the_next_change_is_seen_whatever_the_permitted_skew_of_the_one_before(skew_ms):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        OrderRepository(connection, clock=SkewedClock(skew_ms)).place(numbered(1))
        orders = OrderRepository(connection, clock=SkewedClock(-skew_ms))
        orders.cancel("n-1")
        assert differences(connection, orders.writer, DERIVED) == []
        assert [line.status for line in orders.of_seller("s-1")] == ["cancelled"]
