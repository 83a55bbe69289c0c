"""The errors for a record that cannot be stored and for a row that does not hold one."""

import attrs

from ..keys.errors import shown_bytes


class InvalidRecord(ValueError):
    """A record that cannot be stored, or cells that do not hold one; the message names record and attribute."""


@attrs.define(on_setattr=attrs.setters.frozen)  # not a frozen class: tools such as typer set attributes of their own
class InvalidRow(InvalidRecord):
    """A stored row that is not a record of its table; the message names table, row and reason."""

    table: str
    row: bytes
    reason: str
    """One line of text."""

    def __str__(self) -> str:
        return f"{self.table}: row {shown_bytes(self.row)}: {self.reason}"
