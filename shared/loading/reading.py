"""Records from files: every line of a file becomes a record of an attrs class, or a reason why it does not.

Values are read exactly as they are written, or refused (`values.py`); nothing is trimmed, rounded or guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from ..keys.errors import message_of
from ..records.times import show_time
from .columns import NOT_CSV, Field, check_columns, fields_of, record_maker, required_columns, with_nested
from .detection import FORMATS, candidates, detect, either
from .errors import UnneededTime, UnneededYear, UnreadableFile
from .formats import Format, FormatRows, ParsedRows
from .given_values import Given
from .log_times import SyslogTimes
from .text_files import FirstLine, TextFile, encoded, first_not_utf8

R = TypeVar("R")


@attrs.frozen
class Line(Generic[R]):
    """One line of a file, or several that belong together: the record, or the reason why there is none."""

    number: int
    """Number of the first line, from 1."""
    last_number: int
    """Number of the last line."""
    record: R | None
    reason: str = ""
    """One line of text, if `record` is None."""

    @property
    def count(self) -> int:
        """How many lines of the file it has."""
        return self.last_number - self.number + 1

    @property
    def span(self) -> str:
        """` (lines 3 to 5)`, to be written after a reason; empty for one line."""
        return f" (lines {self.number} to {self.last_number})" if self.count > 1 else ""


@attrs.define
class _Ignored:
    """How many lines of a file its format has ignored."""

    lines: int = 0

    def left_out_of(self, rows: FormatRows) -> ParsedRows:
        """The rows without these lines."""
        for number, last_number, values in rows:
            if values is None:
                self.lines += last_number - number + 1
            else:
                yield number, last_number, values


@attrs.frozen
class Lines(Generic[R]):
    """The lines of an open file, to be read once; the file is closed after the last line."""

    format: str
    """The name of the format."""
    wanted: str
    """The lines that become records, in words."""
    _file: TextFile
    _lines: Iterator[Line[R]]
    _ignored: _Ignored

    def __iter__(self) -> Iterator[Line[R]]:
        try:
            yield from self._lines
        finally:
            self._file.close()

    @property
    def size_bytes(self) -> int | None:
        """The size of the file; None if it is not known, such as for a pipe."""
        return self._file.size_bytes

    @property
    def read_bytes(self) -> int:
        """How many bytes of a file of known size have been read; to be asked between two lines."""
        return self._file.read_bytes

    @property
    def count(self) -> int:
        """How many lines have been read, blank ones and the header included."""
        return self._file.line_count

    @property
    def ignored(self) -> int:
        """How many of them the format ignores, because they hold nothing that it makes a record of."""
        return self._ignored.lines


def read_lines(
    path: str | Path,
    record_type: type[R],
    *,
    format: str = "auto",
    mapping: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    time_formats: Mapping[str, str] | None = None,
    formats: Sequence[Format] = (),
    year: int | None = None,
    at_ms: int | None = None,
    constants: Mapping[str, str] | None = None,
    tags: Mapping[str, str | None] | None = None,
) -> Lines[R]:
    """The lines of a file, each with a record of an attrs class or the reason why there is none.

    `format` is the name of one of `FORMATS` or of `formats`; `auto` chooses the one that recognizes the first line, and
    CSV if none does.
    `mapping` is {field: column}. Any other field is read from the column of its own name; if the file has no such
    column, the field has its default. In JSON, `a.b` is the value of b in the object a.
    `units` is {field: unit}: what the numbers of a time count, one of `UNITS`. If omitted, they are milliseconds, and
    refused if another unit is more likely.
    `time_formats` is {field: format}: how a time is written, in strptime's notation, see `TimeFormat`. Neither unit nor
    format applies to a design's own formats that have all times in milliseconds.
    `year` is the year of the first line, for a format whose times have none: each later line is in the year that puts
    it nearest to the line before. Raises UnneededYear for any other format.
    `at_ms` is the time of lines without one, for a format whose lines may lack it. Raises UnneededTime for any other
    format.
    `constants` is {field: value}: the value of a field in all lines, instead of a column.
    `tags` is {tag: value}: tags of all lines, for a record with a field of pairs of texts. If the value is None, the
    tag has a column, of its own name unless `mapping` names one; in lines where that is empty, the tag is left out.

    Raises UnreadableFile, before the first line is returned, for a file that cannot contain such records.
    """
    given = Given(constants or {}, tags or {}, mapping or {})
    of_fields = {name: column for name, column in given.mapping.items() if name not in given.columns_of_tags}
    fields = fields_of(record_type, of_fields, units or {}, time_formats or {}, given.constants)
    given.check(record_type, fields)
    possible = candidates(format, (*formats, *FORMATS))
    file = TextFile(path)
    try:
        first = file.first_line()
        detected = detect(possible, first)
        _check_header(detected, first, given.needed(fields), possible)
        _check_year(detected, year)
        _check_time(detected, at_ms)
    except (UnneededTime, UnneededYear, UnreadableFile) as error:
        file.close()
        raise type(error)(f"{path}: {error}") from None
    except BaseException:
        file.close()
        raise
    ignored = _Ignored()
    rows = ignored.left_out_of(detected.read(file.lines(first, detected.line_ends), Path(path)))
    if detected.has_milliseconds or not detected.has_year:
        fields = [attrs.evolve(field, unit="ms", time_format=None) for field in fields]
    if year is not None:
        rows = _with_year(rows, fields, SyslogTimes(year))
    if detected.may_lack_time:
        rows = _with_time(rows, fields, at_ms)
    if given.constants or given.tags:
        rows = given.added(rows, fields)
    wanted = detected.wanted or f"records in the format {detected.title}"
    return Lines(detected.name, wanted, file, _lines(record_type, fields, rows), ignored)


def read_records(path: str | Path, record_type: type[R], formats: Sequence[Format] = ()) -> Iterator[R]:
    """The records of a file; UnreadableFile at the first line that does not hold one."""
    for line in read_lines(path, record_type, formats=formats):
        if line.record is None:
            raise UnreadableFile(f"{path}:{line.number}: {line.reason}{line.span}")
        yield line.record


def _check_header(detected: Format, first: FirstLine, fields: list[Field], possible: Sequence[Format]) -> None:
    """Checks that the header, if the format has one, names the columns of the fields."""
    if detected.header is None:
        return
    try:
        check_columns(fields, detected.header(first.text))
    except ValueError as error:
        reason = str(error)
        if not isinstance(error, UnreadableFile):
            reason = f"the header in line {first.blank_lines + 1} {reason}"
        others = [format.title for format in possible if format is not detected]
        if len(others) > 1:  # a user with a log of an unknown format would wonder about columns
            why = "" if reason.startswith(NOT_CSV) else "read as CSV because "
            reason += f"; {why}its first line does not look like {either(others)}"
        raise UnreadableFile(reason) from None


def _check_year(detected: Format, year: int | None) -> None:
    """Checks that a year is given if, and only if, the times of the format have none."""
    if detected.has_year and year is not None:
        raise UnneededYear(f"is read as {detected.title}, whose times have a year: leave out --year (got {year})")
    if not detected.has_year and year is None:
        raise UnreadableFile(
            f"is read as {detected.title}, whose times have no year: give --year, the year of its first line"
        )


def _check_time(detected: Format, at_ms: int | None) -> None:
    """Checks that a time is given only if lines of the format may lack theirs."""
    if at_ms is not None and not detected.may_lack_time:
        got = show_time(at_ms)
        raise UnneededTime(f"is read as {detected.title}, whose lines all have a time: leave out --at (got {got})")


def _with_year(rows: ParsedRows, fields: list[Field], read: SyslogTimes) -> ParsedRows:
    """The rows with their times in milliseconds."""
    times = [field for field in fields if field.name.endswith("_ms")]
    for number, last_number, values in rows:
        if not isinstance(values, str):
            try:
                values = values | {field.column: read(values[field.column]) for field in times}
            except ValueError as error:
                values = f"{times[0].record}.{times[0].name}: {error}"
        yield number, last_number, values


def _with_time(rows: ParsedRows, fields: list[Field], at_ms: int | None) -> ParsedRows:
    """The rows; a row without a time gets `at_ms`, or the reason why it needs one."""
    times = [field for field in fields if field.name.endswith("_ms")]
    for number, last_number, values in rows:
        missing = [] if isinstance(values, str) else [field for field in times if field.column not in values]
        if missing and not isinstance(values, str):
            if at_ms is None:
                values = f"{missing[0].record}.{missing[0].name}: the line has no time: give --at for such lines"
            else:
                values = values | {field.column: at_ms for field in missing}
        yield number, last_number, values


def _lines(record_type: type[R], fields: list[Field], rows: ParsedRows) -> Iterator[Line[R]]:
    make_record = record_maker(record_type, fields)
    nested_fields = [field for field in fields if "." in field.column]
    required = required_columns(fields)
    for number, last_number, values in rows:
        if isinstance(values, str):
            yield Line(number, last_number, None, values)
            continue
        try:
            if nested_fields:
                values = with_nested(nested_fields, values)
            _check_utf8(values)
            if not required <= values.keys():
                check_columns(fields, values)
            record = make_record(values)
        except (TypeError, ValueError, RecursionError) as error:  # of the record's own validators and converters, too
            yield Line(number, last_number, None, message_of(error))
        else:
            yield Line(number, last_number, record)


def _check_utf8(values: Mapping[str, Any]) -> None:
    for name, text in values.items():
        if type(text) is str and not text.isascii() and (index := first_not_utf8(text)) >= 0:
            raise ValueError(f"{name}: is not UTF-8 (byte {encoded(text[index]).hex()})")
