"""What a read touches before and after a flush, and the bytes of rows with longer keys in the MemStore and the cache.

The HBase has one region server, because its counters are those of the first one.
"""

import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from shared.exhibit.comparison import stored_bytes
from shared.stores import connect
from tests.programs.hbase.server import HBase, running
from tests.programs.hbase.table_files import region_files, region_folders, write_files
from tests.programs.hbase.write_counts import server_counters

KEY_BYTES = (10, 50, 100)
ROWS = 50_000
COLUMN, VALUE = b"f:v", b"12345678"
GETS = 100
"""Rows of a table that is one block."""
SETTLED_S = 20
"""The counters are as old as this at most: a server computes them every five seconds, and caches them for ten."""


def memory(_connection: Any, _hbase: HBase) -> dict[str, object]:
    """What gets touch, and the bytes of memory that rows take, for each length of keys."""
    with running(region_servers=1) as hbase, closing(connect(f"{hbase.url}&timeout_ms=120000")) as connection:
        return {"gets": GETS, "reads": _reads(connection, hbase), "rows": ROWS, "keys": _keys(connection, hbase)}


def _settled(hbase: HBase) -> dict[str, Any]:
    time.sleep(SETTLED_S)
    return server_counters(hbase.info_url)


def _reads(connection: Any, hbase: HBase) -> list[dict[str, object]]:
    """Gets of a hundred rows: right after they were put, after a flush, and once more."""
    connection.create_table("read", {"f": {"block_cache_enabled": True}})
    table, rows = connection.table("read"), [b"%010d" % number for number in range(GETS)]
    _put(table, rows)
    found: list[dict[str, object]] = []
    for moment in ("in memory", "after a flush", "again"):
        if moment == "after a flush":
            write_files(connection, "read")
        before = _settled(hbase)
        returned = sum(table.row(row) == {COLUMN: VALUE} for row in rows)
        after = _settled(hbase)
        files = [file for region in region_folders(hbase.folder, "read") for file in region_files(region)]
        found.append(
            {"moment": moment, "returned": returned, "files": len(files)}
            | {
                name: after[f"blockCacheData{counter}Count"] - before[f"blockCacheData{counter}Count"]
                for name, counter in (("from_file", "Miss"), ("from_cache", "Hit"))
            }
        )
    return found


def _put(table: Any, rows: Iterable[bytes]) -> None:
    with table.batch(batch_size=2_000) as batch:
        for row in rows:
            batch.put(row, {COLUMN: VALUE})


def _keys(connection: Any, hbase: HBase) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for length in KEY_BYTES:
        name = f"keys_{length}"
        connection.create_table(name, {"f": {"block_cache_enabled": True}})
        rows = [b"%0*d" % (length, number) for number in range(ROWS)]
        empty = _settled(hbase)
        _put(connection.table(name), rows)
        full = _settled(hbase)
        write_files(connection, name)
        flushed = _settled(hbase)
        assert sum(1 for _ in connection.table(name).scan(batch_size=2_000)) == ROWS
        cached = _settled(hbase)
        found.append(
            {
                "key_bytes": length,
                "stored_bytes": ROWS * stored_bytes(rows[0], COLUMN, VALUE),
                "memstore_bytes": full["memStoreHeapSize"] - empty["memStoreHeapSize"],
                "cache_bytes": cached["blockCacheSize"] - flushed["blockCacheSize"],
            }
        )
    return found
