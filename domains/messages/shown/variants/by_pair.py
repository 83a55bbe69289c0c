"""The lists of messages, and one more, of each pair's messages: one scan and one call read a page of a conversation.

Each message, but not its copies, needs one more line and one more put.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from shared.intents import ErasuresTable
from shared.keys import Descending, EscapedText, Int64, between, part, row_key
from shared.queries import Query
from shared.records import check_text
from shared.sources.asked_table import AskedTable
from shared.writes import CLOCK, WriterClock

from ...keys import MESSAGES
from ...records import Message, StoredMessage
from ...repository import MessageRepository, conversation_of

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


def line_of_pair(message: StoredMessage) -> Iterator[MessageByPair]:
    """The line of a message in the conversation of its pair; none for a copy, or if both sides have deleted it."""
    if message.group is None and (message.in_inbox or message.in_outbox):
        first, second = sorted([message.sender, message.receiver])
        yield MessageByPair(first, second, message.sent_ms, message.sender, message.receiver, message.message_id)


PAIRED = MESSAGES.like("messages_paired")
"""A table of inboxes separate from that of `keys.py`, whose messages have no lines of conversations."""
PAIRS = PAIRED.moving_list("messages_by_pair", MessageByPair, lines=line_of_pair)
ERASURES = ErasuresTable("messages_paired_erasures")
"""Erasures of its own, because they name rows of its source."""

TABLES = (*PAIRED.tables, *ERASURES.tables)


class Repository:
    """A `MessageRepository` on tables of its own, with one more list: the messages of each pair of users."""

    def __init__(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> None:
        self._messages = MessageRepository(connection, PAIRED, ERASURES, clock)
        self._pairs = AskedTable[MessageByPair](connection, PAIRS.layout)
        self.writer = self._messages.writer
        self.upkeep = self._messages.upkeep

    # ---- writes: one put more for each new message

    def send(self, message: Message) -> None:
        """Sends a message, see `MessageRepository.send`."""
        self._messages.send(message)

    def send_to_group(self, message: Message) -> None:
        """Sends a message to the members of a group, see `MessageRepository.send_to_group`."""
        self._messages.send_to_group(message)

    def send_all(self, messages: Iterable[Message]) -> int:
        """Sends messages, 1,000 at a time, see `MessageRepository.send_all`; returns their number."""
        return self._messages.send_all(messages)

    def mark_read(self, message: Message) -> None:
        """Marks a message as read, see `MessageRepository.mark_read`."""
        self._messages.mark_read(message)

    def delete_from_inbox(self, message: Message) -> None:
        """Deletes a message for its receiver, see `MessageRepository.delete_from_inbox`."""
        self._messages.delete_from_inbox(message)

    def delete_from_outbox(self, message: Message) -> None:
        """Deletes a message for its sender, see `MessageRepository.delete_from_outbox`."""
        self._messages.delete_from_outbox(message)

    def erase(self, user: str) -> int:
        """Removes every row that names a user, see `MessageRepository.erase`; returns how many remain for now."""
        return self._messages.erase(user)

    # ---- questions

    def inbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user, or a group, received, see `MessageRepository.inbox`."""
        return self._messages.inbox(user, since_ms, until_ms, newest_first)

    def outbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user sent, see `MessageRepository.outbox`."""
        return self._messages.outbox(user, since_ms, until_ms, newest_first)

    def unread(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The unread messages of a user's inbox, see `MessageRepository.unread`."""
        return self._messages.unread(user, since_ms, until_ms, newest_first)

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
        lines = self._pairs.ask(first=first, second=second, sent_ms=between(since_ms, until_ms))
        messages = lines.newest_first(newest_first).then(partial(self.writer.reader.agreeing, PAIRS.layout))
        return messages.then(partial(conversation_of, owner, peer))
