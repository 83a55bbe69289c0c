"""Tables of a real HBase with options that only its shell can set, their rows, and the files that HBase writes.

The files are read where HBase keeps them: on the disk of this machine, as `make hbase` has them.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
COUNTED_S = 12
"""Seconds after which a region server's counters have what it wrote: it refreshes them every 5, and keeps an answer 10."""
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


def wait_until_whole(connection: happybase.Connection, root: Path, name: str) -> None:
    """Waits until no region of a table refers to files of one that was split: before, HBase does not split it."""
    latest_s = time.monotonic() + LONGEST_S
    while time.monotonic() < latest_s:
        folders = [root / "data" / "default" / name / encoded(region) for region in regions_of(connection, name)]
        refer = any("." in file.name for folder in folders for file in _files(folder))
        if all(folder.exists() for folder in folders) and not refer:
            return
        time.sleep(0.2)


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
