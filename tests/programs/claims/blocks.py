"""Block sizes of long row keys: the size of a file's index, and how long a get and a scan take."""

import random
import re
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import happybase

from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.java import NotStarted, jars, run_java
from tests.programs.hbase.recording import times_in_turns
from tests.programs.hbase.server import POM, HBase
from tests.programs.hbase.table_files import region_files, region_folders

SIZES_KB = (8, 64, 512)
ROWS = 300_000
KEY_BYTES = 100
VALUE_BYTES = 50
GETS = 400
SCANS = 15
SCANNED = 5_000
HEAP_MB = 256


def row(number: int) -> bytes:
    """A key of a hundred bytes: what tells keys apart is at their end."""
    return b"%0*d" % (KEY_BYTES, number)


def block_sizes(connection: Any, hbase: HBase) -> dict[str, object]:
    """For each block size the index of the table's one file, and median milliseconds of its reads.

    The families have no block cache, so that every read takes its blocks from the file.
    """
    names = {size_kb: f"blocks{size_kb}" for size_kb in SIZES_KB}
    with connection.beyond_thrift1() as gateway:
        for size_kb, name in names.items():
            family = {"block_size": size_kb * 1024, "block_cache_enabled": False, "bloom_filter_type": "ROW"}
            gateway.create_split_table(name, {"f": family})
    chance = random.Random(1)
    for name in names.values():
        with connection.table(name).batch(batch_size=2_000) as batch:
            for number in range(ROWS):
                batch.put(row(number), {b"f:v": chance.randbytes(VALUE_BYTES)})
    in_shell(hbase.info_url, *(f"flush '{name}'" for name in names.values()))
    found = [{"kb": size_kb} | of_file(hbase, name) for size_kb, name in names.items()]

    def get(table: happybase.Table) -> None:
        table.row(row(chance.randrange(ROWS)))

    def scan(table: happybase.Table) -> None:
        first = chance.randrange(ROWS - SCANNED)
        assert len(list(table.scan(row(first), row(first + SCANNED), batch_size=SCANNED))) == SCANNED

    tables = {size_kb: connection.table(name) for size_kb, name in names.items()}
    gets, scans = (
        times_in_turns({size_kb: partial(ask, table) for size_kb, table in tables.items()}, rounds)
        for ask, rounds in ((get, GETS), (scan, SCANS))
    )
    for of_size in found:
        of_size["get_ms"] = round(median(gets[of_size["kb"]]), 2)
        of_size["scan_ms"] = round(median(scans[of_size["kb"]]), 1)
    for name in names.values():
        connection.delete_table(name, disable=True)
    return {"rows": ROWS, "key_bytes": KEY_BYTES, "scanned": SCANNED, "gets": GETS, "scans": SCANS, "sizes": found}


def of_file(hbase: HBase, table: str) -> dict[str, Any]:
    """The levels and the bytes of the index of a table's file, and its own bytes, as HBase's own tool prints them."""
    files = only_files(hbase, table, 1)
    class_path = [hbase.folder / "conf", jars(POM) / "*"]
    tool = "org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter"
    done = run_java(HEAP_MB, class_path, tool, "-m", "-f", f"file://{files[0]}")
    done.check_returncode()

    def figure(name: str) -> int:
        match = re.search(rf"{name}=(\d+)", done.stdout)
        assert match, done.stdout
        return int(match[1])

    return {
        "levels": figure("numDataIndexLevels"),
        "blocks": figure("dataIndexCount"),
        "index_bytes": figure("uncomressedDataIndexSize|uncompressedDataIndexSize"),
        "file_bytes": files[0].stat().st_size,
    }


def only_files(hbase: HBase, table: str, count: int) -> list[Path]:
    """The files of a table of one region, once they are so many: HBase flushes in the background."""
    latest_s = time.monotonic() + 60
    while (
        len(files := [file for region in region_folders(hbase.folder, table) for file in region_files(region)]) != count
    ):
        if time.monotonic() > latest_s:
            raise NotStarted(f"{table}: must have {count} files within 60 s (has {len(files)})")
        time.sleep(0.5)
    return files
