"""Tables of a real HBase with options that only its shell can set, their rows, and the files that HBase writes.

The files are read where HBase keeps them: on the disk of this machine, as `make hbase` has them.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import happybase
from Hbase_thrift import BatchMutation, Mutation
from thriftpy2.thrift import TApplicationException

from shared.designs.hfiles import FileCell

BATCH = 500
"""Rows that are sent in one call."""
LONGEST_S = 10
"""Seconds that HBase has to split a region and to compact its halves."""
FLUSHED_S = 0.5
"""Seconds in which HBase writes a file of a batch."""
COUNTED_S = 12
"""Seconds after which the counters of a region server have what it wrote: it refreshes them every 5 seconds."""
_SERVER = "Hadoop:service=HBase,name=RegionServer,sub=Server"


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


def flush(connection: happybase.Connection, name: str) -> None:
    """Makes HBase write what it has of a table in memory."""
    connection.disable_table(name)
    connection.enable_table(name)


def file_bytes(root: Path, name: str) -> dict[str, list[int]]:
    """The sizes of the files of each region of a table, by its encoded name; none of them is a reference."""
    sizes: dict[str, list[int]] = {}
    for region in (root / "data" / "default" / name).glob("[0-9a-f]" * 32):
        sizes[region.name] = [file.stat().st_size for file in _files(region) if "." not in file.name]
    return sizes


def _files(region: Path) -> Iterator[Path]:
    return (file for file in region.glob("[!.]*/*") if re.fullmatch(r"[0-9a-f]{32}(\..*)?", file.name))


def wait_until_split(connection: happybase.Connection, root: Path, name: str, max_bytes: int) -> None:
    """Waits until no region of a table has more than `max_bytes`, and none refers to files of one that was split.

    HBase splits a region that is too large once it has written a file of it, but not before it refers to no such file.
    """
    latest_s = time.monotonic() + LONGEST_S
    time.sleep(FLUSHED_S)
    while time.monotonic() < latest_s:
        regions = [encoded(region) for region in regions_of(connection, name)]
        with suppress(FileNotFoundError):  # HBase has just removed one
            if _are_split(root, name, regions, max_bytes):
                return
        time.sleep(0.2)


def _are_split(root: Path, name: str, regions: Iterable[str], max_bytes: int) -> bool:
    sizes = file_bytes(root, name)
    refer = any("." in file.name for region in regions for file in _files(root / "data" / "default" / name / region))
    return not refer and all(region in sizes and sum(sizes[region]) <= max_bytes for region in regions)


def regions_of(connection: happybase.Connection, name: str) -> list[Any]:
    """The regions of a table in key order, as soon as none of them is just being split."""
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
    with urlopen(f"{info_url}/jmx?qry={quote(_SERVER)}", timeout=10) as answer:
        (bean,) = json.load(answer)["beans"]
    return {"flushed": bean["flushedOutputBytes"], "compacted": bean["compactedOutputBytes"]}
