"""One table for both sides, as published: [owner][time, newest first][peer][message id], families inbox and outbox.

The key of S3.8 is the receiver and the time, for both families; so a sender's messages are in the rows of their
receivers, see `traps.py`. Here the owner leads, and the family says whether the owner received or sent the message. In
`inbox` the peer is the sender, in `outbox` the receiver. A scan of one family reads no files of the other family.
"""

from functools import partial

from shared.tables import TEXTS, Column, RecordCells, TableLayout

from ..keys import INBOX as SOURCES
from ..keys import OUTBOX as LINES
from ..records import Message
from . import copies
from .copies import PlainTables


def _cells(family: str) -> RecordCells[Message]:
    columns = {
        "body": Column(f"{family}:b"),
        "is_read": Column(f"{family}:r"),
        "group": Column(f"{family}:g"),
        "members": Column(f"{family}:m", TEXTS),
    }
    return RecordCells(Message, columns)


CELLS = _cells("inbox"), _cells("outbox")

INBOX = TableLayout("messages_by_owner", "the message, received", SOURCES.key, CELLS[0])
OUTBOX = TableLayout("messages_by_owner", "the message, sent", LINES.key, CELLS[1])

TABLES = PlainTables(INBOX, OUTBOX)

Repository = partial(copies.Repository, tables=TABLES, cells=CELLS)
