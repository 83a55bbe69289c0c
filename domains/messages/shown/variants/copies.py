"""Plain copies: the sender's outbox and the receiver's inbox each hold the whole message, without intents.

The timestamp of every cell is its message's own time, or a millisecond later if the message was read. So repeating a
call changes nothing, and a TTL counts from the time of the message. If a message was read, its cell `is_read` expires a
millisecond after the others, which no page notices. The outbox is put first, so the sender sees every
message that a receiver sees. What it can lose:

- If a writer dies after the put of the outbox and its client never sends the message again, no receiver gets it.
- If two different messages have one key, the later one replaces the other, and no client gets an error.
- If a deleted message is sent again after a major compaction, which drops tombstones, the message comes back.
- If the receiver deletes a message, the sender's view of the conversation loses it too, because conversations are read
  from the inboxes.

Also, `unread` of a group returns its messages, as `mark_read` leaves them; in the main design a group has none.
"""

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import any_of, between, shown
from shared.queries import Query
from shared.records import check_int, check_text
from shared.sources import Table, WritableTable
from shared.tables import TEXTS, Column
from shared.writes import refuse_expired

from ...delivering import MEMBERS_AT_ONCE
from ...keys import MessageByReceiver, MessageBySender
from ...records import Message, copy_for
from ...repository import MessageConflict, UnknownMessage

if TYPE_CHECKING:
    import happybase


def columns_in(family: str) -> dict[str, str | Column]:
    """The columns of a whole message, in one family."""
    return {
        "body": f"{family}:b",
        "is_read": f"{family}:r",
        "group": f"{family}:g",
        "members": Column(f"{family}:m", TEXTS),
    }


RECEIVED = Table("messages_received", MessageByReceiver, Message, columns_in("m"))
SENT = Table("messages_sent", MessageBySender, Message, columns_in("m"))
TABLES = (*RECEIVED.tables, *SENT.tables)


class Repository:
    """Sends messages to users and groups, marks them as read, deletes them for one side, and lists them.

    A message is two rows, and no write is atomic over both. Repeating a call completes its write.
    """

    def __init__(
        self, connection: "happybase.Connection", received: Table[Message] = RECEIVED, sent: Table[Message] = SENT
    ) -> None:
        self._inbox = received.on(connection)
        self._outbox = sent.on(connection)

    # ---- writes

    def send(self, message: Message) -> None:
        """Puts a message into its sender's outbox, then into its receiver's inbox and the inbox of each member.

        Every row is encoded before the first put, so an invalid key stores nothing. Nor does a message that is older
        than a TTL: raises Expired.
        Costs: one put of the outbox, and one for each 1,000 rows of inboxes.
        """
        if message.group is not None:
            raise MessageConflict(f"Message.group: only a group message makes copies (got {shown(message.group)})")
        members = [member for member in message.members if member != message.sender]
        received = [message, *(copy_for(member, message, message.body) for member in members)]
        sent_row, sent_cells = self._outbox.row(message), self._outbox.layout.cells.pack(message)
        received_rows = [(self._inbox.row(copy), self._inbox.layout.cells.pack(copy)) for copy in received]
        outbox, inbox = self._outbox.rows, self._inbox.rows  # compares both layouts before the first put
        refuse_expired([message], self._outbox, self._inbox, time_of=attrgetter("sent_ms"))
        outbox.put(sent_row, sent_cells, timestamp=message.sent_ms)
        for start in range(0, len(received_rows), MEMBERS_AT_ONCE):
            with inbox.batch(timestamp=message.sent_ms) as batch:
                for row, cells in received_rows[start : start + MEMBERS_AT_ONCE]:
                    batch.put(row, cells)

    def send_to_group(self, message: Message) -> None:
        """Does what `send` does, but raises ValueError if the message has no members."""
        if not message.members:
            raise ValueError(f"Message.members: a group message needs some; use send (got {shown(message.members)})")
        self.send(message)

    def mark_read(self, message: Message) -> None:
        """Marks a message as read, in both rows, with a timestamp one millisecond above that of `send`.

        So a retry of `send` does not make it unread. Raises `UnknownMessage` if the inbox does not have it.
        Costs: two gets, one or two puts.
        """
        if self._inbox.get(message) is None:
            raise UnknownMessage(
                f"Message.message_id: {shown(message.receiver)} has no message {shown(message.message_id)} "
                f"of {shown(message.sender)}"
            )
        _put_read(self._inbox, message)
        if self._outbox.get(message) is not None:
            _put_read(self._outbox, message)

    def delete_from_inbox(self, message: Message) -> None:
        """Deletes a message from its receiver's inbox. Costs: one delete."""
        _delete(self._inbox, message)

    def delete_from_outbox(self, message: Message) -> None:
        """Deletes a message from its sender's outbox. Costs: one delete."""
        _delete(self._outbox, message)

    def delete_before(self, user: str, until_ms: int) -> int:
        """Deletes the messages that a user received before `until_ms`; returns how many.

        Every later scan of the inbox reads past the tombstones until a major compaction. A TTL needs no call.
        Costs: one scan of these messages, and a delete for each.
        """
        check_int("until_ms", until_ms)
        count = 0
        for message in self.inbox(user, until_ms=until_ms):
            self.delete_from_inbox(message)
            count += 1
        return count

    # ---- questions

    def inbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user, or a group, received from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more.
        """
        return self._inbox.ask(receiver=user, sent_ms=between(since_ms, until_ms)).newest_first(newest_first)

    def outbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user sent from `since_ms` to `until_ms` (exclusive), newest first.

        A group message is in it once. Costs: one scan of a page's rows and one more.
        """
        return self._outbox.ask(sender=user, sent_ms=between(since_ms, until_ms)).newest_first(newest_first)

    def unread(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The unread messages of a user's inbox. Costs: one scan of the inbox with a server-side filter."""
        return self.inbox(user, since_ms, until_ms, newest_first).on_server("is_read", False)

    def conversation(
        self,
        owner: str,
        peer: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        newest_first: bool = True,
    ) -> Query[Message]:
        """The messages between two users that neither receiver has deleted, without copies of group messages.

        Costs: one scan of each of the two inboxes, side by side; the client drops all other messages.
        """
        check_text("owner", owner)
        check_text("peer", peer)
        pair = [*dict.fromkeys([owner, peer])]
        inboxes = self._inbox.ask(receiver=any_of(pair, merged=True), sent_ms=between(since_ms, until_ms))
        messages = inboxes.where(sender=any_of(pair), group=None).newest_first(newest_first)
        return messages.then(partial(_without_notes, owner, peer))


def _put_read(table: WritableTable[Message], message: Message) -> None:
    """Puts the cell that says that a message was read."""
    cells: Any = table.layout.cells
    put = cells.pack(attrs.evolve(message, is_read=True), only=["is_read"])
    table.rows.put(table.row(message), put, timestamp=message.sent_ms + 1)


def _delete(table: WritableTable[Message], message: Message) -> None:
    table.rows.delete(table.row(message), [*table.layout.cells.columns], timestamp=message.sent_ms + 1)


def _without_notes(owner: str, peer: str, messages: list[Message]) -> list[Message | None]:
    """Each message; None for a user's note to the same user, unless `peer` is `owner`."""
    return [message if message.sender != message.receiver or owner == peer else None for message in messages]
