"""The index of a file: for short and long keys, and with and without compression."""

import random
from typing import Any

from tests.programs.claims.blocks import of_file
from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.server import HBase

KEY_BYTES = (16, 100)
COMPRESSIONS = ("NONE", "GZ")
ROWS = 200_000
VALUE_BYTES = 50


def row(number: int, length: int) -> bytes:
    """A key of this length: what tells keys apart is at their end."""
    return b"%0*d" % (length, number)


def index_sizes(connection: Any, hbase: HBase) -> dict[str, object]:
    """For each length of keys, without and with compression, the file of a table and its index."""
    names = {
        (length, compression): f"index_{length}_{compression.lower()}"
        for length in KEY_BYTES
        for compression in COMPRESSIONS
    }
    for (length, compression), name in names.items():
        connection.create_table(name, {"f": {"compression": compression, "max_versions": 1}})
        chance = random.Random(1)
        with connection.table(name).batch(batch_size=2_000) as batch:
            for number in range(ROWS):
                batch.put(row(number, length), {b"f:v": chance.randbytes(VALUE_BYTES // 2).hex().encode()})
    in_shell(hbase.info_url, *(f"flush '{name}'" for name in names.values()))
    found = [
        {"key_bytes": length, "compression": compression} | of_file(hbase, name)
        for (length, compression), name in names.items()
    ]
    for name in names.values():
        connection.delete_table(name, disable=True)
    return {"rows": ROWS, "value_bytes": VALUE_BYTES, "files": found}
