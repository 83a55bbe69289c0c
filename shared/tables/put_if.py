"""HBase's `checkAndPut`, which decides between writers of one cell."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import happybase


def put_if(rows: "happybase.Table", row: bytes, column: bytes, expected: bytes | None, value: bytes) -> bool:
    """Puts a value into a cell that is `expected`, None if it is missing; returns whether it did.

    The region server dates the cell. HBase takes an empty cell for a missing one. If the reply is lost, nothing tells
    whether the value was put. Costs: 1 checkAndPut.
    """
    from Hbase_thrift import Mutation  # a module that happybase makes

    put = Mutation(column=column, value=value)
    is_put: bool = rows.connection.client.checkAndPut(rows.name, row, column, expected, put, {})
    return is_put
