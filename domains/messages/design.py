"""The loads and questions of `messages`, for the command `rowbook` and the tests."""

from collections.abc import Sequence
from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .keys import ERASURES, UNFINISHED
from .records import Message
from .repository import MessageRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "messages"

WEEK_MS = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}

LATEST = AccessPattern("a user's inbox", MessageRepository.inbox, {"user": "ada"})
WEEK = AccessPattern("an inbox of one week", MessageRepository.inbox, {"user": "u-17", **WEEK_MS})
SENT = AccessPattern("a user's outbox", MessageRepository.outbox, {"user": "ada"}, limit=10)
UNREAD = AccessPattern("a user's unread messages", MessageRepository.unread, {"user": "u-17"})
TALK = AccessPattern("the messages of two users", MessageRepository.conversation, {"owner": "u-17", "peer": "ada"})

GETS = Exemption(
    "ranges",
    "a page gets the messages of its lines in one call, and the bodies of group messages in another",
    (LATEST, UNREAD),
)

OTHER_PEERS = Exemption(
    "rows", "the inboxes of the two users hold the messages of all others, which the client skips", (TALK,)
)

UNFILLED = (UNFINISHED.layout, *ERASURES.tables)
"""The tables that are empty once all is delivered and nobody is being erased."""


def message_in(stored: Message) -> Sequence[Message]:
    """The message, unless it is a member's copy: those are made again when the message is sent again."""
    return [stored] if stored.group is None else []


DESIGN = Design(
    name="messages",
    question="How does every user read inbox, outbox and unread messages, if one message belongs in several lists?",
    loads=(
        Load(
            "messages",
            Message,
            MessageRepository.send,
            SAMPLES / "messages.jsonl",
            FORMATS,
            store_all=MessageRepository.send_all,
            lines_of={Message: message_in},
            without_lines="a file has no room for what one side or one member has deleted or read",
        ),
    ),
    patterns=(LATEST, WEEK, SENT, UNREAD, TALK),
    repository=MessageRepository,
    variants=(Variant(keys, "the design itself", (GETS, OTHER_PEERS), unfilled=UNFILLED),),
    erases="a user",
)
