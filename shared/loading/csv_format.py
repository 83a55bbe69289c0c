"""CSV, in which a stray quote costs one line and not the rest of the file.

Python's reader reads from each stray quote to the next one, or to the end of the file; this module puts back what it
read, and reads no line more than twice.
"""

import csv
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from ..keys.errors import shown
from .errors import InvalidDescription
from .formats import MAX_LINE_CHARACTERS, Format, ParsedRows

_DELIMITERS = (";", "\t", "|", ",")
MAX_RECORD_LINES = 100_000
"""The most lines of one record: a quote that is not closed within them is a stray one."""

# One limit for the whole process, 131,072 unless raised.
csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_CHARACTERS))


@attrs.frozen
class Dialect:
    """How cells stand in the lines of CSV. Raises InvalidDescription for signs with which it cannot be read."""

    delimiter: str = ","
    quote: str = '"'
    """Empty if no cell is quoted."""
    columns: tuple[str, ...] = ()
    """Those of a file whose first line is not a header."""

    def __attrs_post_init__(self) -> None:
        try:
            self.reader([])
        except (TypeError, ValueError) as error:
            signs = f"(got {shown(self.delimiter)} and {shown(self.quote)})"
            raise InvalidDescription(f"delimiter and quote: must each be one character: {error} {signs}") from None
        if repeated := [name for name, count in Counter(self.columns).items() if count > 1]:
            raise InvalidDescription(f"header: must have each column once (got {shown(repeated[0])} twice)")

    def reader(self, lines: Iterable[str], *, skips_blanks: bool = False) -> Iterator[list[str]]:
        """The cells of each line; csv.Error for one that is not valid."""
        quoting: Any = {"quotechar": self.quote} if self.quote else {"quoting": csv.QUOTE_NONE}
        return csv.reader(lines, strict=True, delimiter=self.delimiter, skipinitialspace=skips_blanks, **quoting)

    def header(self, line: str) -> list[str]:
        """The columns that the first line names, if it is a header; ValueError for a line that is not one."""
        if self.columns:
            return [*self.columns]
        try:
            (cells,) = self.reader([line], skips_blanks=self._has_blanks(line))
        except csv.Error as error:
            raise ValueError(f"is not valid CSV: {error}") from None
        return [cell.strip() for cell in cells]

    def _has_blanks(self, line: str) -> bool:
        (cells,) = self.reader([line])
        return self.delimiter != " " and any(cell.startswith(" ") for cell in cells[1:])

    def read(self, lines: Iterable[str], _path: Path) -> ParsedRows:
        """The rows. A blank after a delimiter is dropped if the first line has such blanks, and kept otherwise."""
        numbered: Iterator[tuple[int, str]] = enumerate(lines, start=1)
        number, first = next(((number, line) for number, line in numbered if line.strip()), (0, ""))
        header, skips_blanks = self.header(first), self._has_blanks(first)
        if self.columns:
            numbered = chain([(number, first)], numbered)
        for first_line, last_line, cells in _Records(numbered, len(header), self, skips_blanks):
            yield first_line, last_line, cells if isinstance(cells, str) else dict(zip(header, cells, strict=True))


@attrs.frozen
class _QuotedLine:
    """A line that follows an open quote."""

    number: int
    line: str
    new_fields: int = 0
    """How many fields begin in it."""
    is_open: bool = True
    """Whether a quote is open at its end, too."""
    reopened_at: int = 0
    """The character, from 1, of the quote that is open at its end, unless it was open at its start."""
    reason: str = ""
    """Why the line cannot follow an open quote."""


