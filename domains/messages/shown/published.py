"""The keys of S3.2, S3.8 and S3.11 byte for byte as published: text joined by `_`, times in decimal digits."""

from collections.abc import Mapping
from typing import Any

from shared.exhibit import LONG_MAX, PublishedKey
from shared.tables import TableLayout

from ..keys import MESSAGES, OUTBOX, MessageByReceiver, MessageBySender
from .variants import one_table

SENT_MS = 1_700_000_000_000  # 2023-11-14T22:13:20Z
RECEIVER, SENDER, MESSAGE_ID = "u-17", "u-3", "m-42"

NAME = "any text, with the terminator `00 01`; before `_`, a scan of u would also match u_2"
TIME = "newest first: Long.MAX_VALUE - timestamp in eight bytes; digits sort as numbers only if they are equally many"
WIDTH = "eight bytes; `%013d` of this number are 19 digits, and the oldest row would come first if they were 13"
LAST = "with the same terminator as the other name"
NO_ID = "without it, two messages of one pair in one millisecond share a row"


def inbox_row_key(receiver: str, sent_ms: int, sender: str) -> str:
    """`inboxRowKey` of S3.11. Do not copy: the width that it declares is not the one that it has."""
    return "_".join([receiver, f"{LONG_MAX - sent_ms:013d}", sender])


def _published(
    source: str, quoted: str, table: TableLayout[Any, Any], text_parts: Mapping[str, str], why: Mapping[str, str]
) -> PublishedKey:
    parts = {name: text.encode() for name, text in text_parts.items()}
    key = MessageByReceiver(RECEIVER, SENT_MS, SENDER, MESSAGE_ID)
    if table is OUTBOX.layout:
        return PublishedKey(source, quoted, table, MessageBySender(SENDER, SENT_MS, RECEIVER, MESSAGE_ID), parts, why)
    return PublishedKey(source, quoted, table, key, parts, why)


PUBLISHED = (
    _published(
        "S3.2",
        "userId_timestamp",
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": str(SENT_MS)},
        {"receiver": NAME, "sent_ms": TIME, "sender": "without it, two messages of one millisecond share a row"}
        | {"message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "receiverId_timestamp_senderId",
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": f"{SENT_MS}_", "sender": SENDER},
        {"receiver": NAME, "sent_ms": TIME, "sender": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "senderId_timestamp_receiverId",
        OUTBOX.layout,
        {"sender": f"{SENDER}_", "sent_ms": f"{SENT_MS}_", "receiver": RECEIVER},
        {"sender": NAME, "sent_ms": TIME, "receiver": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.11",
        'inboxRowKey: receiverId, String.format("%013d", Long.MAX_VALUE - timestamp), senderId',
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": f"{LONG_MAX - SENT_MS:013d}_", "sender": SENDER},
        {"receiver": NAME, "sent_ms": WIDTH, "sender": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "receiverId_timestamp",
        one_table.RECEIVED.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": str(SENT_MS)},
        {"receiver": NAME, "sent_ms": TIME, "sender": "the peer: without it, two peers in one millisecond share a row"}
        | {"message_id": NO_ID},
    ),
)
