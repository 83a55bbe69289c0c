"""Figures that sentences of the pages repeat: measured again, or read from what another page runs or generates."""

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

import attrs
import pytest

from domains import changes, feeds, messages, monitoring, orders, reservations
from domains.messages.keys import MESSAGES
from domains.monitoring.keys import HOUR_MS
from domains.orders.keys import BY_STATUS
from domains.tsdb.records import MAX_TAGS
from shared.designs import metered
from shared.exhibit.comparison import stored_bytes
from shared.intents.slots import holds_intents
from shared.keys import EscapedText, Int64, KeyLayout, Rest, Slice, UInt32, part, row_key
from shared.sources import Table
from shared.stores import connect
from shared.tables import ItemCells, create_tables
from shared.testing import WatchedConnection
from tests.readmes import ROOT

from .group_costs import GroupCost, cost_in_feeds, cost_in_variant_copies, cost_of_copies

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
    assert f"3,000 orders a second make {3000 * calls:,}" in page_of("domains/orders/README.md")


def test_tombstones_of_lists_are_kept_as_long_as_the_reference_of_orders_says() -> None:
    minutes = BY_STATUS.layout.families["o"].keep_tombstones_ms // 60_000
    assert f"for at least {minutes} minutes, until a major compaction" in page_of("domains/orders/REFERENCE.md")


def test_the_rpcs_of_a_fold_for_each_user_are_those_of_the_reference() -> None:
    fold = re.search(r"takes (\d+) RPCs for (\d+) users", page_of("domains/counters/REFERENCE.md"))
    assert fold is not None
    rpcs = round(int(fold[1]) / int(fold[2]))
    assert f"in about {rpcs} RPCs [for each customer and hour]" in page_of("domains/counters/README.md")


GROUPS: Mapping[str, Callable[[], GroupCost]] = {
    "merged: a copy for each, `messages`": partial(cost_of_copies, 5000),
    "merged: a copy for each, `copies` (can lose messages)": partial(cost_in_variant_copies, 5000),
    "merged: [feeds](../feeds/README.md), pushed": partial(cost_in_feeds, 5000, pull_above=10_000),
    "merged: feeds, pulled": partial(cost_in_feeds, 5000, pull_above=1000),
    "a channel, `messages`": partial(cost_of_copies, 0),
}
"""The lines of the table on the page of `messages`."""


@pytest.mark.long
@pytest.mark.parametrize("way", GROUPS)
def test_a_message_to_5000_members_costs_what_the_page_of_messages_says(way: str) -> None:
    cost = GROUPS[way]()
    line = f"| {way} | {cost.sending:,} | {cost.rows:,} | {cost.reading}: "
    assert line in page_of("domains/messages/README.md")


@pytest.mark.parametrize("members", [10, 1000, pytest.param(5000, marks=pytest.mark.long)])
def test_the_rpcs_of_a_group_message_are_the_sum_that_the_reference_of_messages_says(members: int) -> None:
    first, each, of_step, last = 6, 1, 8, 2
    words = (
        f"{first} RPCs to send the message, {each} `checkAndPut` for each copy, "
        f"{of_step} for each step of 1,000 members, and {last} at the end"
    )
    assert words in page_of("domains/messages/REFERENCE.md")
    assert cost_of_copies(members).sending == first + each * members + of_step * -(-members // 1000) + last


def test_a_message_that_both_sides_deleted_keeps_as_many_bytes_as_the_pages_of_messages_say() -> None:
    with closing(connect("embedded:")) as connection:
        create_tables(connection, messages.TABLES)
        repository = messages.MessageRepository(connection)
        repository.send(MESSAGE)
        repository.delete_from_inbox(MESSAGE)
        repository.delete_from_outbox(MESSAGE)
        rows = connection.table(MESSAGES.layout.name).scan()
        size = sum(stored_bytes(row, *cell) for row, cells in rows for cell in cells.items())
    for page in ("README.md", "REFERENCE.md"):
        assert f"about {round(size, -1)} bytes" in page_of(f"domains/messages/{page}")


def test_the_bookings_a_second_of_a_room_follow_from_the_calls_of_one() -> None:
    def book(connection: Any, number: str) -> None:
        reservations.Hotel(connection).book("inn", "7", reservations.Stay(number, "ann", int(number), int(number) + 1))

    with closing(connect("embedded:")) as connection:
        create_tables(connection, reservations.TABLES)
        reservations.Hotel(connection).open_room("inn", "7")
        watched = WatchedConnection(connection)
        book(watched, "1")
        before = watched.number_of_calls
        book(watched, "2")
        calls, call_ms = watched.number_of_calls - before, 2
    words = f"With calls of {call_ms} ms, a row takes at most {1000 // (calls * call_ms)} bookings a second"
    assert calls == 5
    assert f"A booking takes five calls, one after the other. {words}" in page_of("domains/reservations/README.md")


def test_an_erasure_leaves_the_tombstones_that_the_reference_of_changes_counts() -> None:
    """900 of 1,000 changes are erased: the rows that each question reads before a compaction, and after it."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, changes.TABLES)
        repository = changes.ChangeRepository(connection)
        for user in range(10):
            key, first = f"u-{user}", 100 * user + 1
            repository.store_all(
                changes.Change("shop", number, "users", key, "INSERT", number, "t", {"n": "1"})
                for number in range(first, first + 100)
            )
        repository.copies.feed("shop", "users")
        for user in range(9):
            repository.erase(f"u-{user}")
        questions: dict[str, Callable[[], Any]] = {
            "ten changes of the log": lambda: repository.since("shop").page(limit=10),
            "all users, from the history": lambda: repository.states("shop", "users"),
            "all users, from the copy": lambda: [*repository.copies.records("shop", "users")],
        }
        before = {question: rows_read(connection, ask) for question, ask in questions.items()}
        for table in changes.TABLES:
            connection.compact(table.name)
        after = {question: rows_read(connection, ask) for question, ask in questions.items()}
    for question in questions:
        assert f"| {question} | {before[question]:,} | {after[question]:,} |" in page_of("domains/changes/REFERENCE.md")


def rows_read(connection: Any, ask: Callable[[], Any]) -> int:
    """The rows that a question reads."""
    with metered(connection) as cost:
        ask()
    return cost.rows_read


def test_the_labels_that_tsdb_refuses_are_more_than_it_can_store() -> None:
    assert f"more than {MAX_TAGS} labels" in page_of("domains/tsdb/README.md")


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
