"""Records that are older than a TTL: refused before any is put, by the server's clock, unless allowed."""

import attrs
import pytest

from shared.designs import metered
from shared.keys import EscapedText, Int64, KeyLayout
from shared.stores import connect
from shared.tables import BoundTable, Column, Family, OtherColumns, RecordCells, TableLayout, create_tables
from shared.tables.recorded_layouts import RECORDS, read_cell, record_row
from shared.writes import ClockSkew, Expired, allow_expired, put_all, refuse_expired
from shared.writes.expiring import CLOCK_COLUMN, ExpiredRecord, expired
from shared.writes.server_clock import CHECKED_FOR_MS
from tests.shared.intents.clocks import SetClock, now_ms
from tests.shared.specimens import key_class

DAY_S = 86_400
DAY_MS = DAY_S * 1000


ByHost = key_class("ByHost", host=EscapedText, time_ms=Int64)


@attrs.frozen
class Event:
    host: str
    time_ms: int
    text: str = "x"
    more: dict[str, str] = attrs.field(factory=dict[str, str])


CELLS = RecordCells(Event, {"text": Column("t:t"), "more": OtherColumns("m")})


def events(name="events", is_recorded=True, **ttls):
    families = {family: Family(ttl_seconds=ttls.get(family)) for family in ("t", "m")}
    return TableLayout(name, "an event", KeyLayout(ByHost), CELLS, families, is_recorded=is_recorded)


FOREVER, DAY = events("forever"), events("day", t=DAY_S, m=DAY_S)


def aged(*days):
    """Events of so many days ago."""
    now = now_ms()
    return [Event("a", now - int(age * DAY_MS)) for age in days]


def opened(*tables):
    """A store in memory with these tables, and the tables."""
    connection = connect("embedded:")
    create_tables(connection, tables)
    return connection, [BoundTable(connection, table) for table in tables]


def test_a_batch_with_expired_records_is_refused_whole_and_the_first_is_named_unless_they_are_allowed(new_store):
    connection = new_store(DAY)
    table = BoundTable(connection, DAY)
    batch = aged(0, 365, 0.9, 2)
    with pytest.raises(Expired) as refused:
        put_all(batch, table)
    assert str(refused.value) == (
        f"Event: must be dated less than 86,400 s ago, the TTL of table day, family t (got {batch[1].time_ms}, record "
        "2 of 4): 2 would expire at once; allow_expired stores such records all the same"
    )
    why = ExpiredRecord("day", "t", DAY_S, is_whole=True)
    assert refused.value.expired == {1: why, 3: why}
    assert list(table.rows.scan()) == []
    put_all([batch[0]], table)
    assert len(list(table.rows.scan())) == 1
    allow_expired(connection)
    put_all(batch, table)
    assert len(list(table.rows.scan())) == 2, "what is expired is never seen"


@pytest.mark.parametrize(
    ("ttls", "days", "why"),
    [
        ({"t": DAY_S}, 2, ("t", DAY_S, False)),
        ({"t": 3 * DAY_S, "m": DAY_S}, 2, ("m", DAY_S, False)),
        ({"t": 3 * DAY_S, "m": DAY_S}, 4, ("m", DAY_S, True)),
        ({"t": 2**31 - 1, "m": -1}, 4, None),
    ],
    ids=["one family", "the shorter one", "both", "none"],
)
def test_a_record_may_expire_in_part(ttls, days, why):
    found = expired(aged(0, days), [events(**ttls)], now_ms())
    assert found == ({} if why is None else {1: ExpiredRecord("events", *why)})


def test_the_last_millisecond_counts_as_expired():
    assert [*expired([Event("a", 1000), Event("a", 1001)], [events(t=1)], 2000)] == [0]
    assert [*expired([Event("a", 1)], [events(t=1)], 1002, lambda _event: 3)] == []


def test_without_a_ttl_no_call_is_added_and_with_one_two_in_ten_minutes(machine):
    connection, (forever, day) = opened(FOREVER, DAY)

    def calls(table):
        with metered(connection) as cost:
            put_all([Event("a", machine.now_ms)], table)
        return cost.rpcs

    first = calls(forever), calls(day)
    assert first[1] == first[0] + 2
    assert (calls(forever), calls(day)) == (1, 1)
    machine.passes(CHECKED_FOR_MS)
    assert (calls(forever), calls(day), calls(day)) == (1, 3, 1)
    with metered(connection) as cost:
        refuse_expired([], day)
    assert cost.rpcs == 0


@pytest.mark.parametrize("ahead_ms", [2 * DAY_MS, -2 * DAY_MS])
def test_a_wrong_clock_neither_refuses_nor_loses_a_record(monkeypatch, ahead_ms):
    _, (table,) = opened(DAY)
    monkeypatch.setattr("shared.writes.expiring.CLOCK", SetClock(ahead_ms))
    with pytest.raises(ClockSkew):
        put_all(aged(0), table)


def test_a_table_that_the_store_has_no_record_of_counts_by_the_writers_own_clock(monkeypatch):
    foreign = events("foreign", is_recorded=False, t=DAY_S)
    connection, (table,) = opened(foreign)
    assert connection.tables() == [b"foreign"]
    put_all(aged(0), table)
    monkeypatch.setattr("shared.writes.expiring.CLOCK", SetClock(2 * DAY_MS))
    with pytest.raises(Expired):
        put_all(aged(0), table)


def test_the_cell_that_compares_clocks_is_no_record_of_a_layout(new_store):
    connection = new_store(DAY)
    put_all(aged(0), BoundTable(connection, DAY))
    row = record_row(connection, RECORDS.name)
    assert connection.table(RECORDS.name).row(row) == {CLOCK_COLUMN: b"1"}
    assert read_cell(connection, RECORDS.name) is None  # what each release asks for
    create_tables(connection, [DAY, FOREVER])
    assert read_cell(connection, FOREVER.name) is not None