class _Records:
    """The records of CSV lines: first line, last line, and the cells or the reason why there are none.

    A record whose quotes do not match costs only its first line: the next line is read as if that one were not there.
    So lines are kept until the quote closes, at most `MAX_LINE_CHARACTERS` and `MAX_RECORD_LINES`. Every quote that is
    opened before then is closed there too, so each line is parsed once after an open quote and once without.
    """

    def __init__(self, numbered: Iterator[tuple[int, str]], width: int, dialect: Dialect, skips_blanks: bool) -> None:
        self._numbered = numbered
        self._width = width
        self._quote = dialect.quote
        self._text = list[str]()
        self._reader = dialect.reader(iter(self._text.pop, None), skips_blanks=skips_blanks)
        self._ahead = deque[_QuotedLine]()
        """The lines that were read after the present one; only in the last of them may the quote end."""
        self._fields_ahead = self._characters_ahead = 0
        self._reopened: _QuotedLine | None = None
        """The last line read ahead that ends within another quote than it begins in."""
        self._failure: Exception | None = None
        """The error that ended reading ahead; raised after the lines before it are done."""

    def __iter__(self) -> Iterator[tuple[int, int, list[str] | str]]:
        while numbered_line := self._next_line():
            number, line = numbered_line
            try:
                cells = self._cells(line)
            except csv.Error as error:
                if (open_cells := self._open_cells(line)) is None:
                    yield number, number, f"is not valid CSV: {error}"
                else:
                    yield self._record_over_lines(number, line, len(open_cells))
                continue
            if len(cells) == self._width:
                yield number, number, cells
            elif cells:  # an empty line has none
                yield number, number, f"must have {self._width} fields, like the header (got {len(cells)})"

    def _next_line(self) -> tuple[int, str] | None:
        if not self._ahead:
            if self._failure:
                raise self._failure
            return next(self._numbered, None)
        line_ahead = self._ahead.popleft()
        self._fields_ahead -= line_ahead.new_fields
        self._characters_ahead -= len(line_ahead.line)
        return line_ahead.number, line_ahead.line

    def _cells(self, text: str) -> list[str]:
        """The cells of one record; csv.Error for a text that is not exactly one."""
        self._text.append(text)
        try:
            return next(self._reader)  # begins a new record at each call
        except IndexError:  # it asks for another line
            raise csv.Error("unexpected end of data") from None

    def _open_cells(self, text: str) -> list[str] | None:
        """The cells of a text that ends within a quote, the last cell cut off there; None for any other text."""
        try:
            return self._cells(text + self._quote)
        except csv.Error:
            return None

    def _record_over_lines(self, number: int, line: str, fields: int) -> tuple[int, int, list[str] | str]:
        """The record that begins with this line, which has `fields` fields, the last one open."""
        self._read_ahead(len(line))
        if reason := self._reason(number, line, fields):
            return number, number, reason
        cells = self._cells(line + "".join(line_ahead.line for line_ahead in self._ahead))
        last = self._ahead[-1].number
        self._ahead.clear()
        self._fields_ahead = self._characters_ahead = 0
        return number, last, cells

    def _read_ahead(self, characters: int) -> None:
        """Reads ahead, within the limits, to the line that closes the quote left open by a line of `characters`."""
        while not ((self._ahead and not self._ahead[-1].is_open) or self._is_too_long(characters)):
            try:
                numbered_line = next(self._numbered, None)
            except (OSError, ValueError) as error:
                self._failure = error
                numbered_line = None
            if numbered_line is None:
                return
            quoted = self._quoted_line(*numbered_line)
            self._ahead.append(quoted)
            self._fields_ahead += quoted.new_fields
            self._characters_ahead += len(quoted.line)
            if quoted.reopened_at:
                self._reopened = quoted

    def _is_too_long(self, characters: int) -> bool:
        return characters + self._characters_ahead > MAX_LINE_CHARACTERS or 1 + len(self._ahead) > MAX_RECORD_LINES

    def _quoted_line(self, number: int, line: str) -> _QuotedLine:
        if self._quote not in line:
            return _QuotedLine(number, line)
        text = self._quote + line
        try:
            return _QuotedLine(number, line, len(self._cells(text)) - 1, is_open=False)
        except csv.Error as error:
            cells = self._open_cells(text)
            if cells is None:
                return _QuotedLine(number, line, is_open=False, reason=str(error))
            reopened_at = self._open_quote(line, cells) if len(cells) > 1 else 0
            return _QuotedLine(number, line, len(cells) - 1, reopened_at=reopened_at)

    def _reason(self, number: int, line: str, fields: int) -> str:
        """Why no record begins with this line of `fields` fields, which ends within a quote; "" if one does."""
        fields += self._fields_ahead
        last = self._ahead[-1] if self._ahead else None
        if not self._is_too_long(len(line)) and last and not last.is_open and not last.reason and fields == self._width:
            return ""
        if self._reopened and self._reopened.number > number:
            opened_in, character = self._reopened.number, self._reopened.reopened_at
        else:
            opened_in, character = number, self._open_quote(line, self._open_cells(line) or [""])
        opened = f"the quote opened in line {opened_in}, character {character}"
        if self._is_too_long(len(line)):
            limits = f"{MAX_LINE_CHARACTERS} characters and {MAX_RECORD_LINES} lines"
            return f"is not valid CSV: {opened}, is not closed within {limits}"
        if last is None or last.is_open:
            return f"is not valid CSV: {opened}, is never closed"
        if last.reason:
            return f"is not valid CSV: {last.reason} in line {last.number}, after {opened}"
        return (
            f"must have {self._width} fields, like the header (got {fields} up to line {last.number}, after {opened})"
        )

    def _open_quote(self, line: str, cells: list[str]) -> int:
        """The character, from 1, of the quote that opens the last cell of a line and is not closed in it."""
        return len(line) - len(cells[-1].replace(self._quote, 2 * self._quote))


def csv_format(dialect: Dialect) -> Format:
    """CSV in a dialect. Recognizes no line, because any may be a header: CSV is what no other format recognizes."""
    return Format(
        "csv", "CSV", lambda _: False, dialect.read, header=dialect.header, line_ends=("\n", "\r"), has_cells=True
    )


CSV = csv_format(Dialect())
"""CSV with commas, and a header."""


def delimiters_in(line: str) -> Iterable[str]:
    """What may stand between the cells of a line, the most likely first."""
    counts = {delimiter: line.count(delimiter) for delimiter in _DELIMITERS}
    return sorted((delimiter for delimiter in counts if counts[delimiter]), key=lambda one: -counts[one])


def columns_with(line: str, delimiter: str) -> list[str]:
    """The columns of a header with this delimiter; none if it is not one."""
    with suppress(ValueError):
        return Dialect(delimiter).header(line)
    return []
