"""Rows of a Parquet file, by pyarrow (the extra `parquet`), as values that `values.py` reads.

Times and decimals become text, bytes become hex, maps and structs objects; null is None. A column of text may hold JSON
for a list or an object, as a cell of CSV does. The number of a row, from 1, stands for that of a line.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from .errors import UnreadableFile
from .formats import ParsedRows

ROWS_AT_ONCE = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""The digits after the second, by the unit of a column of timestamps."""


class ParquetTable:
    """An open file, with the attributes of a `TextFile` that tell how far it was read."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self.line_count = 0
        """How many rows have been read."""
        try:
            self.size_bytes: int | None = Path(path).stat().st_size
            self._file = pyarrow.parquet.ParquetFile(path)
        except (OSError, pyarrow.ArrowException) as error:
            raise UnreadableFile(f"{path}: {_reason(error)}") from None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [*self._file.schema_arrow.names]

    @property
    def read_bytes(self) -> int:
        """About how many bytes of the file have been read."""
        return (self.size_bytes or 0) * self.line_count // max(1, self._file.metadata.num_rows)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def rows(self) -> ParsedRows:
        """The values of each row; UnreadableFile for a damaged file."""
        names = self.columns
        try:
            for batch in self._file.iter_batches(ROWS_AT_ONCE):
                for values in zip(*map(_values, batch.columns), strict=True):
                    self.line_count += 1
                    yield self.line_count, self.line_count, dict(zip(names, values, strict=True))
        except (OSError, pyarrow.ArrowException) as error:
            raise UnreadableFile(f"{self._path}: {_reason(error)}, after row {self.line_count}") from None


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _values(column: pyarrow.Array) -> Iterator[Any]:
    """The values of a column."""
    if pyarrow.types.is_timestamp(column.type):
        digits = _DIGITS[column.type.unit]
        numbers = column.cast(pyarrow.int64()).to_pylist()
        return (None if number is None else _time(number, digits) for number in numbers)
    return map(_plain, column.to_pylist(maps_as_pydicts="strict"))


def _time(number: int, digits: int) -> str:
    """A time as ISO 8601 in UTC; as milliseconds, with the sign that marks them, beyond the year 9999."""
    seconds, rest = divmod(number, 10**digits)
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return f"{number * 1000 // 10**digits:+}"
    fraction = f".{rest:0{digits}d}" if digits else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(inside) for name, inside in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [*map(_plain, value)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value
