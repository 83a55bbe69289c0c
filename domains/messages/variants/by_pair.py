"""The lists of messages, and one more, of each pair's messages: one scan and one call read a page of a conversation.

Each message, but not its copies, needs one more line and one more put.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from shared.keys import Descending, EscapedText, Int64, KeyLayout, between, part, row_key
from shared.queries import Query
from shared.records import check_text
from shared.tables import BoundTable, RecordCells, TableLayout
from shared.writes import CLOCK, Derived, WriterClock, erasures_tables, intents_table

from ..keys import DERIVED, INBOX, OUTBOX, UNFINISHED, UNREAD
from ..keys import TABLES as MAIN_TABLES
from ..records import Message, StoredMessage
from ..repository import MessageRepository, conversation_of, lines_of

if TYPE_CHECKING:
    import happybase


@row_key
class MessageByPair:
    """One line in the conversation of two users.

    Order:  by pair, newest first, then by sender, then by message id.
    Serves: a conversation of two users; the messages of a period of it.
    Costs:  one scan of a page's lines and one more, and one call that gets their messages.
    Fixed:  as `MessageByReceiver`; also that the lower of the two names, by Unicode code points, comes first.
    Source: none
    """

    first: str = part(EscapedText, "the lower of the two names")
    second: str = part(EscapedText, "the higher of the two names")
    sent_ms: int = part(Descending(Int64), "when sent, milliseconds since 1970 UTC, newest first")
    sender: str = part(EscapedText, "which of the two sent it")
    receiver: str = part(EscapedText, "which of the two received it")
    message_id: str = part(EscapedText, "distinguishes messages of one pair in one millisecond")


PAIRED = TableLayout("messages_paired", INBOX.holds, INBOX.key, INBOX.cells)
"""A table of inboxes separate from that of `keys.py`, whose messages have no lines of conversations."""
PAIRS = TableLayout(
    "messages_by_pair",
    "a line of a conversation",
    KeyLayout(MessageByPair),
    RecordCells(MessageByPair, {}, marker="m:x"),
    DERIVED,
)

LISTS = (OUTBOX, UNREAD, UNFINISHED, PAIRS)
ERASURES, (ERASED_MESSAGES,) = erasures_tables("messages_paired_erasures", writers=1)
INTENTS = intents_table("messages_paired_intents")
"""Erasures and intents of its own, because they name rows of its source."""

TABLES = (PAIRED, *LISTS, ERASURES, ERASED_MESSAGES, INTENTS)
_TABLES = MAIN_TABLES._replace(inbox=PAIRED, erasures=ERASURES, erased_messages=ERASED_MESSAGES, intents=INTENTS)


def lines_with_pair(message: StoredMessage) -> Iterator[Derived]:
    """The rows that are derived from a message: those of the lists, and the line of its pair."""
    yield from lines_of(_TABLES, message)
    if message.group is None and (message.in_inbox or message.in_outbox):
        first, second = sorted([message.sender, message.receiver])
        yield (
            PAIRS,
            MessageByPair(first, second, message.sent_ms, message.sender, message.receiver, message.message_id),
        )


class Repository(MessageRepository):
    """Keeps one more list: the messages of each pair of users."""

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        super().__init__(connection, _TABLES, clock, lists=LISTS, derive=lines_with_pair)
        self._pairs = BoundTable(connection, PAIRS)

    def conversation(
        self,
        owner: str,
        peer: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        newest_first: bool = True,
    ) -> Query[Message]:
        """The messages between two users that `owner` has not deleted, without copies of group messages.

        Costs: one scan of a page's lines and one more, and one call that gets their messages.
        """
        check_text("owner", owner)
        check_text("peer", peer)
        first, second = sorted([owner, peer])
        plan = self._pairs.plan(first=first, second=second, sent_ms=between(since_ms, until_ms))
        lines = Query(self._pairs, plan).newest_first(newest_first)
        messages = lines.then(partial(self.writer.reader.agreeing, PAIRS))
        return messages.then(partial(conversation_of, owner, peer))
