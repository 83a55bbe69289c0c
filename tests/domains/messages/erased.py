"""A user who is erased, for the tests of erasures: sends and receives messages, also with a group."""

from collections.abc import Callable
from operator import methodcaller

import attrs

from domains.messages import Message, MessageRepository
from domains.messages.shown.design import DESIGN
from shared.testing import ErasedPerson

NOON_MS = 1_768_219_200_000
TO_DAN = Message("ada", "dan", NOON_MS, "1", "hello")
BY_DAN = Message("dan", "ada", NOON_MS + 1, "2", "hi")
TO_BOB = Message("ada", "bob", NOON_MS + 2, "3", "dan says hi")
TO_TEAM = Message("bob", "#team", NOON_MS + 3, "4", "lunch", members=("ada", "dan", "eve"))
DAN_TO_TEAM = Message("dan", "#team", NOON_MS + 4, "5", "where?", members=("ada", "bob"))
NOTE, OLD = Message("dan", "dan", NOON_MS, "n", "note"), Message("eve", "dan", NOON_MS - 1, "o", "old")
KEPT_TO_TEAM = attrs.evolve(TO_TEAM, members=("ada", "eve"))
COPIES = [Message("bob", member, NOON_MS + 3, "#team/4", "lunch", group="#team") for member in ("ada", "eve")]


def team(open_repository: Callable[..., MessageRepository]) -> None:
    messages = open_repository()
    for message in (TO_DAN, BY_DAN, TO_BOB, TO_TEAM, DAN_TO_TEAM, NOTE, OLD):
        messages.send(message)
    messages.mark_read(TO_DAN)
    messages.delete_from_inbox(OLD)
    messages.delete_from_outbox(OLD)


def come_back(messages: MessageRepository, time_ms: int) -> list[Message]:
    back = Message("dan", "zoe", time_ms, "b", "I am back")
    messages.send(back)
    return [back]


send_to_dan = methodcaller("send", Message("eve", "dan", NOON_MS + 9, "9", "are you there?"))
send_to_the_team = methodcaller(
    "send", Message("eve", "#team", NOON_MS + 9, "9", "dinner", members=("ada", "dan", "bob"))
)


def read(messages: MessageRepository) -> None:
    for message in messages.unread("dan"):
        messages.mark_read(message)


ERASED = ErasedPerson(
    "dan",
    variants=DESIGN.variants[:2],
    before=team,
    seen=lambda messages: [
        message for box in (messages.outbox, messages.inbox, messages.unread) for message in box("dan")
    ],
    others=lambda messages: [
        *(message for user in ("ada", "bob", "eve", "#team") for message in messages.inbox(user)),
        *(message for user in ("ada", "bob") for message in messages.outbox(user)),
    ],
    kept=[COPIES[0], TO_BOB, COPIES[1], KEPT_TO_TEAM, TO_BOB, KEPT_TO_TEAM],
    comes_back=come_back,
    rivals=(send_to_dan, send_to_the_team, read),
    texts=(TO_BOB.body,),
    remaining=8,  # two messages, a group message and its two copies, dan's copy, a deleted message, a note
    erasures="messages_erasures",
)
