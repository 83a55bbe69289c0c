"""Figures that sentences of the pages repeat: measured again, or read from what another page runs or generates."""

import re
from collections.abc import Callable
from contextlib import closing
from typing import Any

import attrs
import pytest

from domains import feeds, messages, monitoring, orders
from domains.monitoring.keys import HOUR_MS
from domains.orders.keys import BY_STATUS
from domains.tsdb.records import MAX_TAGS
from shared.designs import metered
from shared.intents.slots import holds_intents
from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, part, row_key
from shared.sources import Table
from shared.stores import connect
from shared.tables import ItemCells, create_tables
from shared.testing import WatchedConnection
from tests.readmes import ROOT

ORDER = orders.Order("n-1", "s-1", "b-1", placed_ms=1, item="lamp", amount=1)
MESSAGE = messages.Message("ada", "bob", 1, "m-1", body="lunch?")


def page_of(path: str) -> str:
    """A page with its lines joined."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def place(connection: Any, number: str) -> None:
    orders.OrderRepository(connection).place(attrs.evolve(ORDER, order_number=number))


def send(connection: Any, number: str) -> None:
    messages.MessageRepository(connection).send(attrs.evolve(MESSAGE, message_id=number))


def follow(connection: Any, number: str) -> None:
    feeds.FeedRepository(connection).follow(feeds.Follow("ada", number))


def calls_of(write: Callable[[Any, str], None], tables: Any) -> tuple[int, list[str]]:
    """The number of all calls of a write, and the tables of those that change the store.

    They are those of the second write of a connection: the first one also compares the clocks.
    """
    with closing(connect("embedded:")) as connection:
        create_tables(connection, tables)
        watched = WatchedConnection(connection)
        write(watched, "1")
        calls, changes = watched.number_of_calls, len(watched.calls)
        write(watched, "2")
        return watched.number_of_calls - calls, [call.table for call in watched.calls[changes:]]


@pytest.mark.parametrize(
    ("write", "tables"),
    [(place, orders.TABLES), (send, messages.TABLES), (follow, feeds.TABLES)],
    ids=["orders", "messages", "feeds"],
)
def test_every_write_puts_its_intent_twice(write: Callable[[Any, str], None], tables: Any) -> None:
    intents = {table.name for table in tables if holds_intents(table)}
    _calls, changed = calls_of(write, tables)
    assert sum(table in intents for table in changed) == 2
    assert "one region takes two puts for every write" in page_of("domains/GLOSSARY.md")


def test_the_calls_of_3000_orders_a_second_are_those_of_one_order_3000_times() -> None:
    calls, _changed = calls_of(place, orders.TABLES)
    assert f"such as {3000 * calls:,} a second for 3,000 orders" in page_of("domains/orders/README.md")


def test_tombstones_of_lists_are_kept_as_long_as_the_reference_of_orders_says() -> None:
    minutes = BY_STATUS.layout.families["o"].keep_tombstones_ms // 60_000
    assert f"for at least {minutes} minutes, until a major compaction" in page_of("domains/orders/REFERENCE.md")


def test_the_rpcs_of_a_fold_for_each_user_are_those_of_the_reference() -> None:
    fold = re.search(r"takes (\d+) RPCs for (\d+) users", page_of("domains/counters/REFERENCE.md"))
    assert fold is not None
    rpcs = round(int(fold[1]) / int(fold[2]))
    assert f"in about {rpcs} RPCs [for each customer and hour]" in page_of("domains/counters/README.md")


def test_what_a_group_costs_is_what_the_code_of_the_reference_prints() -> None:
    printed = page_of("domains/messages/REFERENCE.md")
    table = (ROOT / "domains/messages/README.md").read_text(encoding="utf-8").partition("| one message to 5,000")[2]
    rows = [[cell.strip() for cell in line.split("|")[1:5]] for line in table.splitlines()[2:7]]
    for ways, rpcs, stored, page in rows:
        count = "0 copies" if "channel" in ways else "5,000 readers" if "feeds" in ways else "5,000 copies"
        assert f"{count}: {rpcs} RPCs, {stored} rows; a page: {page.partition(':')[0]} RPCs" in printed, ways
    assert len(rows) == 5


def test_the_labels_that_tsdb_refuses_are_more_than_it_can_store() -> None:
    for path in ("README.md", "domains/tsdb/README.md"):
        assert f"more than {MAX_TAGS} labels" in page_of(path)


def rows_of_hours(hours: int) -> Table[monitoring.Point]:
    """The table of `monitoring` with longer rows."""

    @row_key
    class Hours:
        host: str = part(EscapedText, "as in `monitoring`")
        metric: str = part(EscapedText, "as in `monitoring`")
        time_ms: int = part(Slice(Int64, hours * HOUR_MS), "the hours")

    @row_key
    class WithinHours:
        time_ms: int = part(Rest(UInt32, hours * HOUR_MS), "the rest of the hours")

    cells = ItemCells(monitoring.Point, "p", KeyLayout(WithinHours), value="value")
    return Table("points", Hours, monitoring.Point, cells, dated_by="time_ms")


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (1, "needs {} RPCs with rows of an hour ({:,} cells)"),
        (12, "{} with rows of 12 hours ({:,} cells)"),
        (24, "and {} with rows of a day ({:,} cells)"),
    ],
)
def test_a_week_of_one_point_a_minute_needs_the_rpcs_that_the_reference_of_monitoring_says(
    hours: int, words: str
) -> None:
    table, week_ms = rows_of_hours(hours), 7 * 24 * HOUR_MS
    with closing(connect("embedded:")) as connection:
        create_tables(connection, table.tables)
        points = monitoring.PointRepository(connection, table)
        points.store_all(monitoring.Point("web-1", "cpu", at_ms, 1.0) for at_ms in range(0, week_ms, 60_000))
        with metered(connection) as cost:
            assert points.of_metric("web-1", "cpu", 0, week_ms).count() == 7 * 24 * 60
    assert words.format(cost.rpcs, hours * 60) in page_of("domains/monitoring/REFERENCE.md")
