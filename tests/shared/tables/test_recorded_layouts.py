"""The key layouts of tables are recorded beside them: another layout under the same name is refused, by every caller.

The losses without that: 52 of 200 rows found after 8 buckets became 32, none after an hour became a day.
"""

import json
import warnings
from functools import partial
from types import SimpleNamespace

import attrs
import pytest
from Hbase_thrift import IOError

from shared.keys import (
    Code,
    DateTime,
    Descending,
    EscapedText,
    Int64,
    KeyLayout,
    Prefixed,
    Rest,
    Salt,
    Slice,
    TimeBucket,
    UInt32,
)
from shared.queries import Query
from shared.stores import connect
from shared.tables import (
    BoundTable,
    Column,
    Family,
    InvalidRecord,
    ItemCells,
    LayoutMismatch,
    RecordCells,
    TableLayout,
    UnrecordedLayout,
    create_tables,
    creation,
    drop_tables,
    recorded_layouts,
)
from shared.tables.adopting import adopt_tables
from shared.tables.recorded_layouts import RECORDS, json_of, merged_layouts, read_cell, recorded_in
from shared.testing import paused_at_call
from shared.writes import put_all
from shared.writes.dated_cells import put_rows
from tests.shared.processes import Process
from tests.shared.specimens import Level, key_class
from tests.shared.tables.records import record_class

HOUR_MS, DAY_MS = 3_600_000, 86_400_000


ByHost = key_class("ByHost", host=EscapedText, time_ms=Int64)


@attrs.frozen
class Event:
    host: str
    time_ms: int
    text: str = ""


def events(*prefixes, name="events", **columns):
    cells = RecordCells(Event, columns or {"text": Column("e:t")})
    return TableLayout(name, "an event", KeyLayout(ByHost, *prefixes), cells)


def salted(buckets, name="events"):
    return events(Salt(of="host", buckets=buckets), name=name)


Point = record_class("Point", host=str, time_ms=int)


def points(every_ms):
    period = key_class("Period", host=EscapedText, time_ms=Slice(Int64, every_ms))
    within = key_class("Within", time_ms=Rest(UInt32, every_ms))
    return TableLayout("points", "a period", KeyLayout(period), ItemCells(Point, "p", KeyLayout(within)))


def by_status(codes, label=""):
    codec = Prefixed(label, Code(codes)) if label else Code(codes)
    by_status_first = key_class("ByStatus", status=codec, host=EscapedText)
    line = record_class("Line", status=str, host=str)
    return TableLayout("lines", "a line", KeyLayout(by_status_first), RecordCells(line, {}, marker="l:x"))


def by_time(codec):
    of_time = key_class("ByTime", at=codec)
    return TableLayout("times", "a time", KeyLayout(of_time), RecordCells(of_time, {}, marker="t:x"))


def put(connection, table, *records):
    """Stores records as they are, without any comparison."""
    with connection.table(table.name).batch() as batch:
        for record in records:
            batch.put(table.row(record), table.cells.pack(record))


@pytest.fixture
def connection(engine):
    with engine.store() as connection:
        yield connection


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "wanted", "given"),
    [
        (salted(8), salted(32), "Salt(of=part 1, buckets=8), EscapedText", "Salt(of=part 1, buckets=32), EscapedText"),
        (points(HOUR_MS), points(DAY_MS), "Slice(Int64, 3600000); qualifier", "Slice(Int64, 86400000); qualifier"),
        (points(DAY_MS), points(HOUR_MS), "Slice(Int64, 86400000); qualifier", "Slice(Int64, 3600000); qualifier"),
        (events(), events(TimeBucket("time_ms", DAY_MS)), "row EscapedText", "row TimeBucket(of=part 2, every_ms="),
        (by_status({"a": 1}), by_status({"a": 2}), "Code, EscapedText of 01 a", "Code, EscapedText of 02 a"),
        (by_status({"a": 1}), by_status({"b": 1}), "of 01 a", "of 01 b"),
        (by_status({Level.LOW: 1}), by_status({Level.LOW: 2}), "Code, EscapedText of 01 LOW", "of 02 LOW"),
        (by_time(Int64), by_time(DateTime), "row Int64", "row DateTime)"),
        (by_time(Descending(DateTime)), by_time(DateTime), "row Descending(DateTime)", "row DateTime)"),
    ],
)
def test_another_layout_under_the_same_name_is_refused_in_words_that_name_both(connection, old, new, wanted, given):
    create_tables(connection, [old])
    with pytest.raises(LayoutMismatch) as refused:
        create_tables(connection, [new])
    message = str(refused.value)
    assert "\n" not in message
    assert message.startswith(f"table {old.name}: its keys are row ")
    before, _, after = message.partition(" (the declared layout makes ")
    assert wanted in before
    assert given in after
    create_tables(connection, [old])


