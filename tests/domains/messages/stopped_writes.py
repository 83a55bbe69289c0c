"""The writes of messages over several rows, and what their readers see, for the crash tests and the README."""

from collections.abc import Callable
from operator import attrgetter, methodcaller
from typing import Any

import attrs

from domains.messages import Message, MessageConflict, MessageRepository, UnknownMessage
from domains.messages.shown.design import DESIGN
from shared.testing import Engine, Steps, StoppedWrites, Store, View, Write, crash_tests, store_at_once

LUNCH = Message("ada", "bob", sent_ms=1_700_000_000_000, message_id="m-42", body="lunch?")
DINNER = attrs.evolve(LUNCH, body="dinner?")
"""Another message under the key of the first one."""
OLD = attrs.evolve(LUNCH, message_id="m-41", body="hello")
"""A message of the same pair and millisecond, which nobody changes."""
NOTE = attrs.evolve(LUNCH, message_id="m-40", body="a note")
"""A message that is sent together with the first one."""
PARTY = Message("ada", "#team", LUNCH.sent_ms, "m-42", "party!", members=("bob", "ada", "eve"))
COPY = Message("ada", "eve", LUNCH.sent_ms, "#team/m-42", "party!", group="#team")
MEMBERS = ("bob", "eve")
"""Who gets a copy: all members but the sender."""


send, send_old, send_another = (methodcaller("send", message) for message in (LUNCH, OLD, DINNER))
send_note = methodcaller("send", NOTE)
send_to_group = methodcaller("send_to_group", PARTY)
mark_read, read_copy = (methodcaller("mark_read", message) for message in (LUNCH, COPY))
delete_received, delete_copy = (methodcaller("delete_from_inbox", message) for message in (LUNCH, COPY))
delete_sent, delete_group_sent = (methodcaller("delete_from_outbox", message) for message in (LUNCH, PARTY))


def send_all(messages: MessageRepository) -> None:
    """Sends a message again and two new ones."""
    store_at_once(messages.send_all, [OLD, NOTE, LUNCH])


# ---- what is stored before


def one_message(store: Store) -> None:
    send_old(store.repository())


def two_messages(store: Store) -> None:
    one_message(store)
    send(store.repository())


def deleted_by_sender(store: Store) -> None:
    two_messages(store)
    delete_sent(store.repository())


def deleted_by_both(store: Store) -> None:
    deleted_by_sender(store)
    delete_received(store.repository())


def lost_claim(store: Store) -> None:
    one_message(store)
    store.die(send_another, before=lambda call: call.name == "checkAndPut")
    store.repository().upkeep.recover(older_than_ms=0)


def delivered_and_deleted(store: Store) -> None:
    one_message(store)
    send_to_group(store.repository())
    delete_copy(store.repository())


RIVALS = {
    "send": send,
    "send another": send_another,
    "mark_read": mark_read,
    "delete_from_inbox": delete_received,
    "delete_from_outbox": delete_sent,
}
RIVALS_OF_ALL = {name: write for name, write in RIVALS.items() if name != "send another"}
RIVALS_OF_GROUP = {
    "send_to_group": send_to_group,
    "delete_from_outbox": delete_group_sent,
    "delete the copy": delete_copy,
    "read the copy": read_copy,
}

WRITES = (
    Write("send", send, one_message, RIVALS, calls={"messages": 6, "by-pair": 7}),
    Write(
        "send_all",
        send_all,
        one_message,
        RIVALS_OF_ALL,
        calls={"messages": 7, "by-pair": 8},
        one_by_one=(send_note, send),
    ),
    Write("send again", send, two_messages, RIVALS, calls=0),
    Write("send after both deleted", send, deleted_by_both, RIVALS, calls=0),
    Write("send after a lost claim", send, lost_claim, RIVALS, calls={"messages": 6, "by-pair": 7}),
    Write("mark_read", mark_read, two_messages, RIVALS, calls=5),
    Write("delete_from_inbox", delete_received, two_messages, RIVALS, calls=5),
    Write("delete_from_outbox", delete_sent, two_messages, RIVALS, calls=5),
    Write("delete as the second side", delete_received, deleted_by_sender, RIVALS, calls={"messages": 5, "by-pair": 6}),
    Write("send_to_group", send_to_group, one_message, RIVALS_OF_GROUP, calls={"messages": 13, "by-pair": 14}),
    Write("send_to_group again", send_to_group, delivered_and_deleted, RIVALS_OF_GROUP, calls=0),
)


# ---- what readers see

identity = attrgetter("sender", "receiver", "message_id")


def of_members(question: str) -> Callable[[Any], list[Message]]:
    return lambda messages: [
        message for member in MEMBERS for message in getattr(messages, question)(member) if message.group is not None
    ]


VIEWS = (
    View("inbox", lambda messages: [message for message in messages.inbox("bob") if not message.group], identity),
    View("outbox", lambda messages: messages.outbox("ada"), identity),
    View("unread", lambda messages: [message for message in messages.unread("bob") if not message.group], identity),
    View("conversation", lambda messages: messages.conversation("bob", "ada"), identity),
    View("group", lambda messages: messages.inbox("#team"), identity),
    View("members", of_members("inbox"), identity, lags=True),
    View("unread of members", of_members("unread"), identity, lags=True),
)


STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    DESIGN.variants[:2],
    refusals=(MessageConflict, UnknownMessage),
    often=(send, send_old, mark_read, send, send_to_group, delete_received, delete_sent, send_old),
    often_every=5,
)


# ---- what the README shows


def words(values: tuple[Any, ...]) -> str:
    """What a view shows of the messages that are written."""
    shown = [value for value in values if value.message_id != OLD.message_id]
    if not shown:
        return "-"
    if len(shown) > 1 or shown[0].group:
        return f"{len(shown)} of {len(MEMBERS)}"
    return "read" if shown[0].is_read else "there"


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step."""
    columns = ("inbox", "outbox", "unread", "group", "members")
    shown = ("send", "mark_read", "delete_from_inbox", "send_to_group")
    return Steps(crash_tests(engine, STOPPED, DESIGN.main), WRITES, shown, columns, words)
