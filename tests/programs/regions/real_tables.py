"""Tables of a real HBase with options that only its shell can set, their rows, and the files that HBase writes.

The files are read where HBase keeps them: on the disk of this machine, as `make hbase` has them.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import happybase
from Hbase_thrift import BatchMutation, Mutation
from thriftpy2.thrift import TApplicationException

from shared.exhibit.hfiles import FileCell
from tests.programs.hbase.table_files import region_files, region_folders
from tests.programs.hbase.write_counts import server_counters

BATCH = 500
"""Rows that are sent in one call."""
LONGEST_S = 10
"""Seconds that HBase has to split a region and to compact its halves."""
FLUSHED_S = 0.5
"""Seconds in which HBase writes a file of a batch."""
COUNTED_S = 12
"""Seconds after which the counters of a region server have what it wrote: it refreshes them every 5 seconds."""


def put_cells(connection: happybase.Connection, name: str, cells: Iterable[FileCell]) -> None:
    """Puts cells with their timestamps, those of one timestamp in one call."""
    at: defaultdict[int, defaultdict[bytes, list[Mutation]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        column = cell.family + b":" + cell.qualifier
        at[cell.timestamp_ms][cell.row].append(Mutation(column=column, value=cell.value))
    table = connection.table(name).name
    for timestamp_ms, rows in at.items():
        batch = [BatchMutation(row=row, mutations=mutations) for row, mutations in rows.items()]
        for start in range(0, len(batch), BATCH):
            connection.client.mutateRowsTs(table, batch[start : start + BATCH], timestamp_ms, {})


def put_rows(connection: happybase.Connection, name: str, rows: Sequence[bytes], value: bytes) -> None:
    """Puts one cell in each row."""
    table = connection.table(name).name
    batch = [BatchMutation(row=row, mutations=[Mutation(column=b"f:q", value=value)]) for row in rows]
    connection.client.mutateRows(table, batch, {})


def file_bytes(folder: Path, name: str) -> dict[str, list[int]]:
    """For each region of a table, by its encoded name, how large its files are, without those that refer to others."""
    return {
        region.name: [file.stat().st_size for file in region_files(region) if "." not in file.name]
        for region in region_folders(folder, name)
    }


def wait_until_split(connection: happybase.Connection, folder: Path, name: str, max_bytes: int) -> None:
    """Waits until no region of a table has more than `max_bytes`, and none refers to files of one that was split.

    HBase splits a region that is too large once it has written a file of it, but not before it refers to no such file.
    """
    latest_s = time.monotonic() + LONGEST_S
    time.sleep(FLUSHED_S)
    while time.monotonic() < latest_s:
        regions = [encoded(region) for region in regions_of(connection, name)]
        with suppress(FileNotFoundError):  # HBase has just removed one
            if _are_split(folder, name, regions, max_bytes):
                return
        time.sleep(0.2)


def _are_split(folder: Path, name: str, regions: Collection[str], max_bytes: int) -> bool:
    sizes = file_bytes(folder, name)
    folders = [region for region in region_folders(folder, name) if region.name in regions]
    refer = any("." in file.name for region in folders for file in region_files(region))
    return not refer and all(region in sizes and sum(sizes[region]) <= max_bytes for region in regions)


def regions_of(connection: happybase.Connection, name: str) -> list[Any]:
    """The regions of a table in key order; waits while HBase is splitting one of them."""
    latest_s = time.monotonic() + LONGEST_S
    while True:
        try:
            return list(connection.table(name).regions())
        except TApplicationException:  # HBase fails if a region has no server at the moment
            if time.monotonic() > latest_s:
                raise
            time.sleep(0.2)


def encoded(region: Mapping[str, bytes]) -> str:
    """The encoded name of a region, which is the name of its folder."""
    return region["name"].split(b".")[-2].decode()


def written_bytes(info_url: str) -> dict[str, int]:
    """Bytes that the region servers have written by flushes and by compactions, as soon as they have counted them."""
    time.sleep(COUNTED_S)
    counters = server_counters(info_url)
    return {"flushed": counters["flushedOutputBytes"], "compacted": counters["compactedOutputBytes"]}
