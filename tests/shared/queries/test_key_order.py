"""The order of a scan and the order that is asked for: sorted where they differ, never where they agree."""

from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shared.keys import (
    Descending,
    EscapedText,
    HashPrefix,
    Int16,
    InvalidQuestion,
    KeyLayout,
    Plan,
    Rest,
    ReversedDigits,
    Salt,
    Slice,
    TimeBucket,
    UInt8,
    UInt16,
    any_of,
    between,
    part,
    row_key,
)
from shared.keys.conditions import matcher
from shared.queries.key_order import direction
from shared.tables import ItemCells, RecordCells, TableLayout
from tests.engines import examples
from tests.shared.queries.paging import records_of
from tests.shared.queries.wide import pages_of
from tests.shared.stocked import query_of


@attrs.frozen
class Event:
    host: str
    at_s: int
    number: int


HOSTS, TIMES, NUMBERS = ("a", "b", "c"), (0, 1, 4, 5, 6), (12, 21)
EVENTS = [Event(*values) for values in product(HOSTS, TIMES, NUMBERS)]
"""Every event of a few values: times on both sides of the borders of slices, numbers whose digits turn their order."""

CODECS: dict[str, list[Any]] = {
    "host": [EscapedText, Descending(EscapedText)],
    "at_s": [Int16, Descending(Int16)],
    "number": [UInt16, Descending(UInt16), ReversedDigits(3)],
}


def key(names: tuple[str, ...], codecs: dict[str, Any]) -> type[Any]:
    return row_key(type("Key", (), {name: part(codecs[name], "drawn") for name in names}))


ORDERS = st.permutations(sorted(CODECS)).map(tuple)
DRAWN_CODECS = st.fixed_dictionaries({name: st.sampled_from(codecs) for name, codecs in CODECS.items()})
SALTS: st.SearchStrategy[list[Any]] = st.sampled_from(
    [[], [], [Salt(of="host", buckets=3)], [HashPrefix(of="host", bytes=2)]]
)
BUCKETS: st.SearchStrategy[list[Any]] = st.sampled_from([[], [], [TimeBucket(of="at_s", every_ms=2, codec=UInt8)]])


@st.composite
def tables(draw: st.DrawFn) -> TableLayout[Any, Event]:
    """Tables of one event in a row, or of those of a slice of time in a row."""
    names, codecs = draw(ORDERS), draw(DRAWN_CODECS)
    salts, buckets = draw(SALTS), draw(BUCKETS)
    in_row = draw(st.integers(1, 3))
    prefixes = [*salts, *buckets] if in_row == 3 else []
    if in_row == 3:
        cells: Any = RecordCells(Event, {}, marker="f:v")
        return TableLayout("t", "an event", KeyLayout(key(names, codecs), *prefixes), cells)
    of_row, of_cell = names[:in_row], names[in_row:]
    if "at_s" in of_row and draw(st.booleans()):
        of_cell = tuple(draw(st.permutations([*of_cell, "at_s"])))
        turned = Descending if codecs["at_s"].descending else (lambda codec: codec)
        row_codecs = codecs | {"at_s": turned(Slice(Int16, 3))}
        cell_codecs = codecs | {"at_s": turned(Rest(UInt8, 3))}
    else:
        row_codecs = cell_codecs = codecs
    of = [prefix for prefix in prefixes if set(getattr(prefix, "of", ())) <= set(of_row)]
    cells = ItemCells(Event, "f", KeyLayout(key(of_cell, cell_codecs)))
    return TableLayout("t", "an event", KeyLayout(key(of_row, row_codecs), *of), cells)


# No condition leaves so few values that they are in an order by chance.
CONDITIONS: dict[str, list[Any]] = {
    "host": ["a", any_of(["a", "b"]), any_of(["b", "a"], merged=True), between("a", None)],
    "at_s": [4, between(0, 6), between(None, 5), any_of([0, 1, 4]), any_of([1, 5], merged=True), between(4, None)],
    "number": [12, between(5, 30), any_of([12, 21]), any_of([12, 21], merged=True)],
}
QUESTIONS = st.dictionaries(st.sampled_from(sorted(CONDITIONS)), st.integers(0, 5), max_size=3).map(
    lambda drawn: {name: CONDITIONS[name][number % len(CONDITIONS[name])] for name, number in drawn.items()}
)


def plan_of(table: TableLayout[Any, Event], question: dict[str, Any]) -> Plan:
    try:
        return table.narrow(**question) if question else table.whole_table()
    except InvalidQuestion:
        assume(False)
        raise


def matching(question: dict[str, Any]) -> list[Event]:
    return [
        event
        for event in EVENTS
        if all(matcher(condition)(getattr(event, name)) for name, condition in question.items())
    ]


