"""One table for both sides, as published: [owner][time, newest first][peer][message id], families inbox and outbox.

The key of S3.8 is the receiver and the time, for both families; so a sender's messages are in the rows of their
receivers. Here the owner leads, and the family says whether the owner received or sent the message. In
`inbox` the peer is the sender, in `outbox` the receiver. A scan of one family reads no files of the other family.
"""

from functools import partial

from shared.sources import Table

from ...keys import MessageByReceiver, MessageBySender
from ...records import Message
from . import copies

RECEIVED = Table("messages_by_owner", MessageByReceiver, Message, copies.columns_in("inbox"))
SENT = Table("messages_by_owner", MessageBySender, Message, copies.columns_in("outbox"))
TABLES = (*RECEIVED.tables, *SENT.tables)

Repository = partial(copies.Repository, received=RECEIVED, sent=SENT)
