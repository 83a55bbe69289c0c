"""Tables with rows in them, on an empty embedded store: what the tests of scanning and pages stand on."""

from collections.abc import Iterable

import happybase

from shared.stores import connect

CELLS = {b"f:v": b"1"}


def stocked(rows: Iterable[bytes], name: str = "t") -> happybase.Table:
    """A table that holds these rows, each with the one cell f:v."""
    connection = connect("embedded:")
    connection.create_table(name, {"f": {}})
    table = connection.table(name)
    put(table, rows)
    return table


def put(table: happybase.Table, rows: Iterable[bytes]) -> None:
    with table.batch(batch_size=10_000) as batch:
        for row in rows:
            batch.put(row, CELLS)


def hexes(*rows: str) -> list[bytes]:
    """Rows written as hex with spaces at field borders."""
    return [bytes.fromhex(row) for row in rows]
