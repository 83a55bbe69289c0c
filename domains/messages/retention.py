"""Old messages removed by a TTL and by deletes: what a reader of the inbox still pays for them. In `copies`."""

import time
from collections.abc import Iterator

import attrs

from shared.designs import metered
from shared.stores import EmbeddedConnection
from shared.tables import Family, create_tables

from .records import Message
from .variants.copies import INBOX, TABLES, PlainMessageRepository

DAY_MS = 86_400_000
SENT_DAYS, KEPT_DAYS = 100, 30
"""One message was sent on each day; those of the last days are kept."""
PAGE = 5


def compare_retention() -> Iterator[str]:
    """One line for each way: the messages that are left, and the rows that the store reads for a page at either end.

    Deleted rows are read past until a major compaction; so are expired ones.
    """
    for way, ttl_seconds in (("TTL", KEPT_DAYS * DAY_MS // 1000 - 60), ("deletes", None), ("compacted", None)):
        connection = EmbeddedConnection(None)
        family = {"m": Family(ttl_seconds=ttl_seconds)}
        create_tables(connection, [attrs.evolve(table, families=family) for table in TABLES])
        messages = PlainMessageRepository(connection)
        now_ms = time.time_ns() // 1_000_000
        for days_ago in range(SENT_DAYS):
            messages.send(Message("ada", "bob", now_ms - days_ago * DAY_MS, "m", "hello"))
        if way != "TTL":
            messages.delete_before("bob", now_ms - (KEPT_DAYS - 1) * DAY_MS)
        if way == "compacted":
            connection.compact(INBOX.name)
        with metered(connection) as newest:
            messages.inbox("bob").page(PAGE)
        with metered(connection) as oldest:
            messages.inbox("bob", newest_first=False).page(PAGE)
        left = messages.inbox("bob").count()
        read = f"for {PAGE} newest {newest.rows_read}, for {PAGE} oldest {oldest.rows_read}"
        yield f"{way}: {left} left; rows read {read}"
