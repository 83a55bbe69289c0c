r"""Logs of log4j and logback by their layout: `%d{ISO8601} %-5p [%t] %c: %m%n`.

An event begins with a line that has what the layout has up to the day of its time. The lines up to the next one, such
as a stack trace, belong to it and are part of its message.

    2016-12-19 16:31:46,123 ERROR [main] a.B: No reply
    java.io.IOException
    date 2016-12-19 16:31:46,123, level ERROR, thread main, logger a.B, message No reply\njava.io.IOException
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from ..keys.errors import shown
from .formats import MAX_LINE_CHARACTERS, Format, ParsedRows
from .layout_pieces import Piece, bare, columns_of, joined, patterns, unknown
from .time_notations import TimeNotation, TimeReader, from_java

_DIRECTIVE = re.compile(r"%(%|(-?)([0-9]*)(?:\.-?[0-9]+)?([A-Za-z]+)((?:\{[^}]*\})*))|([^%]+)|(%)")
_COLUMNS = {
    "level": ("p", "le", "level"),
    "thread": ("t", "tn", "thread", "threadName"),
    "thread_id": ("T", "tid", "threadId"),
    "logger": ("c", "lo", "logger"),
    "message": ("m", "msg", "message"),
    "class": ("C", "class"),
    "method": ("M", "method"),
    "line": ("L", "line"),
    "file": ("F", "file"),
    "location": ("l", "location", "caller"),
    "context": ("x", "NDC"),
    "relative_ms": ("r", "relative"),
    "sequence": ("sn", "sequenceNumber"),
    "pid": ("pid", "processId"),
    "marker": ("marker", "markerSimpleName"),
    "mdc": ("X", "mdc", "MDC"),
}
"""The directives of each column; `%X{key}` has the column `key`."""
_OF_WORD = {word: column for column, words in _COLUMNS.items() for word in words}
_DATES = ("d", "date")
_LINE_END = "n"
_AROUND_OTHERS = ("clr", "highlight", "style", "replace", "enc", "encode", "maxLen", "notEmpty")
"""They change what is written by directives inside them, so one must write the layout without them."""
_EXCEPTIONS = (
    "ex",
    "xEx",
    "rEx",
    "wEx",
    "exception",
    "throwable",
    "xException",
    "xThrowable",
    "rException",
    "rThrowable",
)
"""What they write follows the message, and is part of it."""
_WITHOUT_TEXT = ("nopex", "nopexception", *_EXCEPTIONS)
_PATTERNS = {
    "level": "[A-Z][A-Z0-9_]*+",
    "thread": r"[^\n]*?",  # may have what follows it, too: QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181
    "class": r"[\w.$<>/?-]++",
    "method": r"[\w.$<>?]++",
    "line": "[0-9]++|[?]",
    "relative_ms": "-?[0-9]++",
    "pid": "[0-9]++",
}
_NOTATIONS = {
    "": "yyyy-MM-dd HH:mm:ss,SSS",
    "DEFAULT": "yyyy-MM-dd HH:mm:ss,SSS",
    "DEFAULT_MICROS": "yyyy-MM-dd HH:mm:ss,nnnnnn",
    "DEFAULT_NANOS": "yyyy-MM-dd HH:mm:ss,nnnnnnnnn",
    "ISO8601": "yyyy-MM-dd~HH:mm:ss,SSS",
    "ISO8601_BASIC": "yyyyMMdd'T'HHmmss,SSS",
    "ISO8601_PERIOD": "yyyy-MM-dd'T'HH:mm:ss.SSS",
    "ISO8601_OFFSET_DATE_TIME_HH": "yyyy-MM-dd'T'HH:mm:ss,SSSX",
    "ISO8601_OFFSET_DATE_TIME_HHMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXX",
    "ISO8601_OFFSET_DATE_TIME_HHCMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXXX",
    "ABSOLUTE": "HH:mm:ss,SSS",
    "ABSOLUTE_PERIOD": "HH:mm:ss.SSS",
    "COMPACT": "yyyyMMddHHmmssSSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS",
    "DATE_PERIOD": "dd MMM yyyy HH:mm:ss.SSS",
}
"""The dates that log4j has names for. ISO8601 has a blank in log4j 1 and logback, a T in log4j 2: either is read."""
_NUMBERS = {"UNIX": "seconds", "UNIX_MILLIS": "milliseconds"}
_UTC = ("UTC", "GMT", "GMT+0", "Z")


def log4j_format(layout: str) -> Format:
    """The format of a layout. Raises ValueError, one line, for a directive that is not known."""
    return _Layout.of(layout).format()


@attrs.frozen
class _Layout:
    """The events of a layout."""

    padded: Sequence[Piece]
    """Those whose values have blanks at one end."""
    columns: Sequence[str]
    """Of the directives, in their order."""
    starts: "re.Pattern[str]"
    """How an event starts."""
    pattern: "re.Pattern[str]"
    wanted: str
    """How an event starts, as an example."""
    time: TimeReader | None
    ends_in_message: bool
    """Whether nothing follows the message; otherwise what follows the line in which the layout ends is added to it."""

    @classmethod
    def of(cls, layout: str) -> "_Layout":
        pieces = _pieces(layout)
        columns = columns_of(pieces)
        if "message" not in columns:
            raise ValueError(f"layout: must have a message, %m (got {shown(layout)})")
        found = patterns(pieces)
        at = next(index for index, piece in enumerate(pieces) if piece.column == "message")
        ends_in_message = at == len(pieces) - 1
        found[at] = "((?s:.*))" if ends_in_message else r"((?:[^\n]*\n)*?[^\n]*)"
        dates = [index for index, piece in enumerate(pieces[:at]) if piece.time is not None]
        first = found[:at]
        if dates:
            notation = pieces[dates[0]].time
            first = [*found[: dates[0]], notation.day_pattern if notation else ""]
        notations = [piece.time for piece in pieces if piece.time is not None]
        return cls(
            [piece for piece in pieces if piece.width],
            columns,
            re.compile("".join(first)),
            re.compile("".join(found) + ("" if ends_in_message else r"(?:\n((?s:.*)))?")),
            "".join(map(_example, pieces[:at])).rstrip(),
            TimeReader((notations[0],)) if notations else None,
            ends_in_message,
        )

    def format(self) -> Format:
        """The format."""
        return Format(
            "log4j",
            "log4j log",
            lambda line: bool(self.starts.match(line)),
            self._rows,
            header=lambda _line: [*self.columns],
            time_column="date" if self.time and self.time.is_whole else "",
        )

    def _rows(self, lines: Iterable[str], _path: Path) -> ParsedRows:
        for first, last, event in _events(lines, self.starts):
            yield first, last, self._values(event)

    def _values(self, event: str) -> dict[str, Any] | str:
        match = self.pattern.fullmatch(event)
        if match is None:
            return f"must start with {self.wanted} (got {event.partition(chr(10))[0]!r:.100})"
        if len(event) + 1 > MAX_LINE_CHARACTERS:
            return f"an event must have at most {MAX_LINE_CHARACTERS} characters, line ends included"
        texts = match.groups()
        values: dict[str, Any] = dict(zip(self.columns, texts, strict=False))
        for piece in self.padded:
            values[piece.column] = piece.read(values[piece.column])
        if not self.ends_in_message and texts[-1] is not None:
            values["message"] += f"\n{texts[-1]}"
        if self.time and self.time.is_whole:
            try:
                values["date"] = self.time([values["date"]])
            except ValueError as error:
                return f"date: {error}"
        return values


def _events(lines: Iterable[str], starts: "re.Pattern[str]") -> Iterator[tuple[int, int, str]]:
    """First and last line of each event, and its lines, joined; those before the first event are one, too.

    An event that is too long ends there, and the rest of it is another one.
    """
    first, event, characters = 0, list[str](), 0
    for number, line in enumerate(lines, start=1):
        line = bare(line)
        if event and (starts.match(line) or characters > MAX_LINE_CHARACTERS):
            yield first, number - 1, "\n".join(event)
            event, characters = [], 0
        if not event:
            if not line.strip():  # before the first event; within an event a blank line is part of its message
                continue
            first = number
        event.append(line)
        characters += len(line) + 1
    if event:
        yield first, first + len(event) - 1, "\n".join(event)


def _pieces(layout: str) -> list[Piece]:
    pieces: list[Piece] = []
    for match in _DIRECTIVE.finditer(layout):
        percent, minus, width, word, options, literal, stray = match.groups()
        if literal or percent == "%":
            text = (literal or "%").replace("\\t", "\t").replace("\\n", "")
            pieces.append(Piece(text))
        elif stray:
            raise ValueError(f"layout: a % must begin a directive (got {shown(layout)})")
        else:
            pieces += _directive(match[0], word, options)
            if width and pieces:
                pieces[-1] = _padded(pieces[-1], int(width), is_left=bool(minus))
    pieces = joined(pieces)
    if pieces and pieces[-1].is_literal:
        end = pieces.pop().text.rstrip("\n")
        pieces += [Piece(end)] if end.strip() else []
    return pieces


def _directive(text: str, word: str, options: str) -> list[Piece]:
    """The piece of a directive, or of the longest word that is one: `%mfoo` is `%m` and a text."""
    words = {*_OF_WORD, *_DATES, *_WITHOUT_TEXT, _LINE_END}
    known = next((word[:end] for end in range(len(word), 0, -1) if word[:end] in words), "")
    if not known or word in _AROUND_OTHERS:
        shortest = [*(f"%{words[0]}" for words in _COLUMNS.values()), "%d", "%n", "%ex"]
        raise unknown(text, shortest)
    rest = word.removeprefix(known)
    after = [Piece(rest + options)] if rest else []
    arguments = re.findall(r"\{([^}]*)\}", "" if rest else options)
    if known in _WITHOUT_TEXT:
        return after
    if known == _LINE_END:
        return [Piece("\n"), *after]
    if known in _DATES:
        return [Piece(text, "date", (notation := _notation(text, arguments)).pattern, time=notation), *after]
    column = _OF_WORD[known]
    if column == "mdc" and arguments:
        column = arguments[0].partition(":")[0]
    pattern = _PATTERNS.get(column, "")
    if column == "level" and "lowerCase=true" in arguments:
        pattern = pattern.lower()
    return [Piece(text, column, pattern, may_have_blanks=True), *after]


def _notation(text: str, arguments: Sequence[str]) -> TimeNotation:
    name, *zones = [*arguments, ""][: max(len(arguments), 1)]
    if zones and zones[0] not in _UTC:
        raise ValueError(f"layout: {text}: leave out {zones[0]}, and give the zone of the time (got {text})")
    if name in _NUMBERS:
        return TimeNotation(((_NUMBERS[name], ""),))
    try:
        return from_java(_NOTATIONS.get(name, name))
    except ValueError as error:
        raise ValueError(f"layout: {text}: {error}") from None


def _padded(piece: Piece, width: int, *, is_left: bool) -> Piece:
    """A piece whose shorter values are filled with blanks, at their end or at their start."""
    if piece.is_literal or piece.time is not None or piece.column == "message":
        return piece
    return attrs.evolve(piece, width=width, read=_without_blanks_after if is_left else _without_blanks_before)


def _without_blanks_after(text: str) -> str:
    return text.rstrip(" ")


def _without_blanks_before(text: str) -> str:
    return text.lstrip(" ")


def _example(piece: Piece) -> str:
    if piece.is_literal:
        return piece.text
    return piece.time.example if piece.time else piece.column.upper()
