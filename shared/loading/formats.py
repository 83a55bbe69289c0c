"""Forms of text files: CSV and JSON lines, which every design reads; a design's own are made in the same way.

What is not UTF-8, and a line without end, is no format's business: `loading.py` sees to that.
"""

import csv
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

import attrs

from .values import parse_int

Rows: TypeAlias = Iterator[tuple[int, int, dict[str, Any] | str]]
"""First and last line of each row, with its values by column, or the reason why it has none."""

LONGEST = 10 * 1024 * 1024
"""Characters of a line, and of an event of several lines. HBase takes no cell of more bytes, unless it is told
otherwise (hbase.client.keyvalue.maxsize)."""

MOST_LINES = 100_000
"""Lines of a CSV record. A quote that is never closed is given up after as many."""

csv.field_size_limit(max(csv.field_size_limit(), LONGEST))  # one limit for all of the process, 131,072 unless raised


@attrs.frozen
class Format:
    """A form of text files: how one begins, and how its lines become the values of records."""

    name: str
    """What tells it from all others: `csv`."""
    title: str
    """What messages call it: `CSV`."""
    starts: Callable[[str], bool]
    """Whether a file is of this form whose first line that is not blank is this one."""
    read: Callable[[Iterable[str], Path], Rows]
    """The rows of a file's lines. Lines come with their ends, and blank ones too.

    A byte that is not UTF-8 comes as a lone surrogate, and values that hold one are not taken.
    """
    header: Callable[[str], list[str]] | None = None
    """The columns, where the first line names them; ValueError says why it does not."""
    line_ends: tuple[str, ...] = ("\n",)
    """In a log a lone carriage return is a character as any; in a CSV of old it ends a line."""
    has_milliseconds: bool = False
    """Whether the format itself makes milliseconds of its times, so that no number can be in another unit."""


# CSV


def _csv(lines: Iterable[str], _path: Path) -> Rows:
    """A header, then records. A blank after a comma is dropped where the header has some too, and kept elsewhere."""
    numbered = enumerate(lines, start=1)
    _, first = next(((at, line) for at, line in numbered if line.strip()), (0, ""))
    header = _header(first)
    for first_line, last_line, cells in _CsvRecords(numbered, len(header), _has_blanks(first)):
        yield first_line, last_line, cells if isinstance(cells, str) else dict(zip(header, cells, strict=True))


@attrs.frozen
class _InQuote:
    """A line after an open quote: how many fields it begins, and whether the quote is open at its end."""

    number: int
    line: str
    fields: int = 0
    is_open: bool = True
    reopened_at: int = 0
    """The character, from 1, of the quote that is open at the end, if that is another one."""
    reason: str = ""
    """Why the line cannot follow an open quote."""


