"""Four tables of messages: inbox, outbox, unread, unfinished deliveries; and two of erasures and writes.

A message is stored in one cell in its receiver's inbox: that row is the source, because inboxes are read most. The rows
of the other lists say only that there is a message, and a page of them fetches the messages: a body is stored once, in
however many lists it appears.
"""

from shared.intents import ErasuresTable
from shared.keys import Descending, EscapedText, Int64, part, row_key
from shared.sources import Source
from shared.tables import TEXTS, Column

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
    Costs:  one scan, which reads one row more than the page, and one call that gets the messages.
    Fixed:  as `MessageByReceiver`.
    Source: S3.8
    """

    sender: str = part(EscapedText, "who sent it; any text")
    sent_ms: int = part(Descending(Int64), "when sent, milliseconds since 1970 UTC, newest first")
    receiver: str = part(EscapedText, "who received it: a user or a group; any text")
    message_id: str = part(EscapedText, "distinguishes messages of one pair in one millisecond")


MESSAGES = Source(
    "messages_inbox",
    MessageByReceiver,
    StoredMessage,
    {
        "body": "m:b",
        "is_read": "m:r",
        "group": "m:g",
        "members": Column("m:m", TEXTS),
        "delivered": "m:d",
        "in_inbox": "m:i",
        "in_outbox": "m:o",
        "removed_body": "m:h",
    },
    cell="m:message",
    intents="messages_intents",
    holds="the message",
)
OUTBOX = MESSAGES.moving_list("messages_outbox", MessageBySender, when=lambda message: message.in_outbox)
UNREAD = MESSAGES.moving_list(
    "messages_unread",
    MessageByReceiver,
    when=lambda message: message.in_inbox and not message.is_read and not message.to_group,
    holds="one unread message of a user",
)
UNFINISHED = MESSAGES.moving_list(
    "messages_unfinished",
    MessageByReceiver,
    when=lambda message: not message.is_delivered,
    holds="one group message under delivery",
)

ERASURES = ErasuresTable("messages_erasures")

TABLES = (*MESSAGES.tables, *ERASURES.tables)
