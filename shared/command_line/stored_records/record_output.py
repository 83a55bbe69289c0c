"""Records as text, JSON, CSV or a Parquet file, written while they are read."""

import csv
import io
import json
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol

import attrs
from rich.console import Console

from ...designs import Design
from ...designs.patterns import key_line
from ...designs.ruler import BYTES
from ...records import show_time
from ...records.plain_values import json_of, plain_scalar
from ...tables import TableLayout
from ..named.options import ALL
from ..rows.key_rulers import key_ruler
from ..screen.terminal import count, exact_lines, json_text, line, raw, ruler, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .ask_output import show_values


class RecordWriter(Protocol):
    """Where records are written."""

    def write(self, records: list[Any]) -> None:
        """Writes some records."""
        ...

    def finish(self, more: bool, unreadable: int) -> None:
        """Writes what follows the last record: whether there are more, and how many rows cannot be read."""
        ...


@attrs.frozen
class RecordOutput:
    """The form of the output, and where it goes."""

    out: Console
    errors: Console
    as_json: bool
    as_csv: bool
    parquet: str | None
    """The path of a Parquet file."""

    def __attrs_post_init__(self) -> None:
        forms = {"--json": self.as_json, "--csv": self.as_csv, "--parquet": self.parquet is not None}
        given = [option for option, is_given in forms.items() if is_given]
        if len(given) > 1:
            raise WrongUsage(f"{' and '.join(given)}: choose one of them")
        if self.parquet is not None and find_spec("pyarrow") is None:
            raise CommandFailed("--parquet: needs pyarrow: pip install 'rowbook[parquet]'")

    @property
    def _is_text(self) -> bool:
        return not (self.as_json or self.as_csv or self.parquet)

    def show_key(self, design: Design, table: TableLayout[Any, Any], row: bytes) -> None:
        """Writes the byte ruler of a row key, if the output is text."""
        if self._is_text:
            wrapped(self.out, f"{table.name}: {key_line(table.key)}", style="bold")
            key_ruler(self.out, design, table, row)
            ruler(self.out, "hex", [(BYTES, row.hex())])
            line(self.out)

    @contextmanager
    def of(self, record: type[Any]) -> Generator[RecordWriter]:
        """A writer of records of a class; if the block fails, no Parquet file is left."""
        if self.parquet is not None:
            from .parquet_files import parquet_writer

            with parquet_writer(self.parquet, record) as file:
                yield _Parquet(self.out, self.errors, self.parquet, file)
            return
        yield (
            _Json(self.out) if self.as_json else _Csv(self.out, self.errors, record) if self.as_csv else _Text(self.out)
        )


def _more(more: bool) -> str:
    return f", and more: --limit N or --limit {ALL} shows them" if more else ""


class _Text:
    """Tables of records, one for each batch."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._records = 0

    def write(self, records: list[Any]) -> None:
        self._records += len(records)
        show_values(self._out, [attrs.asdict(record, recurse=False) for record in records])

    def finish(self, more: bool, unreadable: int) -> None:
        line(self._out, f"{count(self._records, 'record') if self._records else 'nothing found'}{_more(more)}")


class _Json:
    """One JSON object on one line, written piece by piece."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._before = '{"records": ['

    def write(self, records: list[Any]) -> None:
        texts = (json_text(self._out, attrs.asdict(record)) for record in records)
        raw(self._out, self._before + ", ".join(texts))
        self._before = ", "

    def finish(self, more: bool, unreadable: int) -> None:
        raw(self._out, f"{self._before}" if self._before != ", " else "")
        line(self._out, f'], "more": {json.dumps(more)}, "unreadable": {unreadable}}}')


class _Csv:
    """Lines of CSV as `rowbook load` reads them: times in ISO 8601, bytes in hex, mappings and lists in JSON."""

    def __init__(self, out: Console, errors: Console, record: type[Any]) -> None:
        self._out, self._errors = out, errors
        self._names = [field.name for field in attrs.fields(record)]
        self._rows([self._names])

    def write(self, records: list[Any]) -> None:
        of_records = map(attrs.asdict, records)
        self._rows([csv_value(name, values[name]) for name in self._names] for values in of_records)

    def finish(self, more: bool, unreadable: int) -> None:
        if more:
            line(self._errors, f"there are more records: --limit N or --limit {ALL} shows them")

    def _rows(self, rows: Iterable[list[str]]) -> None:
        exact_lines(self._out, map(csv_line, rows))


def csv_line(row: list[str]) -> str:
    """A line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def csv_value(name: str, value: Any) -> str:
    """A value in a cell of CSV."""
    value = plain_scalar(value)
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        return value
    if type(value) is int and name.endswith("_ms"):
        return show_time(value)
    return json_of(value)


class _Parquet:
    """A Parquet file, and a line that says what is in it."""

    def __init__(self, out: Console, errors: Console, path: str, file: Any) -> None:
        self._out, self._errors, self._path, self._file = out, errors, path, file
        self._records = 0

    def write(self, records: list[Any]) -> None:
        self._records += len(records)
        self._file.write(records)

    def finish(self, more: bool, unreadable: int) -> None:
        line(self._out, f"{self._path}: {count(self._records, 'record')}{_more(more)}")