@st.composite
def orders(draw: st.DrawFn) -> KeyLayout[Any]:
    names, codecs = draw(ORDERS), draw(DRAWN_CODECS)
    names = names[: draw(st.integers(1, 3))]
    bucket = [TimeBucket(of="at_s", every_ms=2, codec=UInt8)] if "at_s" in names and draw(st.booleans()) else []
    return KeyLayout(key(names, codecs), *bucket)


@settings(max_examples=examples(50), derandomize=True, database=None)
@given(tables(), QUESTIONS, orders(), st.sampled_from([None, True, False]), st.sampled_from([2, 7, 50]))
def test_records_come_in_the_order_that_is_asked_for(engine, table, question, order, newest_first, limit):
    plan = plan_of(table, question)
    with engine.store(table) as connection:
        rows = connection.table("t")
        with rows.batch() as batch:
            for event in EVENTS:
                batch.put(table.row(event), table.cells.pack(event))
        query = query_of(rows, table, plan, order=order, newest_first=newest_first)
        pages = pages_of(query, limit)
        records = records_of(pages)
        sorted_, _ = direction(table, plan, order, newest_first)
        by_order = scanned_reversed(order, question, newest_first)
        assert sorted(records, key=str) == sorted(matching(question), key=str)
        places = [order.row_of(record) for record in records]
        assert sorted(places, reverse=by_order) == places
        assert ("order" in pages[0].client_work) == (sorted_ is not None)
        if sorted_ is not None:  # each page reads the whole plan
            assert [len(page.records) for page in pages[:-1]] == [limit] * (len(pages) - 1)
            assert len({page.rows_read for page in pages}) == 1
        unsorted = list(query_of(rows, table, plan))
    # Where every part has an order, the client sorts only what the scan does not give already; the values are too few
    # to tell that of a question with three conditions, or of an order by slices of time.
    qualifier = table.cells.qualifier.parts if isinstance(table.cells, ItemCells) else ()
    is_ordered = all(part.codec.ordered for part in (*order.parts, *table.key.parts, *qualifier))
    if sorted_ is not None and is_ordered and len(question) < 3 and order.time_bucket is None:
        for scan in (unsorted, unsorted[::-1]):
            places = [order.row_of(record) for record in scan]
            assert len(set(places)) <= 1 or sorted(places, reverse=by_order) != places


@pytest.mark.parametrize(("of", "parts"), [((), "host"), (("at_s", "host"), "host and at_s")])
def test_newest_first_of_rows_in_the_order_of_a_hash_is_refused(of, parts):
    table = event_table(HashPrefix(of="host", bytes=2), *([HashPrefix(of=of, bytes=2)] if of else []))
    for newest_first in (True, False):
        with pytest.raises(InvalidQuestion) as refused:
            direction(table, table.whole_table(), None, newest_first)
        assert str(refused.value) == (
            "newest_first: rows of HostAndTime come in the order of a hash; "
            f"give in_order_of before, or a value for {parts}"
        )


def test_rows_in_the_order_of_a_hash_have_a_direction_with_an_order_or_a_value():
    table = event_table(HashPrefix(of="host", bytes=2))
    everything = table.whole_table()
    order = KeyLayout(table.key.key_class)
    assert direction(table, everything, None, None) == (None, False)
    assert direction(table, everything, order, True) == (order, True)
    assert direction(table, table.plan(host="a"), None, True) == (None, True)
    assert direction(table, table.plan(host="a", at_s=4, number=12), None, True) == (None, False)
    listed = event_table(HashPrefix(of="host", bytes=1))
    assert direction(listed, listed.whole_table(), None, True) == (None, True)


def test_an_order_that_a_scan_has_in_reverse_is_not_sorted():
    table = event_table()
    turned = KeyLayout(key(tuple(CODECS), {name: codecs[1] for name, codecs in CODECS.items()}))
    assert direction(table, table.whole_table(), turned, None) == (None, True)


def event_table(*prefixes: Any) -> TableLayout[Any, Event]:
    key_class = type("HostAndTime", (), {name: part(CODECS[name][0], "drawn") for name in ("host", "at_s", "number")})
    return TableLayout("t", "an event", KeyLayout(row_key(key_class), *prefixes), RecordCells(Event, {}, marker="f:v"))


def scanned_reversed(order: KeyLayout[Any], question: dict[str, Any], newest_first: bool | None) -> bool:
    """Whether `newest_first` turns an order: the first value that a question leaves open decides."""
    names = [order.time_bucket.of] if order.time_bucket else []
    is_open = [
        name
        for name in (*names, *order.part_named)
        if isinstance(question.get(name, between()), type(between())) or isinstance(question[name], type(any_of([])))
    ]
    return newest_first is not None and bool(is_open) and newest_first != order.part_named[is_open[0]].codec.descending
