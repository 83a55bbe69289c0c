"""Messages received and sent, in two families and in one: bytes of files, and reads of one kind or of both."""

from statistics import median
from typing import Any

from tests.programs.claims.blocks import only_files
from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.recording import times_in_turns
from tests.programs.hbase.server import HBase

ROWS = 100_000
BODY = b"lunch at noon, as always?"
COLUMNS = {
    "inbox and outbox": (("inbox", "outbox"), b"inbox:b", b"outbox:b"),
    "m": (("m",), b"m:ib", b"m:ob"),
}
"""The families of a table, and the columns of a message received and one sent."""
SCANNED = 10_000
ROUNDS = 15


def families(connection: Any, hbase: HBase) -> dict[str, object]:
    """For each table its files and their bytes, and median milliseconds of scans of received messages and of all."""
    tables = {name: connection.table(f"families{len(of)}") for name, (of, *_columns) in COLUMNS.items()}
    for name, (of, received, sent) in COLUMNS.items():
        connection.create_table(tables[name].name.decode(), {family: {"max_versions": 1} for family in of})
        with tables[name].batch(batch_size=2_000) as batch:
            for number in range(ROWS):
                batch.put(b"u-17%09d" % number, {(received, sent)[number % 2]: BODY})
    in_shell(hbase.info_url, *(f"flush '{of.name.decode()}'" for of in tables.values()))
    reads: dict[str, dict[str, Any]] = {
        "inbox and outbox": {"received": {"columns": [b"inbox"]}, "both": {}},
        "m": {"received": {"columns": [b"m:ib"]}, "both": {}},
    }
    taken = times_in_turns(
        {
            (name, read): lambda rows=rows, options=reads[name][read]: list(
                rows.scan(limit=SCANNED, batch_size=SCANNED, **options)
            )
            for name, rows in tables.items()
            for read in reads[name]
        },
        ROUNDS,
    )
    found = []
    for name, (of, *_columns) in COLUMNS.items():
        files = only_files(hbase, tables[name].name.decode(), len(of))
        found.append(
            {"families": name, "files": len(files), "bytes": sum(file.stat().st_size for file in files)}
            | {f"{read}_ms": round(median(taken[name, read]), 1) for read in ("received", "both")}
        )
        connection.delete_table(tables[name].name.decode(), disable=True)
    return {"rows": ROWS, "scanned": SCANNED, "rounds": ROUNDS, "tables": found}
