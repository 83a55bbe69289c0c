"""Records as text, JSON, CSV or a Parquet file, written while they are read."""

import csv
import io
import json
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol, cast

import attrs
from rich.console import Console

from ...designs import Design
from ...designs.patterns import key_line
from ...designs.ruler import BYTES
from ...loading.cells import write_cell
from ...loading.values import is_of_pairs, likely_date, show_pairs
from ...records import show_time
from ...records.plain_values import json_of, plain_scalar
from ...records.times import likely_unit
from ...tables import TableLayout
from ..named.options import ALL
from ..rows.key_rulers import key_ruler
from ..screen.terminal import count, exact_lines, json_text, line, raw, ruler, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .ask_output import show_values


def check_parquet(option: str) -> None:
    """Raises CommandFailed unless Parquet files can be written."""
    if find_spec("pyarrow") is None:
        raise CommandFailed(f"{option}: needs pyarrow: pip install 'rowbook[parquet]'")


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
        if self.parquet is not None:
            check_parquet("--parquet")

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
    """Lines of CSV as `rowbook load` reads them."""

    def __init__(self, out: Console, errors: Console, record: type[Any]) -> None:
        self._out, self._errors = out, errors
        self._lines = CsvLines(record)
        exact_lines(out, [self._lines.header])

    def write(self, records: list[Any]) -> None:
        exact_lines(self._out, map(self._lines.of, records))

    def finish(self, more: bool, unreadable: int) -> None:
        if more:
            line(self._errors, f"there are more records: --limit N or --limit {ALL} shows them")


class CsvLines:
    """Records as lines of CSV: times in ISO 8601, bytes in hex, mappings and lists in JSON, None as an empty cell."""

    def __init__(self, record: type[Any]) -> None:
        attrs.resolve_types(record)
        self._types = {field.name: field.type for field in attrs.fields(record)}
        self.header = _csv_line([*self._types])

    def of(self, record: Any) -> str:
        """The line of a record."""
        return _csv_line([_cell(name, type_, getattr(record, name)) for name, type_ in self._types.items()])


def _csv_line(row: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def _cell(name: str, type_: Any, value: Any) -> str:
    """A value in a cell of CSV."""
    value = plain_scalar(value)
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        return write_cell(type_, value)
    if type(value) is int and name.endswith("_ms"):
        return show_time(value)
    return show_pairs(cast("Iterable[tuple[str, str]]", value)) if is_of_pairs(type_) else json_of(value)


class JsonLines:
    """Records as lines of JSON: times in milliseconds, or in ISO 8601 if those look like another unit."""

    def __init__(self, out: Console, record: type[Any]) -> None:
        attrs.resolve_types(record)
        self._out = out
        fields = attrs.fields(record)
        self._of_pairs = [field.name for field in fields if is_of_pairs(field.type)]
        self._times = [field.name for field in fields if field.name.endswith("_ms")]

    def of(self, record: Any) -> str:
        """The line of a record."""
        values = attrs.asdict(record)
        for name in self._times:
            if type(values[name]) is int and (likely_unit(values[name]) or likely_date(values[name])):
                values[name] = show_time(values[name])
        for name in self._of_pairs:
            values[name] = dict(values[name])
        return f"{json_text(self._out, values)}\n"


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
