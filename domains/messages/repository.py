"""Messages in inboxes and outboxes; one method for each question and each write."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.intents import Erasures, ErasuresTable, SourceRow, WriterUpkeep
from shared.keys import InvalidQuestion, any_of, between, shown
from shared.queries import Query
from shared.records import InvalidRecord, check_text
from shared.sources import Source
from shared.tables import InvalidRow
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock, store_all

from .delivering import GroupDeliveries
from .erasing import delete_lines, rows_of_user
from .keys import ERASURES, MESSAGES, OUTBOX, UNREAD, MessageByReceiver
from .records import GROUP_SIGN, Message, StoredMessage, copies_of, digest_of

if TYPE_CHECKING:
    import happybase


class MessageConflict(ValueError):
    """Another message is stored with this sender, receiver, time and id."""


class UnknownMessage(ValueError):
    """No such message is stored."""


class MessageRepository:
    """Sends messages to users and groups, marks them as read, deletes them for one side, and lists them.

    The row in the receiver's inbox decides what a message is; the lines of all other lists are derived from it, see
    `shared.intents.writer`. When a write has returned, it is stored, and every list shows it: a page of the outbox or
    of the unread messages fetches the messages, and drops lines that disagree with them. If a writer dies, repeating
    the call or running `upkeep.recover` completes the write.

    A group message is stored once, in the inbox of its group. Then each member gets a copy without a body, in steps of
    1,000 members. If the writer dies, repeating the call or running `upkeep.recover` continues the delivery.

    Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        messages: Source[StoredMessage] = MESSAGES,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
    ) -> None:
        self._messages = messages.on(connection, clock)
        self.writer = self._messages.writer
        self.deliveries = GroupDeliveries(self._messages)
        rows_of = partial(rows_of_user, self.writer)
        self._erasures = Erasures(
            connection, erasures, (self.writer,), rows_of, delete_lines, "messages", ends_dead=True
        )
        writes = WriterUpkeep(self.writer, self.deliveries.about_to_be_claimed)
        self.upkeep: Upkeep = CombinedUpkeep(self.deliveries, writes, self.deliveries.unfinished, self._erasures)

    # ---- writes

    def send(self, message: Message) -> None:
        """Stores a message in its receiver's inbox and its sender's outbox, and a copy in the inbox of each member.

        Sending the same message again adds missing rows, and changes nothing else: a deleted message does not come
        back. Raises `MessageConflict` if another message has this sender, receiver, time and id.
        Costs: 1 get, 4 puts, 1 checkAndPut; for a message with members, see `send_to_group`.
        """
        self._check(message)
        self._messages.write(message, partial(after_send, message))
        if message.members:
            self.deliveries.deliver(message)

    def send_to_group(self, message: Message) -> None:
        """Stores a message to a group, and a copy of it for each member but its sender. Raises `MessageConflict`.

        The message is decided at once: its sender sees it in the outbox, then members see it one after the other. If
        the writer dies, repeating the call or running `upkeep.recover` continues. A copy that its member has read or
        deleted stays as it is. Copies that `erase` deleted are created again if their message is sent again.
        Costs: what `send` costs; 1 checkAndPut for each copy; 8 calls for each 1,000 members, or 9 if `erase` has
        deleted some of their copies within 42 minutes; and 2 calls at the end.
        """
        if not message.members:
            raise InvalidRecord(f"Message.members: a group message needs some; use send (got {shown(message.members)})")
        self.send(message)

    def send_all(self, messages: Iterable[Message]) -> int:
        """Sends messages as `send` does, 1,000 at a time; returns their number.

        Raises NotAllStored, whose cause may be `MessageConflict`. Each of its unconfirmed messages is either sent or
        not: send them again, or let `upkeep.recover` complete them.
        Costs: 1 checkAndPut for each message; for each 1,000 messages 1 call that reads them, and 4 puts; for a message
        with members, see `send_to_group`.
        """
        return store_all(messages, self._send_batch)

    def _send_batch(self, messages: list[Message]) -> None:
        for message in messages:
            self._check(message)
        self.writer.write_all((message, partial(after_send, message)) for message in messages)
        for message in messages:
            if message.members:
                self.deliveries.deliver(message)

    def _check(self, message: Message) -> None:
        if message.group is not None:
            raise MessageConflict(f"Message.group: only a group message makes copies (got {shown(message.group)})")
        for copy in copies_of(message):  # if the key of a copy cannot be encoded, no delivery could end
            self.writer.source.row(copy)

    def mark_read(self, message: Message) -> None:
        """Marks a message as read. Raises `UnknownMessage` if the receiver never had it, or has deleted it.

        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self._messages.write(message, partial(after_mark_read, message))

    def delete_from_inbox(self, message: Message) -> None:
        """Deletes a message for its receiver; its sender keeps it. Raises `UnknownMessage` if it was never stored.

        Costs: 1 get, 2 puts, 1 checkAndPut; 1 delete if it was unread.
        """
        self._messages.write(message, partial(after_delete_from_inbox, message))

    def delete_from_outbox(self, message: Message) -> None:
        """Deletes a message for its sender; its receivers keep it. Raises `UnknownMessage` if it was never stored.

        Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete.
        """
        self._messages.write(message, partial(after_delete_from_outbox, message))

    # ---- questions

    def inbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user, or a group, received from `since_ms` to `until_ms` (exclusive), newest first.

        With `newest_first=False` the oldest come first.
        Costs: one scan of a page's rows, and one call that gets the bodies of group messages. Messages that the user
        deleted are read and dropped.
        """
        messages = self._messages.ask(receiver=user, sent_ms=between(since_ms, until_ms)).where(in_inbox=True)
        return messages.newest_first(newest_first).then(self._with_bodies)

    def outbox(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The messages that a user sent from `since_ms` to `until_ms` (exclusive), newest first.

        A group message is in it once. `is_read` says whether the receiver has read the message.
        Costs: one scan of a page's lines and one more, and one call that gets their messages.
        """
        messages = self._messages.ask(OUTBOX, sender=user, sent_ms=between(since_ms, until_ms))
        return messages.newest_first(newest_first).then(self._with_bodies)

    def unread(
        self, user: str, since_ms: int | None = None, until_ms: int | None = None, newest_first: bool = True
    ) -> Query[Message]:
        """The unread messages of a user's inbox, newest first; a group has none.

        Costs: one scan of a page's lines and one more, one call that gets their messages, and one that gets the bodies
        of group messages.
        """
        messages = self._messages.ask(UNREAD, receiver=user, sent_ms=between(since_ms, until_ms))
        return messages.newest_first(newest_first).then(self._with_bodies)

    def conversation(
        self,
        owner: str,
        peer: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        newest_first: bool = True,
    ) -> Query[Message]:
        """The messages between two users that `owner` has not deleted, without copies of group messages.

        If `peer` is `owner`: the notes that `owner` sent to `owner`.
        Costs: one scan of each of the two inboxes, side by side; the client drops all other messages.
        """
        check_text("owner", owner)
        check_text("peer", peer)
        pair = [*dict.fromkeys([owner, peer])]
        inboxes = self._messages.ask(receiver=any_of(pair, merged=True), sent_ms=between(since_ms, until_ms))
        messages = inboxes.where(sender=any_of(pair), group=None).newest_first(newest_first)
        return messages.then(partial(conversation_of, owner, peer))

    def _with_bodies(self, messages: list[StoredMessage]) -> list[Message | InvalidRow]:
        """The messages with their bodies. One call gets the group messages, which have the bodies of copies."""
        row = self.writer.source.row
        row_of = {message: row(original_of(message)) for message in messages if message.group is not None}
        originals = self.writer.reader.read_each(row_of.values()) if row_of else {}
        return [_with_body(message, originals.get(row_of.get(message, b""))) for message in messages]

    # ---- upkeep

    def erase(self, user: str) -> int:
        """Removes every row that names a user from every table; returns how many of these rows remain for now.

        So the messages that the user sent or received vanish for both sides, also copies of group messages. A message
        that another user sent to a group remains for its other members, without the user among them; sending it again
        unchanged is then a `MessageConflict`. The texts of others remain as they are, even if they mention the user.

        The source of a deleted message remains for 42 minutes, so that it outlasts every call under way. The erasure
        itself is stored until then, and `upkeep.recover` removes what remains, without a second call. If `erase` dies,
        `upkeep.recover` completes it ten minutes later, or repeating the call does so at once; `recover` spares
        messages that are sent two minutes later than the erasure, and deletes earlier ones even if the user came back.
        `erase` may be called again at any time. If it returns 0, a full scan has found no row of the user. For messages
        that are sent meanwhile, call it again. A message that cannot be read counts as remaining; see `verify`.

        It first recovers pending writes and deliveries. Raises ClockSkew before anything is deleted.
        Costs: those of `upkeep.recover`; one scan of all inboxes, one of each list; for each message those of deleting
        it, and a cell of the erasure.
        """
        check_text("user", user)
        if user.startswith(GROUP_SIGN):
            raise InvalidQuestion(f"user: must not be a group (got {shown(user)})")
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(user)


def after_send(message: Message, stored: StoredMessage | None) -> StoredMessage:
    """The message as `send` leaves it: a stored message stays as it is. Raises MessageConflict if it is another one."""
    if stored is None:
        return StoredMessage.of(message)
    has_body = stored.needs_body
    if stored.removed_body not in (None, digest_of(message.body)):
        raise MessageConflict(
            f"Message.body: message {shown(message.message_id)} of {shown(message.sender)} had another body, and both "
            f"sides deleted it (got {shown(message.body)})"
        )
    for name in ("body", "members", "is_read"):
        stored_value, value = getattr(stored, name), getattr(message, name)
        if stored_value != value and (name, value) != ("is_read", False) and (name != "body" or has_body):
            raise MessageConflict(
                f"Message.{name}: message {shown(message.message_id)} of {shown(message.sender)} is stored with "
                f"{shown(stored_value)} (got {shown(value)})" + ("; use mark_read" if name == "is_read" else "")
            )
    return stored


def after_mark_read(message: Message, stored: StoredMessage | None) -> StoredMessage:
    """The message once its receiver has read it."""
    if stored is None or not stored.in_inbox:
        raise _unknown(message)
    return attrs.evolve(stored, is_read=True)


def after_delete_from_inbox(message: Message, stored: StoredMessage | None) -> StoredMessage:
    """The message once its receiver has deleted it."""
    if stored is None:
        raise _unknown(message)
    return stored.changed(in_inbox=False)


def after_delete_from_outbox(message: Message, stored: StoredMessage | None) -> StoredMessage:
    """The message once its sender has deleted it."""
    if stored is None:
        raise _unknown(message)
    return stored.changed(in_outbox=False)


def _unknown(message: Message) -> UnknownMessage:
    return UnknownMessage(
        f"Message.message_id: {shown(message.receiver)} has no message {shown(message.message_id)} "
        f"of {shown(message.sender)}"
    )


def _with_body(message: StoredMessage, original: SourceRow[StoredMessage] | InvalidRow | None) -> Message | InvalidRow:
    """A message with its body; a copy with that of its group message, or with the error if that cannot be read."""
    if isinstance(original, InvalidRow):
        return original
    return message.with_body(message.body if original is None or original.record is None else original.record.body)


def original_of(copy: StoredMessage) -> MessageByReceiver:
    """The key of the group message of which this is a copy."""
    group = copy.group or ""
    return MessageByReceiver(group, copy.sent_ms, copy.sender, copy.message_id[len(group) + 1 :])


def conversation_of(owner: str, peer: str, messages: list[StoredMessage]) -> list[Message | None]:
    """Each message as `owner` has it; None if `owner` has deleted it, or if it is a user's note to the same user.

    Notes are kept if `peer` is `owner`.
    """
    answers: list[Message | None] = []
    for message in messages:
        has_it = (message.in_inbox and message.receiver == owner) or (message.in_outbox and message.sender == owner)
        is_of_pair = message.sender != message.receiver or owner == peer
        answers.append(message.with_body(message.body) if has_it and is_of_pair else None)
    return answers
