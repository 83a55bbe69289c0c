"""The errors for a record that cannot be stored and for a row that does not hold one."""

import attrs

from ..keys.errors import shown_bytes


class InvalidRecord(ValueError):
    """A record that cannot be stored, or cells that do not hold one; the message names record and attribute."""


@attrs.define(on_setattr=attrs.setters.frozen)  # not a frozen class: tools such as typer set attributes of their own
class InvalidRow(InvalidRecord):
    """A stored row, or one cell of a row with many records, that is not a record of its table.

    The message names table, row, column if it is one cell, and reason.
    """

    table: str
    row: bytes
    reason: str
    """One line of text."""
    column: bytes | None = None
    """The damaged cell of a row with many records; None if it is the row."""

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {shown_bytes(self.column)}"
        return f"{self.table}: row {shown_bytes(self.row)}{column}: {self.reason}"
