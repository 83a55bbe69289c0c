"""Four tables of messages: inbox, outbox, unread, unfinished deliveries; and two of erasures and writes.

A message is stored in one cell in its receiver's inbox: that row is the source, because inboxes are read most. The rows
of the other lists say only that there is a message, and a page of them fetches the messages: a body is stored once, in
however many lists it appears.
"""

from typing import Any, NamedTuple

from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
from shared.tables import TEXTS, Column, Family, RecordCells, TableLayout
from shared.writes import (
    KEEP_TOMBSTONES_MS,
    ErasedName,
    ErasedSource,
    Erasure,
    Intent,
    SourceCells,
    erasures_tables,
    intents_table,
)

from .records import StoredMessage


@row_key
class MessageByReceiver:
    """One message in its receiver's inbox.

    Order:  by receiver, newest first, then by sender, then by message id.
    Serves: a user's inbox; the messages that a user received in a period; the latest N of them.
    Costs:  one scan of a page's rows, and one call that gets the bodies of group messages. Messages that the receiver
            deleted are read and dropped.
    Fixed:  the widths and the direction of time; changing them means a new table.
    Source: S3.2, S3.8: there a key is text, and two messages of one pair in one millisecond share a row.
    """

    receiver: str = part(EscapedText, "who received it: a user or a group; any text")
    sent_ms: int = part(Descending(Int64), "when sent, milliseconds since 1970 UTC, newest first")
    sender: str = part(EscapedText, "who sent it; any text")
    message_id: str = part(EscapedText, "distinguishes messages of one pair in one millisecond")


@row_key
class MessageBySender:
    """One line in a sender's outbox.

    Order:  by sender, newest first, then by receiver, then by message id.
    Serves: a user's outbox; the messages that a user sent in a period; the latest N of them.
    Costs:  one scan of a page's lines and one more, and one call that gets their messages.
    Fixed:  as `MessageByReceiver`.
    Source: S3.8
    """

    sender: str = part(EscapedText, "who sent it; any text")
    sent_ms: int = part(Descending(Int64), "when sent, milliseconds since 1970 UTC, newest first")
    receiver: str = part(EscapedText, "who received it: a user or a group; any text")
    message_id: str = part(EscapedText, "distinguishes messages of one pair in one millisecond")


MESSAGE_COLUMNS = {
    "body": Column("m:b"),
    "is_read": Column("m:r"),
    "group": Column("m:g"),
    "members": Column("m:m", TEXTS),
}
MESSAGE_CELLS = RecordCells(
    StoredMessage,
    {
        **MESSAGE_COLUMNS,
        "delivered": Column("m:d"),
        "in_inbox": Column("m:i"),
        "in_outbox": Column("m:o"),
        "removed_body": Column("m:h"),
    },
)
RECEIVER_CELLS = RecordCells(MessageByReceiver, {}, marker="m:x")
SENDER_CELLS = RecordCells(MessageBySender, {}, marker="m:x")

DERIVED = {"m": Family(keep_tombstones_ms=KEEP_TOMBSTONES_MS)}

INBOX = TableLayout(
    "messages_inbox", "the message", KeyLayout(MessageByReceiver), SourceCells(MESSAGE_CELLS, "m:message")
)
OUTBOX = TableLayout("messages_outbox", "a line of an outbox", KeyLayout(MessageBySender), SENDER_CELLS, DERIVED)
UNREAD = TableLayout("messages_unread", "a line for an unread message", INBOX.key, RECEIVER_CELLS, DERIVED)
UNFINISHED = TableLayout(
    "messages_unfinished", "a line for a group message under delivery", INBOX.key, RECEIVER_CELLS, DERIVED
)
INTENTS = intents_table("messages_intents")

ERASURES, (ERASED_MESSAGES,) = erasures_tables("messages_erasures", writers=1)


class MessageTables(NamedTuple):
    """The messages in the inboxes of their receivers, their lists, the erasures of users, and the writes under way."""

    inbox: TableLayout[Any, StoredMessage]
    outbox: TableLayout[Any, MessageBySender]
    unread: TableLayout[Any, MessageByReceiver]
    unfinished: TableLayout[Any, MessageByReceiver]
    erasures: TableLayout[ErasedName, Erasure]
    erased_messages: TableLayout[ErasedName, ErasedSource]
    intents: TableLayout[Any, Intent]


TABLES = MessageTables(INBOX, OUTBOX, UNREAD, UNFINISHED, ERASURES, ERASED_MESSAGES, INTENTS)
