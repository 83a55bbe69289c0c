"""The story of the design: send, read, answer, delete for one side, write to a group, survive a writer that dies.

Run it: python -m domains.messages.example
"""

from contextlib import suppress
from typing import Any

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Message
from .repository import MessageRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    messages = MessageRepository(connection)

    noon = parse_time("2026-01-12T12:00")
    lunch = Message("ada", "bob", noon, "m-1", "lunch?")
    today = Message("ada", "bob", noon, "m-2", "today, I mean")  # in the same millisecond
    answer = Message("bob", "ada", noon + 60_000, "m-3", "yes")
    for message in (lunch, today, answer):
        messages.send(message)
    messages.send(lunch)  # a retry: sending the same message again changes nothing
    print("the inbox of bob:", *messages.inbox("bob"), sep="\n")
    assert list(messages.inbox("bob")) == [lunch, today]

    messages.mark_read(lunch)
    print("bob has not read:", *messages.unread("bob"), sep="\n")
    assert list(messages.unread("bob")) == [today]
    print("ada and bob, the oldest message first:", *messages.conversation("ada", "bob", newest_first=False), sep="\n")
    assert messages.conversation("ada", "bob").count() == 3

    messages.delete_from_inbox(today)
    messages.send(today)  # a late retry does not bring the message back
    assert [message.message_id for message in messages.inbox("bob")] == ["m-1"]
    assert [message.message_id for message in messages.outbox("ada")] == ["m-1", "m-2"]

    party = Message("ada", "#team", noon + 120_000, "m-4", "party!", members=("bob", "eve", "kim"))
    with suppress(PowerCut):
        dying: Any = MessageRepository(connection)
        dying.deliveries.deliver = _cut_the_power  # the step that gives members their copies
        dying.send_to_group(party)
    print("a writer died; the outbox of ada has the message:", messages.outbox("ada").first())
    assert messages.inbox("eve").first() is None
    recovery = messages.upkeep.recover(older_than_ms=0)
    print("recovery continues the delivery:", recovery, messages.inbox("eve").first(), sep="\n")
    assert [message.body for member in party.members for message in messages.inbox(member, noon + 120_000)] == [
        "party!"
    ] * 3
    assert list(messages.upkeep.verify()) == []


class PowerCut(Exception):
    """The writer dies here."""


def _cut_the_power(*_arguments: object) -> None:
    raise PowerCut


if __name__ == "__main__":
    main()
