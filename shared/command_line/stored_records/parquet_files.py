"""Records as a Parquet file, by pyarrow: the extra `parquet`."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import date, datetime
from types import NoneType
from typing import Any, get_args

import attrs
import pyarrow
import pyarrow.parquet

from ...records.plain_values import json_of, plain_scalar
from ...stores.outcomes.connection_errors import first_line
from ..rows.likely_tables import refusal
from ..screen.wrong_usage import CommandFailed

TYPES = {
    float: pyarrow.float64(),
    bool: pyarrow.bool_(),
    bytes: pyarrow.binary(),
    datetime: pyarrow.timestamp("us", tz="UTC"),
    date: pyarrow.date32(),
}
"""Types of attributes, and those of columns; a column of any other type holds text: the value itself, or its JSON."""
SMALL_INT, INT = pyarrow.int64(), pyarrow.decimal128(38, 0)
"""The columns of an int, and of one that its record allows to be 2^63 or more."""
TIME = pyarrow.timestamp("ms", tz="UTC")


@contextmanager
def parquet_writer(path: str, record: type[Any]) -> Generator["ParquetFile"]:
    """A new file of records; it has its name once the block has ended, so that no half of a file is left."""
    unfinished = f"{path}.unfinished"
    try:
        file = ParquetFile(unfinished, record)
        try:
            yield file
        finally:
            file.close()
        os.replace(unfinished, path)
    except (OSError, pyarrow.ArrowException) as error:
        raise CommandFailed(f"{path}: {first_line(error)}") from None
    finally:
        with suppress(OSError):
            os.remove(unfinished)


class ParquetFile:
    """A Parquet file that is being written: a column for each attribute, times as timestamps in UTC."""

    def __init__(self, path: str, record: type[Any]) -> None:
        attrs.resolve_types(record)
        columns = {field.name: _column_type(record, field) for field in attrs.fields(record)}
        self._schema = pyarrow.schema([*columns.items()])
        self._texts = {name for name, type_ in columns.items() if type_ == pyarrow.string()}
        self._writer = pyarrow.parquet.ParquetWriter(path, self._schema)

    def write(self, records: list[Any]) -> int:
        """Writes some records; returns how many."""
        rows = [attrs.asdict(record) for record in records]
        values = {name: [self._value(name, row[name]) for row in rows] for name in self._schema.names}
        try:
            batch = pyarrow.Table.from_pydict(values, schema=self._schema)
        except (OverflowError, pyarrow.ArrowInvalid):
            raise CommandFailed("--parquet: a number has more than 38 digits; --csv has room for it") from None
        self._writer.write_table(batch)
        return len(rows)

    def _value(self, name: str, value: Any) -> Any:
        if value is None or name not in self._texts:
            return value
        value = plain_scalar(value)
        return value if isinstance(value, str) else json_of(value)

    def close(self) -> None:
        """Writes the end of the file."""
        self._writer.close()


def _column_type(record: type[Any], field: "attrs.Attribute[Any]") -> pyarrow.DataType:
    type_ = next(iter({*get_args(field.type)} - {NoneType}), None) if NoneType in get_args(field.type) else field.type
    if type_ is not int:
        return pyarrow.string() if type_ is None else TYPES.get(type_, pyarrow.string())
    if field.name.endswith("_ms"):
        return TIME
    return INT if refusal(record, field, 2**63) is None else SMALL_INT
