"""The files in which an HBase keeps its tables, on the disk of this machine, as `make hbase` has them."""

import re
from collections.abc import Iterator
from pathlib import Path

import happybase


def write_files(connection: happybase.Connection, table: str) -> None:
    """Makes HBase write to files what it has of a table in memory, as it does when the table is disabled."""
    connection.disable_table(table)
    connection.enable_table(table)


def region_folders(folder: Path, table: str) -> Iterator[Path]:
    """The folders of the regions of a table; `folder` is that of the HBase."""
    return (folder / "hbase" / "data" / "default" / table).glob("[0-9a-f]" * 32)


def region_files(region: Path) -> Iterator[Path]:
    """The files in the folder of a region; a name with a dot refers to a file of a region that was split."""
    return (file for file in region.glob("[!.]*/*") if re.fullmatch(r"[0-9a-f]{32}(\..*)?", file.name))
