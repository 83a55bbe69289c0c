"""What `rowbook explain` says of row keys besides their bytes: the names in them, and the contents of a cell."""

from collections.abc import Mapping
from typing import Any

import attrs

from shared.designs import CellContents, Design
from shared.designs.cell_contents import column_of
from shared.keys.errors import message_of, shown
from shared.tables import TableLayout

from .asking import MissingKeys, TableKeys, WrongUsage, from_hex


@attrs.frozen
class Cell:
    """A cell as the user gives it."""

    family: str | None
    """None for the only family of the table."""
    qualifier: bytes
    value: bytes


def read_cell(column: str | None, value: str | None) -> Cell | None:
    """The cell of a column, `HEX` or `FAMILY:HEX`, and a value in hex; None if neither is given."""
    if column is None and value is None:
        return None
    if column is None or value is None:
        given, missing = ("--value", "--column") if column is None else ("--column", "--value")
        raise WrongUsage(f"{given}: needs {missing}, too")
    family, colon, qualifier = column.rpartition(":")
    if not column or (colon and not family):
        raise WrongUsage(f"--column: must be HEX or FAMILY:HEX (got {shown(column)})")
    return Cell(family or None, from_hex("--column", qualifier), from_hex("--value", value))


@attrs.frozen
class ExplainedKey:
    """A row key of a table, and what was asked of it besides."""

    table: TableLayout[Any, Any]
    row: bytes
    names: Mapping[str, str] | None = None
    """What its parts stand for in a store; None if no store was given."""
    column: bytes = b""
    contents: CellContents | None = None
    """What the cell of this column holds; None if no cell was given."""

    def named(self, design: Design, repository: Any) -> "ExplainedKey":
        """The same key with the names that the repository knows. Raises ValueError."""
        if design.names_in_key is None:
            return self
        return attrs.evolve(self, names=design.names_in_key(repository, self.table.key.decode(self.row)))


def explained_keys(design: Design, keys: TableKeys, cell: Cell | None) -> tuple[list[ExplainedKey], MissingKeys]:
    """The keys with the contents of the cell, if there is one, and for each table that has no such cell the reason."""
    if cell is None:
        return [ExplainedKey(table, row) for table, row in keys], []
    explained: list[ExplainedKey] = []
    refused: MissingKeys = []
    for table, row in keys:
        try:
            column = column_of(table, cell.family, cell.qualifier)
            contents = design.contents_of(table, table.key.decode(row), column, cell.value)
        except ValueError as error:
            refused.append((table, message_of(error)))
        else:
            explained.append(ExplainedKey(table, row, None, column, contents))
    return explained, refused
