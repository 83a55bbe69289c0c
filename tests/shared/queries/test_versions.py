"""Records as of a time, and the newest versions of one: what a plain list of all puts says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import Descending, EscapedText, Int64, InvalidQuestion, KeyLayout, Rest, Salt, Slice, UInt32
from shared.queries import Query, Versions, equal
from shared.queries.query import LAST_AS_OF_MS
from shared.queries.versions import Version
from shared.tables import (
    TEXT,
    BoundTable,
    Column,
    Family,
    InvalidRow,
    ItemCells,
    OtherColumns,
    RecordCells,
    TableLayout,
)
from tests.engines import Engine, examples
from tests.shared.queries.paging import records_of
from tests.shared.queries.wide import pages_of
from tests.shared.specimens import HOUR_MS, key_class

ByOwner = key_class("ByOwner", owner=EscapedText, at_ms=Descending(Int64))
KEPT = 4
FAMILIES = {"d": Family(max_versions=KEPT)}


@attrs.frozen
class Page:
    owner: str
    at_ms: int
    title: str
    state: str = "draft"


PAGE_CELLS = RecordCells(Page, {"title": Column("d:t", TEXT), "state": Column("d:s", TEXT)})
PAGES = TableLayout("pages", "a page", KeyLayout(ByOwner, Salt(of="at_ms", buckets=3)), PAGE_CELLS, FAMILIES)
PLAIN = TableLayout("plain", "a page", KeyLayout(ByOwner), PAGE_CELLS)

HourOf = key_class("HourOf", owner=EscapedText, at_ms=Slice(Int64, HOUR_MS))
WithinHour = key_class("WithinHour", at_ms=Rest(UInt32, HOUR_MS))
POINTS = TableLayout(
    "points", "an hour", KeyLayout(HourOf), ItemCells(Page, "d", KeyLayout(WithinHour), ("title", "state")), FAMILIES
)


@contextmanager
def stored(engine: Engine, table: TableLayout[Any, Any], puts: list[tuple[Any, int]]) -> Iterator[BoundTable[Any, Any]]:
    """A table after these puts of records, each with its timestamp."""
    with engine.shared_store(table) as connection:
        bound = BoundTable(connection, table)
        for record, time_ms in puts:
            bound.rows.put(bound.row(record), table.cells.pack(record), timestamp=time_ms)
        yield bound


# ---- as of a time --------------------------------------------------------------------------------

PUTS = st.lists(
    st.tuples(
        st.builds(
            Page,
            st.sampled_from(["a", "b"]),
            st.integers(0, 3),
            st.sampled_from("xyz"),
            st.sampled_from(["draft", "done"]),
        ),
        st.integers(1, 12),
    ),
    max_size=12,
)


def as_of(puts: list[tuple[Page, int]], time_ms: int) -> list[Page]:
    """What a list of puts says: of each page the newest up to a time, and of one timestamp the last."""
    pages = {
        (page.owner, page.at_ms): page for page, put_ms in sorted(puts, key=lambda put: put[1]) if put_ms <= time_ms
    }
    return sorted(pages.values(), key=lambda page: (page.owner, -page.at_ms))


@pytest.mark.parametrize("table", [PAGES, POINTS], ids=["rows", "cells"])
@settings(max_examples=examples(30))
@given(puts=PUTS, time_ms=st.integers(0, 13), limit=st.integers(1, 4))
def test_a_query_as_of_a_time_finds_what_was_put_up_to_it(
    engine: Engine, table: TableLayout[Any, Any], puts: list[tuple[Page, int]], time_ms: int, limit: int
) -> None:
    if any(sum((page.owner, page.at_ms) == (other.owner, other.at_ms) for other, _ in puts) > KEPT for page, _ in puts):
        return
    wanted = as_of(puts, time_ms)
    order = PAGES.key if table is POINTS else None
    with stored(engine, table, puts) as pages:
        whole = Query(pages, pages.whole_table()).in_order_of(order).as_of(time_ms)
        assert records_of(pages_of(whole, limit)) == wanted
        of_a = {"owner": "a"}
        for newest_first in (True, False):
            query = Query(pages, pages.plan(**of_a)).newest_first(newest_first).as_of(time_ms)
            found = [page for page in wanted if page.owner == "a"]
            assert records_of(pages_of(query, limit)) == (found if newest_first else found[::-1])
        one = Query(pages, pages.plan(owner="a", at_ms=1)).as_of(time_ms)
        assert one.first() == next((page for page in wanted if (page.owner, page.at_ms) == ("a", 1)), None)
        if table is PAGES:
            done = Query(pages, pages.whole_table()).filtered(equal(PAGE_CELLS, "state", "done")).as_of(time_ms)
            assert list(done) == [page for page in wanted if page.state == "done"]


def test_a_cursor_belongs_to_its_time(engine: Engine) -> None:
    pages_put: list[tuple[Any, int]] = [(Page("a", at_ms, "x"), 1) for at_ms in range(3)]
    with stored(engine, PAGES, pages_put) as pages:
        queries = [Query(pages, pages.plan(owner="a")).as_of(time_ms) for time_ms in (None, 5, 6)]
        cursors = [query.page(limit=1).cursor for query in queries]
        assert len({*cursors}) == len(cursors)
        for query, cursor in zip(queries, cursors, strict=True):
            assert len(query.page(limit=5, cursor=cursor).records) == 2
            for other in {*cursors} - {cursor}:
                with pytest.raises(InvalidQuestion, match=r"^cursor: belongs to another question"):
                    query.page(cursor=other)


@pytest.mark.parametrize("time_ms", [-1, LAST_AS_OF_MS + 1, 1.0, True, "1"])
def test_a_time_that_no_cell_can_have_is_refused(time_ms: Any) -> None:
    pages = BoundTable(happybase.Connection(autoconnect=False), PAGES)
    Query(pages, pages.whole_table()).as_of(LAST_AS_OF_MS)
    with pytest.raises(InvalidQuestion) as refused:
        Query(pages, pages.whole_table()).as_of(time_ms)
    wanted = "must be milliseconds since 1970, 0..9223372036854775806"
    assert str(refused.value) == f"as_of_ms: {wanted} (got {time_ms!r})"


def test_a_table_of_one_version_is_refused() -> None:
    plain = BoundTable(happybase.Connection(autoconnect=False), PLAIN)
    with pytest.raises(
        InvalidQuestion, match=r"^as_of_ms: table plain must keep more than one version, .*max_versions="
    ):
        Query(plain, plain.whole_table()).as_of(5)


def test_an_explanation_says_the_time_and_costs_what_the_present_does() -> None:
    pages = BoundTable(happybase.Connection(autoconnect=False), PAGES)
    now, then = (Query(pages, pages.plan(owner="a")).as_of(time_ms).explain() for time_ms in (None, 5))
    assert attrs.evolve(then, as_of_ms=None) == now
    assert "\nas of 5 ms\n" in str(then)


# ---- the newest versions -------------------------------------------------------------------------


def test_the_newest_versions_of_a_record_are_its_states_after_each_change(engine: Engine) -> None:
    first = Page("a", 1, "x")
    with stored(engine, PAGES, [(first, 1)]) as pages:
        row, plan = pages.row(first), pages.plan(owner="a", at_ms=1)
        for time_ms, change in ((3, {"title": "y"}), (5, {"state": "done"}), (7, {"title": "z"})):
            record = attrs.evolve(first, **change)
            pages.rows.put(row, PAGE_CELLS.pack(record, only=[*change]), timestamp=time_ms)
        wanted = [
            Version(7, Page("a", 1, "z", "done")),
            Version(5, Page("a", 1, "y", "done")),
            Version(3, Page("a", 1, "y")),
            Version(1, first),
        ]
        for newest in range(1, KEPT + 1):
            assert list(Versions(pages, plan, newest)) == wanted[:newest]
        explained = Versions(pages, plan, 3).explain()
        with metered(pages.rows.connection) as cost:
            list(Versions(pages, plan, 3))
        assert (explained.rpcs, explained.is_exact, cost.rpcs) == (2, True, 2)
        assert str(explained) == (
            f"{pages.name.decode()}: owner=a, at_ms=1\n"
            "the newest 3 versions, with a call for each column\nall versions: 2 RPCs"
        )


def test_two_puts_of_one_millisecond_are_one_version(engine: Engine) -> None:
    puts: list[tuple[Any, int]] = [(Page("a", 1, title), time_ms) for title, time_ms in (("x", 1), ("y", 5), ("z", 5))]
    with stored(engine, PAGES, puts) as pages:
        versions = Versions(pages, pages.plan(owner="a", at_ms=1), KEPT)
        assert [(version.time_ms, version.record.title) for version in versions] == [(5, "z"), (1, "x")]
        assert Query(pages, pages.plan(owner="a")).as_of(4).first() == Page("a", 1, "x")


def test_the_versions_of_a_cell_with_a_record_cost_one_call(engine: Engine) -> None:
    puts: list[tuple[Any, int]] = [(Page("a", 1, title), time_ms) for title, time_ms in (("x", 1), ("y", 5))]
    with stored(engine, POINTS, [*puts, (Page("a", 2, "other"), 9)]) as points, metered(points.rows.connection) as cost:
        versions = Versions(points, points.plan(owner="a", at_ms=1), 2)
        assert list(versions) == [Version(5, Page("a", 1, "y")), Version(1, Page("a", 1, "x"))]
        assert cost.rpcs == versions.explain().rpcs == 1


@attrs.frozen
class Wide:
    owner: str
    at_ms: int
    kind: str
    values: Mapping[str, str]


WIDE = TableLayout(
    "wide",
    "any columns",
    KeyLayout(ByOwner),
    RecordCells(Wide, {"kind": Column("d:k"), "values": OtherColumns("d")}),
    FAMILIES,
)


def test_the_columns_of_a_mapping_are_read_by_name_first(engine: Engine) -> None:
    old, new = Wide("a", 1, "u", {"x": "1"}), Wide("a", 1, "u", {"x": "2", "y": "3"})
    with stored(engine, WIDE, [(old, 1), (new, 5)]) as wide, metered(wide.rows.connection) as cost:
        versions = Versions(wide, wide.plan(owner="a", at_ms=1), 2)
        assert list(versions) == [Version(5, new), Version(1, old)]
        assert (cost.rpcs, versions.explain().rpcs, versions.explain().is_exact) == (4, 1, False)


def test_a_version_that_is_not_a_record_is_an_error(engine: Engine) -> None:
    with stored(engine, PAGES, [(Page("a", 1, "x"), 5)]) as pages:
        pages.rows.put(pages.row(Page("a", 1, "x")), {b"d:t": b"\xff"}, timestamp=1)
        versions = iter(Versions(pages, pages.plan(owner="a", at_ms=1), 2))
        assert next(versions).record == Page("a", 1, "x")
        with pytest.raises(InvalidRow, match=r"^pages: row .*: Page\.title: "):
            next(versions)


@pytest.mark.parametrize(
    ("question", "newest", "reason"),
    [
        ({"owner": "a"}, 2, "plan: must be of one row, with a value for every part of its key (got {'owner': 'a'})"),
        ({"owner": "a", "at_ms": 1}, 0, "newest: must be 1..4, the versions that table pages keeps (got 0)"),
        ({"owner": "a", "at_ms": 1}, 5, "newest: must be 1..4, the versions that table pages keeps (got 5)"),
        ({"owner": "a", "at_ms": 1}, True, "newest: must be 1..4, the versions that table pages keeps (got True)"),
    ],
)
def test_versions_that_cannot_be_read_are_refused(question: dict[str, Any], newest: Any, reason: str) -> None:
    pages = BoundTable(happybase.Connection(autoconnect=False), PAGES)
    with pytest.raises(InvalidQuestion) as refused:
        Versions(pages, pages.plan(**question), newest)
    assert str(refused.value) == reason
