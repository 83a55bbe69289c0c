"""Records from files: CSV or JSON lines into an attrs class, one record or one reason for every line.

What a file says is taken as it stands or refused (`values.py`); nothing is trimmed, rounded or guessed.
"""

import codecs
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar, cast

import attrs
from cattrs.gen import make_dict_structure_fn, override

from .values import VALUES, parse_int, read_value

R = TypeVar("R")

Rows: TypeAlias = Iterator[tuple[int, dict[str, Any] | str]]
"""Line numbers, each with the values of the line by column, or the reason why it has none."""

SHOW_AT_MOST = 500
"""Characters of column names in an error."""


class UnreadableFile(ValueError):
    """A file, or a line of one, that cannot be read as records; the message names file, line and reason."""


class UnknownField(ValueError):
    """A mapping of a field that the record does not have."""


@attrs.frozen
class Line(Generic[R]):
    """A line of a file that is a record, or the reason why it is none."""

    number: int
    """From 1; the first one, where quoted fields go over several lines."""
    record: R | None
    reason: str = ""
    """One line of text where `record` is None."""


@attrs.frozen
class Lines(Generic[R]):
    """The lines of an open file, to be read once; the file is closed after the last."""

    format: str
    """The format that was taken, one of `FORMATS`."""
    size_bytes: int | None
    """None where it is not known, as of a pipe."""
    _data: io.BufferedReader
    _text: io.TextIOWrapper
    """Reads `_data`; closing it closes both."""
    _lines: Iterator[Line[R]]

    def __iter__(self) -> Iterator[Line[R]]:
        with self._text:
            yield from self._lines

    @property
    def read_bytes(self) -> int:
        """How far reading has come; to be asked between two lines of a file whose size is known."""
        return self._data.tell()


def read_lines(
    path: str | Path, record_type: type[R], *, format: str = "auto", mapping: Mapping[str, str] | None = None
) -> Lines[R]:
    """The lines of a file, each a record of an attrs class or the reason why it is none.

    `mapping` is {field: column}. Any other field takes the column of its own name or, where there is none, its default.
    `format` is one of `FORMATS`, or `auto`: JSON lines where the first character is `{`. A file that can hold no such
    records is an UnreadableFile at once, before the first line.
    """
    fields = _fields(record_type, mapping or {})
    data, size_bytes, blank_lines = _open(path)
    # What is not UTF-8 becomes lone surrogates here, and the reason of its own line later.
    text = io.TextIOWrapper(data, "utf-8-sig", errors="surrogateescape", newline="")
    try:
        taken = _format(data.peek()) if format == "auto" else format
        if taken not in FORMATS:
            raise ValueError(f"format: must be auto, {' or '.join(FORMATS)} (got {format!r})")
        header, rows = FORMATS[taken](chain(repeat("\n", blank_lines), text))
        if header is not None:
            _check_columns(fields, header)
    except UnreadableFile as error:
        text.close()
        raise UnreadableFile(f"{path}: {error}") from None
    except BaseException:
        text.close()
        raise
    return Lines(taken, size_bytes, data, text, _lines(record_type, fields, rows))


def read_records(path: str | Path, record_type: type[R]) -> Iterator[R]:
    """The records of a file; the first line that is none is an UnreadableFile."""
    for line in read_lines(path, record_type):
        if line.record is None:
            raise UnreadableFile(f"{path}:{line.number}: {line.reason}")
        yield line.record


def _lines(record_type: type[R], fields: list["_Field"], rows: Rows) -> Iterator[Line[R]]:
    structure = _structure(record_type, fields)
    for number, values in rows:
        if isinstance(values, str):
            yield Line(number, None, values)
            continue
        try:
            _check_columns(fields, values)
            yield Line(number, structure(values))
        except ValueError as error:
            yield Line(number, None, str(error) or repr(error))


# Files


def _open(path: str | Path) -> tuple[io.BufferedReader, int | None, int]:
    """The file, found to be text and read up to its first characters, its size, and the blank lines passed."""
    path = Path(path)
    try:
        data = path.open("rb")
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise UnreadableFile(f"{path}: {_said(error)}") from None
    try:
        blank_bytes, blank_lines = _pass_blanks(data)
        _check_text(data.peek(), blank_bytes)
        size_bytes = path.stat().st_size if path.is_file() else None
    except (OSError, UnreadableFile) as error:
        data.close()
        raise UnreadableFile(f"{path}: {_said(error)}") from None
    return data, size_bytes, blank_lines


def _pass_blanks(data: io.BufferedReader) -> tuple[int, int]:
    """Reads on until a peek shows more than blanks; the bytes and the lines passed."""
    blank_bytes = blank_lines = 0
    while (head := data.peek()) and not head.removeprefix(codecs.BOM_UTF8).strip():
        data.read(len(head))
        blank_bytes += len(head)
        blank_lines += head.count(b"\n")
    return blank_bytes, blank_lines


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _check_text(head: bytes, offset: int) -> None:
    """`head` stands at `offset` of the file."""
    if not head:
        raise UnreadableFile("is empty")
    at = head.find(b"\0")
    if at < 0:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(head)  # which waits for the rest of a last character
        except UnicodeDecodeError as error:
            at = error.start
    if at >= 0:
        found = f"byte {head[at]:02x} at offset {offset + at}"
        raise UnreadableFile(f"is not UTF-8 text ({found}); wants CSV or JSON lines")