class _CsvRecords:
    """The records of CSV lines: first line, last line, and the cells or the reason why there are none.

    A record whose quotes do not match costs only its first line: the next one is read as if the bad one were not there.
    For that, the lines up to the end of the quote are kept, at most `LONGEST` characters and `MOST_LINES`. That end is
    the same for every quote opened before it, so each line is looked at once after an open quote and once without.
    """

    def __init__(self, numbered: Iterator[tuple[int, str]], width: int, skips_blanks: bool) -> None:
        self._numbered = numbered
        self._width = width
        self._text = list[str]()
        self._reader = csv.reader(iter(self._text.pop, None), strict=True, skipinitialspace=skips_blanks)
        self._ahead = deque[_InQuote]()
        """The lines after the present one, as far as they have been read; the quote can end only in the last."""
        self._fields = self._characters = 0
        """What the lines ahead sum up to."""
        self._reopened: _InQuote | None = None
        """The last line read ahead that ends within another quote than it begins in."""
        self._failure: Exception | None = None
        """What ended the reading ahead; raised when the lines before it are done."""

    def __iter__(self) -> Iterator[tuple[int, int, list[str] | str]]:
        while following := self._next():
            number, line = following
            try:
                cells = self._cells(line)
            except csv.Error as error:
                if (begun := self._open_cells(line)) is None:
                    yield number, number, f"is not valid CSV: {error}"
                else:
                    yield self._over_lines(number, line, len(begun))
                continue
            if len(cells) == self._width:
                yield number, number, cells
            elif cells:  # which an empty line has not
                yield number, number, f"must have {self._width} fields, as the header (got {len(cells)})"

    def _over_lines(self, number: int, line: str, fields: int) -> tuple[int, int, list[str] | str]:
        """The record that begins with a line of so many fields, the last of them open."""
        self._read_ahead(len(line))
        if reason := self._reason(number, line, fields):
            return number, number, reason
        cells = self._cells(line + "".join(ahead.line for ahead in self._ahead))
        last = self._ahead[-1].number
        self._ahead.clear()
        self._fields = self._characters = 0
        return number, last, cells

    def _next(self) -> tuple[int, str] | None:
        if not self._ahead:
            if self._failure:
                raise self._failure
            return next(self._numbered, None)
        following = self._ahead.popleft()
        self._fields -= following.fields
        self._characters -= len(following.line)
        return following.number, following.line

    def _cells(self, text: str) -> list[str]:
        """The cells of one record; csv.Error where it is none."""
        self._text.append(text)
        try:
            return next(self._reader)  # which begins anew at each call
        except IndexError:  # it asks for another line
            raise csv.Error("unexpected end of data") from None

    def _open_cells(self, text: str) -> list[str] | None:
        """The cells of a text that ends within a quote, the last one as far as it goes; None for any other text."""
        try:
            return self._cells(text + '"')
        except csv.Error:
            return None

    def _read_ahead(self, characters: int) -> None:
        """Reads lines up to the end of the open quote of a line of so many characters, within the limits."""
        while not ((self._ahead and not self._ahead[-1].is_open) or self._is_too_long(characters)):
            try:
                following = next(self._numbered, None)
            except (OSError, ValueError) as error:
                self._failure = error
                following = None
            if following is None:
                return
            inside = self._in_quote(*following)
            self._ahead.append(inside)
            self._fields += inside.fields
            self._characters += len(inside.line)
            if inside.reopened_at:
                self._reopened = inside

    def _is_too_long(self, characters: int) -> bool:
        return characters + self._characters > LONGEST or 1 + len(self._ahead) > MOST_LINES

    def _in_quote(self, number: int, line: str) -> _InQuote:
        if '"' not in line:
            return _InQuote(number, line)
        text = '"' + line
        try:
            return _InQuote(number, line, len(self._cells(text)) - 1, is_open=False)
        except csv.Error as error:
            cells = self._open_cells(text)
            if cells is None:
                return _InQuote(number, line, is_open=False, reason=str(error))
            reopened_at = _quote_at(line, cells) if len(cells) > 1 else 0
            return _InQuote(number, line, len(cells) - 1, reopened_at=reopened_at)

    def _reason(self, number: int, line: str, fields: int) -> str:
        """Why no record begins with this line, which has so many fields and ends within a quote."""
        fields += self._fields
        last = self._ahead[-1] if self._ahead else None
        if not self._is_too_long(len(line)) and last and not last.is_open and not last.reason and fields == self._width:
            return ""
        if self._reopened and self._reopened.number > number:
            opened_in, character = self._reopened.number, self._reopened.reopened_at
        else:
            opened_in, character = number, _quote_at(line, self._open_cells(line) or [""])
        opened = f"the quote opened in line {opened_in}, character {character}"
        if self._is_too_long(len(line)):
            return f"is not valid CSV: {opened}, is not closed within {LONGEST} characters and {MOST_LINES} lines"
        if last is None or last.is_open:
            return f"is not valid CSV: {opened}, is never closed"
        if last.reason:
            return f"is not valid CSV: {last.reason} in line {last.number}, after {opened}"
        return f"must have {self._width} fields, as the header (got {fields} up to line {last.number}, after {opened})"


def _quote_at(line: str, cells: list[str]) -> int:
    """The character, from 1, of the quote that opens the last cell of a line and is not closed in it."""
    return len(line) - len(cells[-1].replace('"', '""'))


def _header(line: str) -> list[str]:
    try:
        (cells,) = csv.reader([line], strict=True, skipinitialspace=_has_blanks(line))
    except csv.Error as error:
        raise ValueError(f"is not valid CSV: {error}") from None
    return [cell.strip() for cell in cells]


def _has_blanks(line: str) -> bool:
    (cells,) = csv.reader([line], strict=True)
    return any(cell.startswith(" ") for cell in cells[1:])


CSV = Format("csv", "CSV", lambda _: False, _csv, header=_header, line_ends=("\n", "\r"))
"""Any line may be a header, so this is what a file is taken for that starts no other format."""


# JSON lines


def _jsonl(lines: Iterable[str], _path: Path) -> Rows:
    """One object a line."""
    return ((number, number, _object(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _object(line: str) -> dict[str, Any] | str:
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


JSONL = Format("jsonl", "JSON lines", lambda line: line.lstrip().startswith("{"), _jsonl, line_ends=("\n", "\r"))

FORMATS = (CSV, JSONL)
"""Those that every design reads."""
