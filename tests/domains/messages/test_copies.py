"""The plain form: what a writer that dies leaves, what the same call mends, and what it can lose."""

import time

import attrs
import pytest

from domains.messages import Message
from domains.messages.shown.design import DESIGN
from domains.messages.shown.variants import copies
from shared.stores import connect
from shared.tables import Family, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, stored_cells

NOW_MS = 1_700_000_000_000
LUNCH = Message("ada", "bob", NOW_MS, "m-1", "lunch?")
PARTY = Message("ada", "#team", NOW_MS, "m-1", "party!", members=("bob", "eve"))
VARIANTS = [variant for variant in DESIGN.variants if variant.name in ("copies", "one-table")]


@pytest.mark.parametrize("message", [LUNCH, PARTY], ids=["to a user", "to a group"])
def test_a_writer_that_dies_leaves_nothing_that_its_sender_does_not_see_and_the_same_call_mends_it(
    connection, variant, messages, message
):
    messages.send(message)
    whole = stored_cells(connection, variant.tables)
    messages.delete_from_outbox(message)
    for user in ("bob", "eve", "#team"):
        for received in list(messages.inbox(user)):
            messages.delete_from_inbox(received)
    again = attrs.evolve(message, sent_ms=NOW_MS + 10)
    for deaths in range(2):
        with pytest.raises(WriterDied):
            variant.open(WatchedConnection(connection, dying_at(deaths))).send(again)
        assert messages.outbox("ada").count() == deaths
        assert messages.inbox("bob").first() is None
    messages.send(again)
    assert messages.inbox("bob").first().body == message.body
    assert [len(rows) for rows in stored_cells(connection, variant.tables).values()] == [*map(len, whole.values())]


def test_a_deleted_message_comes_back_if_it_is_sent_again_after_a_major_compaction(variant):
    connection = connect("embedded:")
    create_tables(connection, variant.tables)
    messages = variant.open(connection)
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    messages.send(LUNCH)
    assert list(messages.inbox("bob")) == []
    for name in {table.name for table in variant.tables}:
        connection.compact(name)
    messages.send(LUNCH)
    assert list(messages.inbox("bob")) == [LUNCH]


def test_deleting_by_scan_deletes_what_is_older_and_nothing_else(messages):
    for number in range(10):
        messages.send(attrs.evolve(LUNCH, sent_ms=NOW_MS + number))
        messages.send(attrs.evolve(LUNCH, receiver="bob_2", sent_ms=NOW_MS + number))
    assert messages.delete_before("bob", NOW_MS + 6) == 6
    assert [message.sent_ms for message in messages.inbox("bob")] == [NOW_MS + number for number in (9, 8, 7, 6)]
    assert messages.inbox("bob_2").count() == messages.outbox("ada").count() - 10 == 10


@pytest.mark.further
def test_no_page_fails_while_messages_that_were_read_expire(engine):
    """The cell `is_read` of each outlives the others by a millisecond, and one expires every two."""
    ttl_s, count = 60, 100
    expiring = {"m": Family(ttl_seconds=ttl_s)}
    received, sent = (of.like(of.layout.name, families=expiring) for of in (copies.RECEIVED, copies.SENT))
    with engine.store(*received.tables, *sent.tables) as connection:
        messages = copies.Repository(connection, received, sent)
        first_ms = time.time_ns() // 1_000_000 + 3_000 - ttl_s * 1000
        for number in range(count):
            message = attrs.evolve(LUNCH, sent_ms=first_ms + 2 * number)
            messages.send(message)
            messages.mark_read(message)
        assert time.time_ns() // 1_000_000 < first_ms + ttl_s * 1000, "the store is too slow for this test"
        left = count
        while left:
            left = len(messages.inbox("bob").page(count, None).records)
        assert messages.outbox("ada").first() is None
