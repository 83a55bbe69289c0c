"""The cost of reading an inbox of `copies` after a TTL or deletes have removed its old messages."""

import time
from collections.abc import Iterator
from typing import Any

import attrs

from shared.designs import metered
from shared.stores import connect
from shared.tables import Family, create_tables

from ..records import Message
from .variants import copies

DAY_MS = 86_400_000
SENT_DAYS, KEPT_DAYS = 100, 30
"""One message was sent on each of `SENT_DAYS` days; those of the last `KEPT_DAYS` days are kept."""
PAGE = 5
"""Number of messages in a page."""


def compare_retention() -> Iterator[str]:
    """Lines to print, one for each way to remove: the remaining messages, and the rows read for a page at either end.

    Scans read past deleted rows, and past expired ones, until a major compaction.
    """
    for way, ttl_seconds in (("TTL", KEPT_DAYS * DAY_MS // 1000 - 60), ("deletes", None), ("compacted", None)):
        connection: Any = connect("embedded:")  # only this store has `compact`
        family = {"m": Family(ttl_seconds=ttl_seconds)}
        create_tables(connection, [attrs.evolve(table, families=family) for table in copies.TABLES])
        messages = copies.Repository(connection)
        now_ms = time.time_ns() // 1_000_000
        for days_ago in range(SENT_DAYS):
            messages.send(Message("ada", "bob", now_ms - days_ago * DAY_MS, "m", "hello"))
        if way != "TTL":
            messages.delete_before("bob", now_ms - (KEPT_DAYS - 1) * DAY_MS)
        if way == "compacted":
            connection.compact(copies.RECEIVED.layout.name)
        with metered(connection) as newest:
            messages.inbox("bob").page(PAGE)
        with metered(connection) as oldest:
            messages.inbox("bob", newest_first=False).page(PAGE)
        remaining = messages.inbox("bob").count()
        rows_read = f"for {PAGE} newest {newest.rows_read}, for {PAGE} oldest {oldest.rows_read}"
        yield f"{way}: {remaining} left; rows read {rows_read}"