def test_the_members_of_an_enum_are_recorded_by_their_names(connection):
    create_tables(connection, [by_status({Level.LOW: 1})])
    create_tables(connection, [by_status({"LOW": 1, "HIGH": 0})])  # the same bytes, as text
    create_tables(connection, [by_status({Level.HIGH: 0})])


CALLS = {
    "page": lambda connection, table: Query(BoundTable(connection, table), table.plan(host="a")).page(),
    "first": lambda connection, table: Query(BoundTable(connection, table), table.plan(host="a", time_ms=1)).first(),
    "iteration": lambda connection, table: [*Query(BoundTable(connection, table), table.whole_table())],
    "put_all": lambda connection, table: put_all([Event("a", 1)], BoundTable(connection, table)),
    "put_rows": lambda connection, table: put_rows(BoundTable(connection, table).rows, [(b"a", {b"e:t": b""})], 1),
}


# ---- tables that other processes make meanwhile --------------------------------------------------


def outcome(run):
    """Whether a process is not refused."""
    try:
        run()
    except (LayoutMismatch, IOError):
        return False
    return True


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("creates_first", [True, False])
def test_of_two_layouts_only_one_is_accepted_whenever_the_table_is_created(connection, call, creates_first):
    """One process creates the table, another one uses it without: each in turn runs before a call of the other one."""
    programs = [lambda process: create_tables(process, [salted(32)]), lambda process: CALLS[call](process, salted(8))]
    first, second = programs if creates_first else reversed(programs)
    number, ended = 0, False
    while not ended:
        drop_tables(connection, [salted(8)])
        answers = []

        def meanwhile(answers=answers):
            answers.append(outcome(partial(second, Process(connection))))

        process = Process(connection, before_call=paused_at_call(number, meanwhile))
        answers.append(outcome(partial(first, process)))
        ended = process.number_of_calls <= number
        assert ended or answers.count(True) == 1
        number += 1
    assert number > 1


class Clock:
    """The monotonic clock, which a test moves."""

    def __init__(self, monkeypatch):
        self.now_s = 1000.0
        monkeypatch.setattr(recorded_layouts, "COMPARED_FOR_S", 600)  # as outside of tests
        # The store's scanners have the true one: it is less than 1,000 s on a machine that has just started.
        monkeypatch.setattr(recorded_layouts, "time", SimpleNamespace(monotonic=lambda: self.now_s))


@pytest.mark.parametrize("call", CALLS)
def test_a_table_that_is_made_anew_is_noticed_within_ten_minutes(connection, monkeypatch, call):
    clock = Clock(monkeypatch)
    create_tables(connection, [salted(8)])
    process = Process(connection)
    CALLS[call](process, salted(8))
    drop_tables(connection, [salted(8)])
    create_tables(connection, [salted(32)])
    clock.now_s += recorded_layouts.COMPARED_FOR_S - 1
    CALLS[call](process, salted(8))  # not noticed yet
    clock.now_s += 1
    for _ in range(2):
        with pytest.raises(LayoutMismatch):
            CALLS[call](process, salted(8))