def _format(head: bytes) -> str:
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(b"["):
        raise UnreadableFile("is a JSON array; write one object a line (jq -c '.[]')")
    return "jsonl" if start.startswith(b"{") else "csv"


def _not_utf8(text: str) -> str:
    """Which byte was none of UTF-8, or nothing."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"is not UTF-8 (byte {ord(text[error.start]) - 0xDC00:02x})"
    return ""


# Formats: each tells its columns, where it knows them before the first line, and its rows.


def _csv(file: Iterable[str]) -> tuple[list[str] | None, Rows]:
    """A header, then records. A blank after a comma is dropped where the header has some too, and kept elsewhere."""
    lines = enumerate(file, start=1)
    at, first = next(((at, line) for at, line in lines if line.strip()), (0, ""))
    try:
        (cells,) = csv.reader([first], strict=True)
        blanks = any(cell.startswith(" ") for cell in cells[1:])
        (cells,) = csv.reader([first], strict=True, skipinitialspace=blanks)
    except csv.Error as error:
        raise UnreadableFile(f"the header in line {at} is no CSV: {error}") from None
    header = [cell.strip() for cell in cells]
    reader = csv.reader((line for _, line in lines), strict=True, skipinitialspace=blanks)
    return header, _csv_rows(header, reader, at)


def _csv_rows(header: list[str], reader: Any, header_at: int) -> Rows:
    while True:
        number = header_at + reader.line_num + 1
        try:
            cells: list[str] = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"is no CSV: {error} (read up to line {header_at + reader.line_num})"
            continue
        if not cells:  # an empty line
            continue
        if wrong := _not_utf8(",".join(cells)):
            yield number, wrong
        elif len(cells) != len(header):
            yield number, f"must have {len(header)} fields, as the header (got {len(cells)})"
        else:
            yield number, dict(zip(header, cells, strict=True))


def _jsonl(file: Iterable[str]) -> tuple[list[str] | None, Rows]:
    """One object a line."""
    return None, ((number, _object(line)) for number, line in enumerate(file, start=1) if line.strip())


def _object(line: str) -> dict[str, Any] | str:
    if wrong := _not_utf8(line):
        return wrong
    try:
        value = json.loads(line.rstrip(), object_pairs_hook=_once, parse_int=parse_int)
    except json.JSONDecodeError as error:
        return f"is no JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:  # a name twice, a number or a nesting without end
        return f"is no JSON: {error}"
    return (
        cast("dict[str, Any]", value)
        if isinstance(value, dict)
        else f"must be a JSON object (got {line.strip()!r:.100})"
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise ValueError(f"{name!r} is there {count} times")
    return dict(pairs)


FORMATS: dict[str, Callable[[Iterable[str]], tuple[list[str] | None, Rows]]] = {"csv": _csv, "jsonl": _jsonl}
"""The formats by name. A domain's own would be one more function, and one more line in `_format`."""


# Fields


@attrs.frozen
class _Field:
    """One field of a record: its column, and whether that may be missing."""

    record: str
    name: str
    type: Any
    column: str
    is_optional: bool


def _fields(record_type: type[Any], mapping: Mapping[str, str]) -> list[_Field]:
    attrs.resolve_types(record_type)
    record = record_type.__name__
    found = [field for field in attrs.fields(record_type) if field.init]
    if unknown := [name for name in mapping if name not in {field.name for field in found}]:
        known = ", ".join(field.name for field in found)
        raise UnknownField(f"{record}.{unknown[0]}: no such field (fields: {known})")
    return [
        _Field(
            record,
            field.name,
            field.type,
            mapping.get(field.name, field.name),
            is_optional=field.default is not attrs.NOTHING and field.name not in mapping,
        )
        for field in found
    ]


def _check_columns(fields: list[_Field], columns: Collection[str]) -> None:
    """Every field has one column, or may do without."""
    missing = [field for field in fields if field.column not in columns and not field.is_optional]
    if missing:
        seen = ", ".join(name if name.isprintable() else repr(name) for name in columns)
        seen = seen if len(seen) <= SHOW_AT_MOST else seen[:SHOW_AT_MOST] + " ..."
        wanted = ", ".join(dict.fromkeys(field.column for field in missing))
        names = ", ".join(field.name for field in missing)
        raise UnreadableFile(f"no column {wanted} for {missing[0].record}.{names}; map a field to one of: {seen}")
    if isinstance(columns, list):
        twice = [field.column for field in fields if columns.count(field.column) > 1]
        if twice:
            raise UnreadableFile(f"column {twice[0]} is there {columns.count(twice[0])} times")


def _structure(record_type: type[R], fields: list[_Field]) -> Callable[[Mapping[str, Any]], R]:
    """Makes a record of the values by column."""
    overrides = {field.name: override(rename=field.column, struct_hook=_hook(field)) for field in fields}
    structure = make_dict_structure_fn(record_type, VALUES, _cattrs_detailed_validation=False, **cast(Any, overrides))
    return lambda values: structure(values, record_type)


def _hook(field: _Field) -> Callable[[Any, Any], Any]:
    def named(value: Any, _type: Any) -> Any:
        try:
            return read_value(field.name, field.type, value)
        except ValueError as error:
            raise ValueError(f"{field.record}.{field.name}: {error}") from None

    return named
