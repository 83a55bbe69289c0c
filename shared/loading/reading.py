"""Records from files: each line into an attrs class, one record or one reason for every line.

What a file says is taken as it stands or refused (`values.py`); nothing is trimmed, rounded or guessed.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import attrs
from cattrs.gen import make_dict_structure_fn, override

from ..keys.errors import message_of, shown
from ..records.times import UNITS, Unit, from_unit, likely_unit
from .formats import CSV, FORMATS, LONGEST, Format, Rows
from .values import VALUES, parse_int, read_value

__all__ = [
    "FORMATS",
    "Format",
    "Line",
    "Lines",
    "UnknownField",
    "UnknownUnit",
    "UnreadableFile",
    "read_lines",
    "read_records",
]

R = TypeVar("R")

SHOW_AT_MOST = 500
"""Characters of column names in an error."""


_TOO_LONG = f"must have fewer than {LONGEST} characters, line end included"
_SPOILT = re.compile("[\udc80-\udcff]")
"""What bytes are read as that are not UTF-8."""
_INTEGER = re.compile("[+-]?[0-9]+")
_NUMBER = re.compile("(?![0-9]{8}$)-?[0-9]+")
"""An integer that is neither marked as milliseconds nor may be a date."""


class UnreadableFile(ValueError):
    """A file, or a line of one, that cannot be read as records; the message names file, line and reason."""


class UnknownField(ValueError):
    """A mapping of a field that the record does not have."""


class UnknownUnit(ValueError):
    """A unit that is none, or the unit of a field that holds no time."""


@attrs.frozen
class Line(Generic[R]):
    """A line of a file that is a record, or the reason why it is none."""

    number: int
    """From 1; the first one, where a record goes over several lines."""
    last: int
    """The last one of them."""
    record: R | None
    reason: str = ""
    """One line of text where `record` is None."""

    @property
    def lines(self) -> int:
        """How many lines it takes."""
        return self.last - self.number + 1

    @property
    def span(self) -> str:
        """` (lines 3 to 5)`, to be written after a reason; nothing for one line."""
        return f" (lines {self.number} to {self.last})" if self.lines > 1 else ""


@attrs.frozen
class Lines(Generic[R]):
    """The lines of an open file, to be read once; the file is closed after the last."""

    format: str
    """The name of the format that was taken."""
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
    path: str | Path,
    record_type: type[R],
    *,
    format: str = "auto",
    mapping: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    formats: Sequence[Format] = (),
) -> Lines[R]:
    """The lines of a file, each a record of an attrs class or the reason why it is none.

    `units` is {field: unit}: what the integers of a time count, one of `UNITS`. Without it they are milliseconds, and
    refused if another unit is more likely.
    `mapping` is {field: column}. Any other field takes the column of its own name or, where there is none, its default.
    `format` is the name of one of `FORMATS` or of `formats`; `auto` takes the one that the first line starts, and CSV
    where it starts none. A file that can hold no such records is an UnreadableFile at once, before the first line.
    """
    fields = _fields(record_type, mapping or {}, units or {})
    asked = _asked(format, (*formats, *FORMATS))
    data, size_bytes = _open(path)
    # What is not UTF-8 becomes lone surrogates here, and the reason of its own line later.
    text = io.TextIOWrapper(data, "utf-8", errors="surrogateescape", newline="")
    try:
        first, blank_lines, offset = _first_line(text)
        taken = _taken(asked, first, offset)
        _check_header(taken, first, blank_lines + 1, fields, asked)
    except (OSError, UnreadableFile) as error:
        text.close()
        raise UnreadableFile(f"{path}: {_said(error)}") from None
    except BaseException:
        text.close()
        raise
    pieces = chain(repeat("\n", blank_lines), [first], iter(partial(text.readline, LONGEST), ""))
    rows = taken.read(_whole_lines(path, pieces, taken.line_ends), Path(path))
    if taken.has_milliseconds:
        fields = [attrs.evolve(field, unit="ms") for field in fields]
    return Lines(taken.name, size_bytes, data, text, _lines(record_type, fields, rows))


def read_records(path: str | Path, record_type: type[R], formats: Sequence[Format] = ()) -> Iterator[R]:
    """The records of a file; the first line that is none is an UnreadableFile."""
    for line in read_lines(path, record_type, formats=formats):
        if line.record is None:
            raise UnreadableFile(f"{path}:{line.number}: {line.reason}{line.span}")
        yield line.record


def _lines(record_type: type[R], fields: list["_Field"], rows: Rows) -> Iterator[Line[R]]:
    structure = _structure(record_type, fields)
    for number, last, values in rows:
        if isinstance(values, str):
            yield Line(number, last, None, values)
            continue
        try:
            _check_values(values)
            _check_columns(fields, values)
            record = structure(values)
        except (TypeError, ValueError, RecursionError) as error:  # of the record's own validators and converters, too
            yield Line(number, last, None, message_of(error))
        else:
            yield Line(number, last, record)


# Files


def _open(path: str | Path) -> tuple[io.BufferedReader, int | None]:
    """The file, and its size."""
    path = Path(path)
    try:
        size_bytes = path.stat().st_size if path.is_file() else None
        return path.open("rb"), size_bytes
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise UnreadableFile(f"{path}: {_said(error)}") from None


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _first_line(text: io.TextIOWrapper) -> tuple[str, int, int]:
    """The first line that is not blank, how many blank ones were passed, and where in the file it begins."""
    start = text.readline(LONGEST)
    line = start.removeprefix("\ufeff")
    offset = len(_bytes(start)) - len(_bytes(line))
    blank_lines = 0
    while line and not line.strip():
        blank_lines += line.endswith(("\n", "\r"))
        offset += len(_bytes(line))
        line = text.readline(LONGEST)
    if not line:
        raise UnreadableFile("is empty")
    if len(line) >= LONGEST:
        raise UnreadableFile(f"the first line {_TOO_LONG}")
    return line, blank_lines, offset


def _whole_lines(path: str | Path, pieces: Iterator[str], ends: tuple[str, ...]) -> Iterator[str]:
    """Lines, of pieces that end at lone carriage returns too. One without end is an error, and fills no memory."""
    number = 0
    try:
        for piece in pieces:
            number += 1
            line = piece if piece.endswith(ends) else _whole_line(piece, pieces, ends)
            if len(line) >= LONGEST:
                raise UnreadableFile(f"{path}:{number}: {_TOO_LONG}")
            yield line
    except OSError as error:
        raise UnreadableFile(f"{path}: {_said(error)}, after line {number}") from error


def _whole_line(start: str, pieces: Iterator[str], ends: tuple[str, ...]) -> str:
    """A line from its first piece; put together at once, since adding one piece after the other copies all of it."""
    line = io.StringIO(newline="")
    characters, piece = line.write(start), start
    while not piece.endswith(ends) and characters < LONGEST and (piece := next(pieces, "")):
        characters += line.write(piece)
    return line.getvalue()


def _bytes(text: str) -> bytes:
    """The bytes that were read as text."""
    return text.encode(errors="surrogateescape")


def _not_utf8(text: str) -> int:
    """Where the first byte is that is none of UTF-8; -1 if there is none."""
    found = None if text.isascii() else _SPOILT.search(text)
    return found.start() if found else -1


def _check_values(values: Mapping[str, Any]) -> None:
    """Text among the values is UTF-8."""
    for name, text in values.items():
        if type(text) is str and (at := _not_utf8(text)) >= 0:
            raise ValueError(f"{name}: is not UTF-8 (byte {_bytes(text[at]).hex()})")


# Formats


def _asked(format: str, known: Sequence[Format]) -> Sequence[Format]:
    """The formats that a file may be of."""
    names = ["auto", *(each.name for each in known)]
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"formats: the name {name!r} is there {count} times")
    if format not in names:
        raise ValueError(f"format: must be {_either(names)} (got {format!r})")
    return known if format == "auto" else [each for each in known if each.name == format]


def _taken(asked: Sequence[Format], first: str, offset: int) -> Format:
    """The format that the first line starts; where it starts none and is still text, the one asked for, or CSV."""
    for each in asked:
        if each.starts(first):
            return each
    _check_text(first, offset, asked)
    if len(asked) == 1:
        return asked[0]
    if re.match(r"\s*\[\s*([\[{\"\]]|$)", first):  # and no log's [2026-01-12 08:07:31]
        raise UnreadableFile("is a JSON array; write one object a line (jq -c '.[]')")
    return CSV


def _check_text(line: str, offset: int, asked: Sequence[Format]) -> None:
    """`line` stands at `offset` of the file."""
    at = line.find("\0") if "\0" in line else _not_utf8(line)
    if at >= 0:
        found = f"byte {_bytes(line[at]).hex()} at offset {offset + len(_bytes(line[:at]))}"
        raise UnreadableFile(f"is not UTF-8 text ({found}); wants {_either([each.title for each in asked])}")


def _check_header(taken: Format, line: str, number: int, fields: list["_Field"], asked: Sequence[Format]) -> None:
    """The columns of a first line, which has the number, are those of the fields."""
    if taken.header is None:
        return
    try:
        _check_columns(fields, taken.header(line))
    except ValueError as error:
        reason = str(error) if isinstance(error, UnreadableFile) else f"the header in line {number} {error}"
        others = [each.title for each in asked if each is not taken]
        if len(others) > 1:  # whoever has a log in a form of its own wonders about columns
            reason += f"; taken for CSV, for its first line starts no {_either(others)}"
        raise UnreadableFile(reason) from None


def _either(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# Fields


@attrs.frozen
class _Field:
    """One field of a record: its column, and whether that may be missing."""

    record: str
    name: str
    type: Any
    column: str
    is_optional: bool
    unit: Unit | None
    """What the integers of a time count; None where nobody said so."""


def _fields(record_type: type[Any], mapping: Mapping[str, str], units: Mapping[str, str]) -> list[_Field]:
    attrs.resolve_types(record_type)
    record = record_type.__name__
    found = [field for field in attrs.fields(record_type) if field.init]
    if unknown := [name for name in [*mapping, *units] if name not in {field.name for field in found}]:
        known = ", ".join(field.name for field in found)
        raise UnknownField(f"{record}.{unknown[0]}: no such field (fields: {known})")
    for name, unit in units.items():
        if not name.endswith("_ms"):
            times = ", ".join(field.name for field in found if field.name.endswith("_ms")) or "none"
            raise UnknownUnit(f"{record}.{name}: is not a time, so it has no unit (times: {times})")
        if unit not in UNITS:
            raise UnknownUnit(f"{record}.{name}: its unit must be {_either(UNITS)} (got {unit!r:.100})")
    return [
        _Field(
            record,
            field.name,
            field.type,
            mapping.get(field.name, field.name),
            is_optional=field.default is not attrs.NOTHING and field.name not in mapping,
            unit=cast("Unit | None", units.get(field.name)),
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
    read = partial(_read_time, field) if field.name.endswith("_ms") else partial(read_value, field.name, field.type)

    def named(value: Any, _type: Any) -> Any:
        try:
            return read(value)
        except (AttributeError, TypeError):  # cattrs looks into a value as if it were of the type
            wanted = field.type.__name__ if isinstance(field.type, type) else field.type
            raise ValueError(f"{field.record}.{field.name}: must be {wanted} (got {shown(value)})") from None
        except ValueError as error:
            raise ValueError(f"{field.record}.{field.name}: {error}") from None

    return named


def _read_time(field: _Field, value: Any) -> Any:
    """A time; its unit is that of integers only.

    Text with a plus sign is in milliseconds unless a unit is named, and so are eight digits that look like a date.
    """
    if type(value) is not int:
        is_number = type(value) is str and (_INTEGER if field.unit else _NUMBER).fullmatch(value)
        if not is_number:
            return read_value(field.name, field.type, value)
        value = parse_int(value)
    if field.unit:
        return from_unit(value, field.unit)
    if likely := likely_unit(value):
        read_so = f"--unit {field.name}={likely.unit} reads it so" if likely.unit in UNITS else "no --unit reads it so"
        raise ValueError(
            f"is most likely in {likely.name}, {likely.time}; {read_so}, --unit {field.name}=ms as milliseconds "
            f"(got {value})"
        )
    return value