def test_comparing_again_costs_one_get_for_each_table_and_one_call_in_ten_minutes(connection, monkeypatch):
    clock = Clock(monkeypatch)
    unrecorded(connection, events(), Event("a", 1))
    tables = [salted(8, "salted"), by_status({"a": 1})]
    create_tables(connection, tables)
    process, calls = Process(connection), list[int]()
    for time in range(3):
        for _ in range(2):
            before = process.number_of_calls
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if time == 0 else "error", UnrecordedLayout)
                recorded_layouts.check_layouts(process, [*tables, events()])
            calls.append(process.number_of_calls - before)
        clock.now_s += recorded_layouts.COMPARED_FOR_S
    assert calls == [4, 0, 4, 0, 4, 0]


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[]", b"\xff"], ids=repr)
def test_a_record_that_cannot_be_read_is_refused_in_one_line(connection, damage):
    create_tables(connection, [salted(8)])
    row = recorded_layouts.record_row(connection, salted(8).name)
    connection.table(RECORDS.name).put(row, {b"l:l": damage})
    with pytest.raises(InvalidRecord, match="l:l: must be layouts as JSON"):
        recorded_layouts.check_layouts(Process(connection), [salted(8)])


# ---- what is compatible --------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["", "s-"])
def test_added_codes_are_compatible_and_recorded(connection, label):
    create_tables(connection, [by_status({"paid": 2, "new": 1}, label)])
    create_tables(connection, [by_status({"new": 1, "paid": 2}, label)])
    create_tables(connection, [by_status({"new": 1, "paid": 2, "sent": 3}, label)])
    create_tables(connection, [by_status({"new": 1, "paid": 2}, label)])  # a process of an earlier release
    for other in ({"new": 1, "lost": 3}, {"new": 1, "sent": 2}, {"new": 2, "paid": 1}):
        with pytest.raises(LayoutMismatch, match="01 new, 02 paid, 03 sent"):
            create_tables(connection, [by_status(other, label)])


def test_names_of_classes_and_parts_do_not_count():
    key = KeyLayout(key_class("OtherName", server=EscapedText, at_ms=Int64), Salt(of=("server", "at_ms"), buckets=8))
    cells = RecordCells(record_class("Visit", server=str, at_ms=int), {}, marker="e:x")
    renamed = TableLayout("events", "a visit", key, cells)
    assert renamed.format == events(Salt(of=("host", "time_ms"), buckets=8)).format
    assert renamed.format.text == "row Salt(of=parts 1 and 2, buckets=8), EscapedText, Int64"


def test_the_text_of_a_format_is_the_same_whatever_characters_python_can_print():
    table = by_status({"bezahlt: ä\U0001f600": 1}, "\u0378ä")  # no character yet has the code 0378
    assert table.format.text == r"row Prefixed('\u0378\xe4', Code), EscapedText"
    assert recorded_in(json_of(merged_layouts("lines", (), [table]), is_created=True))[0].format == table.format
    assert json_of(merged_layouts("lines", (), [table]), is_created=True).isascii()


def test_cells_may_be_added_and_are_recorded(connection):
    create_tables(connection, [events(text=Column("e:t"))])
    create_tables(connection, [events(text=Column("e:u"))])  # without the cell of the first: not comparable
    both = attrs.evolve(events(), cells=RecordCells(Event, {"text": Column("e:t")}))
    create_tables(connection, [both])
    claims = [
        sorted(column for column, _ in layout.claims) for layout in recorded_in(read_cell(connection, "events") or b"")
    ]
    assert claims == [[b"e:t"], [b"e:u"]]


def test_layouts_that_share_a_table_are_compared_each_with_its_own(connection):
    table = attrs.evolve(points(HOUR_MS), families=FAMILIES)
    changes = {"cells": RecordCells(Event, {"text": Column("q:t")}), "families": FAMILIES, "splits": table.splits}
    other = attrs.evolve(salted(8), name="points", **changes)
    create_tables(connection, [table])
    create_tables(connection, [other])
    create_tables(connection, [table, other])
    for changed in (attrs.evolve(points(DAY_MS), families=FAMILIES), attrs.evolve(other, key=salted(32).key)):
        with pytest.raises(LayoutMismatch):
            create_tables(connection, [changed])


FAMILIES = {"p": Family(), "q": Family()}


# ---- tables that are dropped, made anew, or made by others ---------------------------------------


def test_a_dropped_table_leaves_no_record(connection):
    create_tables(connection, [salted(8), by_status({"a": 1})])
    drop_tables(connection, [salted(8)])
    assert [row.rpartition(b"_")[2] for row, _ in connection.table(RECORDS.name).scan()] == [b"lines"]
    create_tables(connection, [salted(32)])
    drop_tables(connection, [salted(32), by_status({"a": 1})])
    assert (connection.tables(), list(connection.table(RECORDS.name).scan())) == ([RECORDS.name.encode()], [])
    drop_tables(connection, [RECORDS])
    assert connection.tables() == []


