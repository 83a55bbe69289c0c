"""Records from files: every line of a file becomes a record of an attrs class, or a reason why it does not.

Values are read exactly as they are written, or refused (`values.py`); nothing is trimmed, rounded or guessed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import attrs

from ..keys.errors import message_of, shown
from ..records.times import Unit, parse_time
from .columns import (
    NOT_CSV,
    Field,
    check_columns,
    fields_of,
    mapped_columns,
    record_maker,
    required_columns,
    with_nested,
)
from .csv_format import CSV
from .description import AS_IS, Description
from .detection import FORMATS, PARQUET, candidates, detect, is_parquet, titles
from .errors import InvalidDescription, Unneeded, UnreadableFile, either
from .formats import Format, FormatRows, ParsedRows
from .given_values import Given
from .log_times import SyslogTimes
from .other_dialects import other_dialect, starts_as_log
from .text_files import OTHER_ENCODING, FirstLine, TextFile, encoded, first_not_utf8
from .written_times import names_no_zone

if TYPE_CHECKING:
    from .parquet_tables import ParquetTable

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


@attrs.define
class _Seen:
    """What the lines of a file have shown so far."""

    unseen: dict[str, Field]
    """The mapped columns that no line has had, with their fields."""
    columns: tuple[str, ...] = ()
    """The columns of the first record."""
    in_utc: str = ""
    """The first time that was taken for one in UTC because nothing says its zone."""

    def take_row(self, values: Mapping[str, Any]) -> None:
        """Takes the values of a row, whether it becomes a record or not."""
        for column in self.unseen.keys() & values.keys():
            del self.unseen[column]

    def take_first_record(self, values: Mapping[str, Any], fields: Iterable[Field]) -> None:
        """Takes the values of the first row that became a record."""
        self.columns = tuple(values)
        in_utc = (values[field.column] for field in fields if _is_taken_as_utc(field, values.get(field.column)))
        self.in_utc = next(in_utc, "")


def _is_taken_as_utc(field: Field, value: Any) -> bool:
    """Whether a value is a time that is read as UTC because nothing says its zone."""
    is_zoned = field.times.zone is not None or (field.time_format is not None and field.time_format.names_zone)
    return not is_zoned and field.name.endswith("_ms") and type(value) is str and names_no_zone(value)


@attrs.frozen
class Lines(Generic[R]):
    """The lines of an open file, to be read once; the file is closed after the last line."""

    format: str
    """The name of the format."""
    wanted: str
    """The lines that become records, in words."""
    _file: "TextFile | ParquetTable"
    _lines: Iterator[Line[R]]
    _ignored: _Ignored
    _seen: _Seen
    _fields: Sequence[Field]

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

    @property
    def notes(self) -> list[str]:
        """What a reader of the file should know, in words; to be asked after the last line."""
        if not self._seen.columns:
            return []
        lacking = [
            f"no line has {column}, so {field.record}.{field.name} has its default"
            for column, field in self._seen.unseen.items()
        ]
        text = self._seen.in_utc
        zone = [f"times without a zone are read as UTC, such as {text}; --zone says which they are in"] if text else []
        return [*lacking, *zone]

    @property
    def unread(self) -> list[str]:
        """The columns of the first record that no field is read from; to be asked after the last line."""
        read = {piece for field in self._fields for piece in (field.column, *field.joined, field.column.split(".")[0])}
        return [column for column in self._seen.columns if column not in read]

    @property
    def defaulted(self) -> list[str]:
        """The fields that have their default because the first record has no column of that name."""
        return [field.name for field in self._fields if field.is_optional and not field.is_in(self._seen.columns)]


def read_lines(
    path: str | Path,
    record_type: type[R],
    *,
    description: Description = AS_IS,
    formats: Sequence[Format] = (),
) -> Lines[R]:
    """The lines of a file, each with a record of an attrs class or the reason why there is none.

    A field is read from the column of its own name unless its description says another; if the file has no such column,
    the field has its default. So has it in a line of JSON that lacks the column or has null there, unless the field may
    be None. In JSON, `a.b` is the value of b in the object a. A Parquet file, whose rows count as lines, needs pyarrow.
    `formats` are more of them than `FORMATS`.

    Raises UnreadableFile, before the first line is returned, for a file that cannot contain such records; Unneeded for
    a description of what the lines say themselves; and the other errors of `errors.py`, for a description that does not
    fit the record.
    """
    fields = fields_of(record_type, description)
    given = Given(description, fields)
    given.check()
    at_ms = _time_of_lines(description.at)
    possible = candidates(description, (*formats, *FORMATS))
    if is_parquet(path, description.format):
        _check_no_text(path, description)
        return _of_parquet(path, record_type, fields, given)
    file = TextFile(path, description.encoding)
    try:
        first = file.first_line(description.skip)
        detected = detect(possible, first)
        fields = _with_time_column(fields, detected, description)
        given = Given(description, fields)
        _check_header(detected, file, first, given.needed(), possible)
        _check_year(detected, description.year)
        _check_unneeded(detected, description, fields)
    except (Unneeded, UnreadableFile) as error:
        file.close()
        raise type(error)(f"{path}: {error}") from None
    except BaseException:
        file.close()
        raise
    ignored = _Ignored()
    rows = ignored.left_out_of(detected.read(file.lines(first, detected.line_ends), Path(path)))
    if detected.has_milliseconds or not detected.has_year:
        fields = [attrs.evolve(field, unit="ms", time_format=None) for field in fields]
    if description.year is not None and not detected.has_year:
        rows = _with_year(rows, fields, SyslogTimes(description.year, fields[0].times))
    if detected.may_lack_time:
        rows = _with_time(rows, fields, at_ms)
    rows = given.added(rows, has_cells=detected.has_cells)
    wanted = detected.wanted or f"records in the format {detected.title}"
    seen = _Seen(mapped_columns(fields))
    lines = _lines(record_type, fields, rows, detected.has_cells, seen)
    return Lines(detected.name, wanted, file, lines, ignored, seen, fields)


def _check_no_text(path: str | Path, description: Description) -> None:
    """Checks that nothing is said of a Parquet file that only a text has."""
    for name in ("pattern", "layout", "encoding", "skip", "delimiter", "quote", "header", "year", "at"):
        if (given := getattr(description, name)) != getattr(AS_IS, name):
            raise Unneeded(f"{path}: is a Parquet file: leave out {name} (got {shown(given)})")


def _of_parquet(path: str | Path, record_type: type[R], fields: list[Field], given: Given) -> Lines[R]:
    """The rows of a Parquet file, as `read_lines` returns lines."""
    from .parquet_tables import ParquetTable

    file = ParquetTable(path)
    try:
        check_columns(given.needed(), file.columns)
    except UnreadableFile as error:
        file.close()
        raise UnreadableFile(f"{path}: {error}") from None
    seen = _Seen({})
    lines = _lines(record_type, fields, given.added(file.rows()), False, seen)
    return Lines(PARQUET, "rows of a Parquet file", file, lines, _Ignored(), seen, fields)


def read_records(path: str | Path, record_type: type[R], formats: Sequence[Format] = ()) -> Iterator[R]:
    """The records of a file; UnreadableFile at the first line that does not hold one."""
    for line in read_lines(path, record_type, formats=formats):
        if line.record is None:
            raise UnreadableFile(f"{path}:{line.number}: {line.reason}{line.span}")
        yield line.record


def _check_header(
    detected: Format, file: TextFile, first: FirstLine, fields: list[Field], possible: Sequence[Format]
) -> None:
    """Checks that the header, if the format has one, names the columns of the fields."""
    if detected.header is None:
        return
    try:
        check_columns(fields, detected.header(first.text))
    except ValueError as error:
        reason = str(error)
        if not isinstance(error, UnreadableFile):
            reason = f"the header in line {first.blank_lines + 1} {reason}"
        if detected.name == CSV.name and (said := other_dialect(fields, first, file, detected)):
            raise UnreadableFile(said) from None
        others = titles([format for format in possible if format is not detected])
        if len(others) > 1:  # a user with a log of an unknown format would wonder about columns
            why = "" if reason.startswith(NOT_CSV) else "read as CSV because "
            reason += f"; {why}its first line does not look like {either(others)}"
        if detected is CSV and len(possible) > 1 and starts_as_log(first.text):
            reason += "; if it is a log, describe its lines by --layout or --pattern"
        raise UnreadableFile(reason) from None


def _with_time_column(fields: list[Field], detected: Format, description: Description) -> list[Field]:
    """The fields; the only time of a record is in the column that the format has for it, unless another is said."""
    times = [field for field in fields if field.name.endswith("_ms")]
    if not detected.time_column or len(times) != 1:
        return fields
    said = description.of(times[0].name)
    if said.column not in ("", detected.time_column) or said.value is not None:
        return fields
    unit = cast("Unit | None", said.unit or detected.time_unit or None)
    time = attrs.evolve(times[0], column=detected.time_column, unit=None if said.format else unit)
    return [time if field is times[0] else field for field in fields]


def _check_year(detected: Format, year: int | None) -> None:
    """Checks that a year is given if the times of the format have none."""
    if not detected.has_year and year is None:
        raise UnreadableFile(
            f"is read as {detected.title}, whose times have no year: give --year, the year of its first line"
        )


def _check_unneeded(detected: Format, description: Description, fields: Iterable[Field]) -> None:
    """Checks that nothing is said of times that the lines of the format say themselves."""
    may_lack = "" if detected.has_milliseconds or detected.time_column else " unless a --time-format has none"
    lacks_year = any(field.time_format is not None and not field.time_format.has_year for field in fields)
    formats = [(f"--time-format {name}", said.format) for name, said in description.fields.items()]
    unneeded = (
        (detected.has_year and not lacks_year, f"whose times have a year{may_lack}", [("--year", description.year)]),
        (not detected.may_lack_time, "whose lines all have a time", [("--at", description.at)]),
        (detected.has_milliseconds or not detected.has_year, "which defines how times are written", formats),
    )
    for is_unneeded, why, options in unneeded:
        for option, given in options if is_unneeded else ():
            if given not in (None, ""):
                raise Unneeded(f"is read as {detected.title}, {why}: leave out {option} (got {shown(given)})")


def _time_of_lines(at: str) -> int | None:
    try:
        return parse_time(at) if at else None
    except ValueError as error:
        raise InvalidDescription(f"at: {error}") from None


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


def _lines(
    record_type: type[R], fields: list[Field], rows: ParsedRows, has_cells: bool, seen: _Seen
) -> Iterator[Line[R]]:
    """Each line with its record; `seen` takes what the lines show."""
    make_record = record_maker(record_type, fields, has_cells=has_cells)
    nested_fields = [field for field in fields if "." in field.column or field.joined]
    required = required_columns(fields)
    for number, last_number, values in rows:
        if isinstance(values, str):
            yield Line(number, last_number, None, values)
            continue
        try:
            if nested_fields:
                values = with_nested(nested_fields, values)
            _check_utf8(values)
            if seen.unseen:
                seen.take_row(values)
            if not required <= values.keys():
                check_columns(fields, values)
            record = make_record(values)
        except (TypeError, ValueError, RecursionError) as error:  # of the record's own validators and converters, too
            yield Line(number, last_number, None, message_of(error))
        else:
            if not seen.columns:
                seen.take_first_record(values, fields)
            yield Line(number, last_number, record)


def _check_utf8(values: Mapping[str, Any]) -> None:
    for name, text in values.items():
        if type(text) is str and not text.isascii() and (index := first_not_utf8(text)) >= 0:
            raise ValueError(f"{name}: is not UTF-8 (byte {encoded(text[index]).hex()}){OTHER_ENCODING}")
