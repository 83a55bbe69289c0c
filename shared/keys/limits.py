"""Numbers and names of HBase that several rooms need."""

MAX_ROW_BYTES = 32_767
"""HBase: `HConstants.MAX_ROW_LENGTH`, the largest signed 16-bit int (not 64 KB, as often published).

Keys are checked in `reference.py`, rows of the embedded store in `stores/embedded/rules.py`."""
MAX_CELL_BYTES = 10_485_756
"""HBase: the most bytes of row, family, qualifier, value and 20 more. The region server counts 4 bytes more, and
compares with the 10,485,760 of `hbase.server.keyvalue.maxsize`.

Cells are checked in `tables/cells.py`, those of the embedded store in `stores/embedded/mutations.py`."""
MAX_FILTER_BYTES = 65_536
"""The text of a server-side filter, enough for some 3,000 filters. HBase has no such limit; the embedded store does."""
LATEST_MS = 2**63 - 1
"""HBase: `HConstants.LATEST_TIMESTAMP`, the last timestamp; in a write it means the server's clock."""
FOREVER_S = 2**31 - 1
"""HBase: `HConstants.FOREVER`, the time to live of a family whose cells do not expire."""
BLOCK_BYTES = 65_536
"""HBase: `HConstants.DEFAULT_BLOCKSIZE`, how much a region server reads from a file at a time."""
PURGE_DELETES = "hbase.hstore.time.to.purge.deletes"
"""HBase: the name, in a family's own configuration, of the milliseconds for which a compaction of all files keeps
tombstones; `HStore` reads it."""

IN_FLIGHT = 8
"""Requests that a connection of `hbase://` has under way at most, while it reads several ranges or decides a batch of
writes side by side; its URL may say otherwise."""