@pytest.mark.parametrize("left", [salted(8), salted(32)], ids=["the-same", "another"])
def test_of_two_layouts_only_one_is_accepted_if_a_record_was_left_without_its_table(connection, left):
    """As after the HBase shell has dropped the table: whatever the record was, it may have the same bytes again."""
    number, ended = 0, False
    while not ended:
        create_tables(connection, [left])
        connection.delete_table("events", disable=True)
        recorded_layouts.forget_compared(connection, "events")
        answers = []

        def meanwhile(answers=answers):
            answers.append(outcome(partial(create_tables, Process(connection), [salted(8)])))

        process = Process(connection, before_call=paused_at_call(number, meanwhile))
        answers.append(outcome(partial(create_tables, process, [salted(32)])))
        ended = process.number_of_calls <= number
        assert ended or answers.count(True) == 1
        connection.delete_table("events", disable=True)
        number += 1
    assert number > 1


def test_a_process_that_died_before_it_created_the_table_leaves_nothing_in_the_way(connection, monkeypatch):
    create_tables(connection, [by_status({"a": 1})])
    monkeypatch.setattr(creation, "_create", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        create_tables(connection, [salted(8)])
    assert json.loads(read_cell(connection, "events"))["is_created"] is False
    monkeypatch.undo()
    create_tables(connection, [salted(32)])
    assert json.loads(read_cell(connection, "events"))["is_created"] is True
    with pytest.raises(LayoutMismatch):
        create_tables(connection, [salted(8)])


def test_a_program_that_only_uses_tables_confirms_a_record_before_another_process_can_replace_it(
    connection, monkeypatch
):
    """One has created a table and not confirmed its record; one has seen no table; a third one uses the table."""
    create_tables(connection, [salted(8)])
    connection.delete_table("events", disable=True)
    recorded_layouts.forget_compared(connection, "events")
    cell = read_cell(connection, "events")
    unconfirmed = json_of(recorded_in(cell or b""), is_created=False)
    assert recorded_layouts.replace_cell(connection, "events", cell, unconfirmed)
    replace = recorded_layouts.replace_cell

    def replace_late(*arguments, **options):
        monkeypatch.undo()
        connection.create_table("events", {"e": Family().options})
        put_all([Event("a", 1)], BoundTable(connection, salted(8)))
        return replace(*arguments, **options)

    monkeypatch.setattr(recorded_layouts, "replace_cell", replace_late)
    with pytest.raises(LayoutMismatch, match=r"buckets=8\).* \(the declared layout makes .*buckets=32\)"):
        create_tables(connection, [salted(32)])
    assert json.loads(read_cell(connection, "events") or b"")["is_created"] is True


def test_the_prefix_of_a_connection_separates_records():
    connection = connect("embedded:", table_prefix="a")
    create_tables(connection, [salted(8)])
    connection.table_prefix = b"b"
    create_tables(connection, [salted(32)])
    connection.table_prefix = None
    assert [row for row, _ in connection.table("a_rowbook_layouts").scan()] == [b"a_events"]
    connection.table_prefix = b"a"
    with pytest.raises(LayoutMismatch):
        Query(BoundTable(connection, salted(32)), salted(32).plan(host="a")).page()


def test_a_table_without_a_record_is_read_with_a_warning(connection):
    unrecorded(connection, events(), Event("a", 1))
    with pytest.warns(UnrecordedLayout, match="^table events: the store has no record of its key layout"):
        assert Query(BoundTable(connection, events()), events().plan(host="a")).page().records == [Event("a", 1)]
    Query(BoundTable(connection, events()), events().plan(host="a")).page()  # without another one
    with pytest.warns(UnrecordedLayout):
        create_tables(connection, [events()])
    assert connection.tables() == [b"events"]


def test_a_store_that_may_only_be_read_is_read(tmp_path):
    path = tmp_path / "events.db"
    connection = connect(f"embedded:{path}")
    create_tables(connection, [salted(8)])
    put(connection, salted(8), Event("a", 1))
    connection.close()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        reading = connect(f"embedded:{path}")
        create_tables(reading, [salted(8)])
        assert Query(BoundTable(reading, salted(8)), salted(8).plan(host="a")).count() == 1
        with pytest.raises(LayoutMismatch):
            create_tables(reading, [salted(32)])
    finally:
        tmp_path.chmod(0o755)


def test_a_table_of_another_program_needs_no_record(connection):
    foreign = attrs.evolve(events(), is_recorded=False)
    create_tables(connection, [foreign])
    assert connection.tables() == [b"events"]
    create_tables(connection, [attrs.evolve(foreign, key=KeyLayout(ByHost, TimeBucket("time_ms", DAY_MS)))])


# ---- adopting ------------------------------------------------------------------------------------


def unrecorded(connection, table, *records):
    """Makes a table with rows as an earlier release did."""
    create_tables(connection, [attrs.evolve(table, is_recorded=False)])
    put(connection, table, *records)


MANY = [Event(f"web-{number}", 1_700_000_000_000 + number) for number in range(200)]


def test_adopted_tables_are_compared_from_then_on(connection):
    unrecorded(connection, salted(8), *MANY)
    (adopted,) = adopt_tables(connection, [salted(8)])
    assert (adopted.table, adopted.rows, adopted.also_fits, adopted.is_new) == ("events", 200, (), True)
    (again,) = adopt_tables(connection, [salted(8)])
    assert not again.is_new
    create_tables(connection, [salted(8)])
    with pytest.raises(LayoutMismatch):
        create_tables(connection, [salted(32)])


@pytest.mark.parametrize(
    ("old", "new", "format_"),
    [
        *((salted(buckets), salted(8), r"Salt\(of=part 1, buckets=8\), ") for buckets in (4, 7, 16, 32)),
        (points(HOUR_MS), points(DAY_MS), r"EscapedText, Slice\(Int64, 86400000\); "),
        (points(DAY_MS), points(HOUR_MS), r"EscapedText, Slice\(Int64, 3600000\); "),
    ],
)
def test_rows_of_another_layout_are_not_adopted(connection, old, new, format_):
    records = MANY if old.name == "events" else [Point("a", hour * HOUR_MS + 1) for hour in range(48)]
    unrecorded(connection, old, *records)
    with pytest.raises(LayoutMismatch, match=rf"^table {old.name}: row .* is not of row {format_}"):
        adopt_tables(connection, [new])
    assert RECORDS.name.encode() not in connection.tables()


def test_rows_without_a_declared_column_are_not_adopted(connection):
    unrecorded(connection, salted(32), *MANY)
    other = attrs.evolve(salted(8), cells=events(text=Column("e:other")).cells)
    with pytest.raises(LayoutMismatch, match=r"^table events: has rows, but none has a cell of e:other$"):
        adopt_tables(connection, [other])
    assert RECORDS.name.encode() not in connection.tables()


def test_adopting_says_what_else_fits_the_rows(connection):
    host = next(host for host in (f"web-{number}" for number in range(99)) if salted(256).row(Event(host, 1))[0] < 8)
    unrecorded(connection, salted(32), Event(host, 1))
    ((fit,),) = (adopted.also_fits for adopted in adopt_tables(connection, [salted(32)]))
    assert fit.startswith("Salt(of='host', buckets=32) with 8, 16, ") or "and" in fit


def test_midnight_rows_fit_slices_of_hours_and_days(connection):
    unrecorded(connection, points(HOUR_MS), Point("a", 3 * DAY_MS), Point("a", 5 * DAY_MS + 25 * 60_000))
    ((fit,),) = (adopted.also_fits for adopted in adopt_tables(connection, [points(HOUR_MS)]))
    assert fit == (
        "slices of time_ms of 1800000, 7200000, 10800000, 14400000, 21600000, 28800000, 43200000, 86400000 instead of"
        " 3600000"
    )


def test_a_record_of_another_layout_is_replaced_only_if_the_table_is_empty(connection):
    create_tables(connection, [salted(8)])
    (adopted,) = adopt_tables(connection, [salted(32)])
    assert (adopted.rows, adopted.is_new) == (0, True)
    put(connection, salted(32), *MANY)
    create_tables(connection, [salted(32)])
    with pytest.raises(LayoutMismatch):
        adopt_tables(connection, [salted(8)])
