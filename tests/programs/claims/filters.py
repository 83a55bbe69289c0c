"""Filters that end a scan early, and two that do not: the rows that the server reads, as HBase's shell counts them."""

import re
from typing import Any

from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.server import HBase

TABLE = "filtered"
ROWS = [f"{letter}{number:02d}".encode() for letter in "abcde" for number in range(20)]
"""The rows; the cell of every second one is 1, of the others 0."""
SCANS = (
    ("", "ValueFilter(=, 'binary:1')"),
    ("", "RowFilter(=, 'regexstring:^c')"),
    ("", "PrefixFilter('c')"),
    ("c", "PrefixFilter('c')"),
    ("", "InclusiveStopFilter('c05')"),
    ("", "PageFilter(10)"),
)
"""The start row and the filter of each scan."""


def fill(connection: Any) -> None:
    """Stores the rows in a new table."""
    connection.create_table(TABLE, {"f": {}})
    with connection.table(TABLE).batch() as batch:
        for number, row in enumerate(ROWS):
            batch.put(row, {b"f:v": b"%d" % (number % 2)})


def early_ends(connection: Any, hbase: HBase) -> dict[str, object]:
    """For each scan the rows that the server read and those that it returned."""
    fill(connection)
    scans = [
        f"""scan '{TABLE}', {{STARTROW => '{start}', FILTER => "{filter}", ALL_METRICS => true}}"""
        for start, filter in SCANS
    ]
    printed = in_shell(hbase.info_url, *scans)
    connection.delete_table(TABLE, disable=True)
    found = zip(
        SCANS,
        re.findall(r"^(\d+) row\(s\)", printed, re.MULTILINE),
        re.findall(r"^ ROWS_SCANNED\s+(\d+)", printed, re.MULTILINE),
        strict=True,
    )
    return {
        "rows": len(ROWS),
        "scans": [
            {"from": start, "filter": filter, "read": int(read), "returned": int(returned)}
            for (start, filter), returned, read in found
        ],
    }
