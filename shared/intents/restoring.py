"""Making a record again from lines that outlived its source."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import attrs

from ..keys.errors import listed, message_of, shown
from ..tables import InvalidRecord, InvalidRow, TableLayout
from .intent_rows import Dated
from .source_cells import SourceRow
from .writer import IntentWriter

R = TypeVar("R")


class NotRestorable(ValueError):
    """The lines do not make a record; the message says why."""


@attrs.frozen
class StoredLine:
    """A line as it was read."""

    table: TableLayout[Any, Any]
    row: bytes
    cells: Dated

    @property
    def values(self) -> dict[bytes, bytes]:
        """The cells without their timestamps."""
        return {column: value for column, (value, _) in self.cells.items()}

    @property
    def newest_ms(self) -> int:
        """The largest timestamp of its cells; 0 if there are none."""
        return max((written_ms for _, written_ms in self.cells.values()), default=0)

    def attributes(self) -> dict[str, Any]:
        """The attributes that its key and its cells hold. Raises InvalidRow."""
        line = self.table.record(self.row, self.values)
        names = dict.fromkeys([*self.table.key.part_named, *self.table.cells.cell_attributes])
        return {name: getattr(line, name) for name in names}

    def __str__(self) -> str:
        try:
            return ", ".join(f"{name}={shown(value)}" for name, value in self.attributes().items())
        except InvalidRow as error:
            return f"cells that cannot be read: {error.reason}"


def restored_record(writer: IntentWriter[R], stored: SourceRow[R], lines: Iterable[StoredLine]) -> R:
    """The record that these lines hold, over what the stored source holds; newer lines win.

    Raises NotRestorable if an attribute is neither in a line nor in the source, or if the record does not have the
    newest of these lines.
    """
    lines = sorted(lines, key=lambda line: line.newest_ms)
    record_class: Any = writer.cells.record
    fields = {field.name: field for field in attrs.fields(record_class) if field.init}
    values: dict[str, Any] = {} if stored.record is None else {name: getattr(stored.record, name) for name in fields}
    try:
        for line in lines:
            values |= {name: value for name, value in line.attributes().items() if name in fields}
        if missing := [name for name in fields if name not in values]:
            raise NotRestorable(f"no line holds {listed(missing)}")
        record: R = record_class(**{fields[name].alias: value for name, value in values.items()})
        derived = writer.derived(record)
    except (InvalidRecord, TypeError, ValueError) as error:
        raise NotRestorable(message_of(error)) from None
    for line in lines:
        if line.newest_ms == lines[-1].newest_ms and not _has(derived, line):
            raise NotRestorable("its lines contradict each other")
    return record


def _has(derived: Mapping[tuple[str, bytes, bytes], bytes], line: StoredLine) -> bool:
    return all(derived.get((line.table.name, line.row, column)) == value for column, value in line.values.items())
