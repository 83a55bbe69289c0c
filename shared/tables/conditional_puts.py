"""HBase's `checkAndPut`, which decides between writers of one cell."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import happybase


def put_if(
    rows: "happybase.Table",
    row: bytes,
    column: bytes,
    expected: bytes | None,
    value: bytes,
    *,
    into: bytes | None = None,
) -> bool:
    """Puts a value into a cell if that has the `expected` value (None: is missing); returns whether it did.

    `into` is the column to put the value into, if not the one that is compared. The region server dates the cell. HBase
    treats an empty cell as missing. If the reply is lost, nothing tells whether the value was put. Costs: 1
    checkAndPut.
    """
    from Hbase_thrift import Mutation  # a module that happybase makes

    put = Mutation(column=column if into is None else into, value=value)
    is_put: bool = rows.connection.client.checkAndPut(rows.name, row, column, expected, put, {})
    return is_put
