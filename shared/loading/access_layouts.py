"""The layouts of access logs: LogFormat of Apache, log_format of nginx."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from ..keys.errors import shown
from .formats import Format, ParsedRows
from .layout_pieces import Piece, bare, columns_of, joined, patterns, reason, unknown
from .log_times import ACCESS_LOG_TIME, read_access_log_time
from .time_notations import TimeNotation, TimeReader, from_strftime


def apache_format(layout: str) -> Format:
    """The format of a LogFormat, or of `common`, `combined` or `vhost_combined`."""
    return _Layout.of(layout, _apache(layout), "%h").format("apache", "Apache log")


def nginx_format(layout: str) -> Format:
    """The format of a log_format, or of `combined`."""
    return _Layout.of(layout, _nginx(layout), "$status").format("nginx", "nginx log")


@attrs.frozen
class _Layout:
    """The lines of a layout."""

    layout: str
    pieces: Sequence[Piece]
    directives: Sequence[Piece]
    columns: Sequence[str]
    pattern: "re.Pattern[str]"
    time: TimeReader | None
    """Reads the time if the layout writes it in parts or by a notation of its own."""
    adds_request: bool
    """Whether the parts of a request become columns, too."""

    @classmethod
    def of(cls, layout: str, pieces: Sequence[Piece], example: str) -> "_Layout":
        columns = columns_of(pieces)
        notations = tuple(piece.time for piece in pieces if piece.time is not None)
        if not columns and not notations:
            raise ValueError(f"layout: must have a directive such as {example} (got {shown(layout)})")
        if notations and "time" in columns:
            texts = " and ".join(piece.text for piece in pieces if piece.time is not None or piece.column == "time")
            raise ValueError(f"layout: must have one time (got {texts})")
        return cls(
            layout,
            pieces,
            [piece for piece in pieces if not piece.is_literal],
            columns,
            re.compile("".join(patterns(pieces))),
            TimeReader(notations) if notations else None,
            "request" in columns and not {"method", "path", "protocol"} & {*columns},
        )

    def format(self, name: str, title: str) -> Format:
        """The format."""
        time_column = next((piece.column for piece in self.pieces if piece.column in _TIMES), "")
        if self.time is not None:
            time_column = "time" if self.time.is_whole else ""
        names = [*self.columns, *(_OF_REQUEST if self.adds_request else ()), *(["time"] if self.time else [])]
        return Format(
            name,
            title,
            lambda line: self.pattern.fullmatch(bare(line)) is not None,
            self._rows,
            header=lambda _line: names,
            time_column=time_column,
        )

    def _rows(self, lines: Iterable[str], _path: Path) -> ParsedRows:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, number, self._values(bare(line))

    def _values(self, line: str) -> dict[str, Any] | str:
        match = self.pattern.fullmatch(line)
        if match is None:
            return reason(self.layout, self.pieces, line)
        values: dict[str, Any] = {}
        of_time: list[str] = []
        for piece, text in zip(self.directives, match.groups(), strict=True):
            if piece.time is not None:
                of_time.append(text)
                continue
            try:
                values[piece.column] = piece.read(text)
            except ValueError as error:
                return f"{piece.column}: {error}"
        if self.time is not None:
            try:
                values["time"] = self.time(of_time) if self.time.is_whole else " ".join(of_time)
            except ValueError as error:
                return f"time: {error}"
        if self.adds_request:
            values |= _parts_of_request(values["request"])
        return values


_TIMES = ("time", "time_local", "time_iso8601", "msec")
_OF_REQUEST = ("method", "path", "protocol")
_REQUEST = re.compile(r"([^ ]+) (.*?)(?: (HTTP/[0-9.]+))?")


def _parts_of_request(request: str | None) -> dict[str, str | None]:
    """Method, path and protocol of `GET / HTTP/1.1`; None for a text of a client that is not a request."""
    match = None if request is None else _REQUEST.fullmatch(request)
    return dict(zip(_OF_REQUEST, match.groups() if match else (None,) * len(_OF_REQUEST), strict=True))


# Values: both programs write - for what is not there, and escape what a client could use to forge a line

_ESCAPES = re.compile(r'(?:\\x[0-9a-fA-F]{2})+|\\[\\"nrtbfv]')
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}


def _value(text: str) -> str | None:
    r"""A value; `\x22`, `\"` and the like as what they stand for, unless that is not UTF-8."""
    return None if text == "-" else _ESCAPES.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: "re.Match[str]") -> str:
    escaped = match[0]
    if not escaped.startswith("\\x"):
        return _CHARACTERS.get(escaped[1], escaped[1])
    try:
        return bytes.fromhex(escaped.replace("\\x", "")).decode()
    except UnicodeDecodeError:
        return escaped


def _bytes(text: str) -> str:
    """The number of bytes; - is 0."""
    return "0" if text == "-" else text


_NUMBER = "[0-9]++|-"
_DECIMAL = r"[0-9]++(?:\.[0-9]++)?|-"
_STATUS = "[0-9]{3}|-"

# Apache: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html

_APACHE_LAYOUTS = {
    "common": '%h %l %u %t "%r" %>s %b',
    "combined": '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"',
    "vhost_combined": '%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"',
}
_APACHE: Mapping[str, tuple[str, str, Callable[[str], Any]]] = {
    "a": ("client", "", _value),
    "A": ("local", "", _value),
    "B": ("bytes", "[0-9]++", _bytes),
    "b": ("bytes", _NUMBER, _bytes),
    "D": ("duration_us", _NUMBER, _value),
    "f": ("file", "", _value),
    "h": ("host", "", _value),
    "H": ("protocol", "", _value),
    "I": ("bytes_in", _NUMBER, _bytes),
    "k": ("keepalive", _NUMBER, _value),
    "l": ("identity", "", _value),
    "L": ("log_id", "", _value),
    "m": ("method", "", _value),
    "O": ("bytes_out", _NUMBER, _bytes),
    "p": ("port", _NUMBER, _value),
    "P": ("pid", _NUMBER, _value),
    "q": ("query", "", _value),
    "r": ("request", "", _value),
    "R": ("handler", "", _value),
    "s": ("status", _STATUS, _value),
    "S": ("bytes_total", _NUMBER, _bytes),
    "t": ("time", ACCESS_LOG_TIME.pattern, read_access_log_time),
    "T": ("duration_s", _NUMBER, _value),
    "u": ("user", "", _value),
    "U": ("path", "", _value),
    "v": ("server", "", _value),
    "V": ("server_name", "", _value),
    "X": ("connection", r"[X+-]", str),
}
"""The directives, each with its column, the regular expression of its values, and what reads them."""
_HEADERS = {"referer": "referer", "user-agent": "agent"}
"""Columns of headers whose names are common; another header is a column by its name."""
_DURATIONS = {"s": "duration_s", "ms": "duration_ms", "us": "duration_us"}
_TIME_PARTS = {
    "sec": "seconds",
    "msec": "milliseconds",
    "usec": "microseconds",
    "msec_frac": "fraction",
    "usec_frac": "fraction",
}
_FRACTIONS = {"msec_frac": "SSS", "usec_frac": "SSSSSS"}
_DIRECTIVE = re.compile(r"%(?:[!<>]|[!0-9,]+)*(?:\{([^}]*)\})?(\^t[io]|.)|([^%]+)|(%)")


def _apache(layout: str) -> list[Piece]:
    layout = _APACHE_LAYOUTS.get(layout, layout).replace('\\"', '"').replace("\\t", "\t")
    pieces: list[Piece] = []
    for match in _DIRECTIVE.finditer(layout):
        argument, letter, literal, _stray = match.groups()
        if literal or match[0] == "%%":
            pieces.append(Piece(literal or "%"))
        elif letter == "t" and argument is None:
            pieces += [Piece("["), _apache_directive(match[0], argument, letter), Piece("]")]
        else:
            pieces.append(_apache_directive(match[0], argument, letter))
    return joined(pieces)


def _apache_directive(text: str, argument: str | None, letter: str | None) -> Piece:
    if letter is not None and argument is None and letter in _APACHE:
        column, pattern, read = _APACHE[letter]
        return Piece(text, column, pattern, read)
    known = [*(f"%{letter}" for letter in _APACHE), *(f"%{{NAME}}{letter}" for letter in "iCenotT")]
    if argument is None or letter is None:
        raise unknown(text, known)
    if letter == "t":
        argument = argument.removeprefix("begin:").removeprefix("end:") or "%d/%b/%Y:%H:%M:%S %z"
        if argument in _TIME_PARTS:
            notation = TimeNotation(((_TIME_PARTS[argument], _FRACTIONS.get(argument, "")),))
        else:
            try:
                notation = from_strftime(argument)
            except ValueError as error:
                raise ValueError(f"layout: {text}: {error}") from None
        return Piece(text, pattern=notation.pattern, time=notation)
    if letter == "T" and argument in _DURATIONS:
        return Piece(text, _DURATIONS[argument], _NUMBER, _value)
    if letter in ("p", "P", "a", "h"):
        column = _APACHE[letter][0]
        return Piece(text, column if argument in ("canonical", "pid") else f"{column}_{argument}", "", _value)
    if letter in ("i", "o", "C", "e", "n", "x", "c", "^ti", "^to") and argument:
        column = _HEADERS.get(argument.lower(), argument) if letter == "i" else argument
        return Piece(text, column, "", _value, may_have_commas=letter in "io")
    raise unknown(text, known)


# nginx: https://nginx.org/en/docs/http/ngx_http_log_module.html

_NGINX_LAYOUTS = {
    "combined": '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer"'
    ' "$http_user_agent"',
}
_NGINX: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "time_local": (ACCESS_LOG_TIME.pattern, read_access_log_time),
    "time_iso8601": ("[0-9-]{10}T[0-9:]{8}[+-][0-9]{2}:[0-9]{2}", str),
    "msec": (r"[0-9]+\.[0-9]{3}", lambda text: int(text.replace(".", ""))),
    "status": (_STATUS, _value),
    "body_bytes_sent": (_NUMBER, _value),
    "bytes_sent": (_NUMBER, _value),
    "request_length": (_NUMBER, _value),
    "request_time": (_DECIMAL, _value),
    "connection": (_NUMBER, _value),
    "connection_requests": (_NUMBER, _value),
}
"""Variables with values of one form, each with its regular expression and what reads them."""
_VARIABLE = re.compile(r"\$(?:\{([a-zA-Z0-9_]+)\}|([a-zA-Z0-9_]+))|([^$]+)|(.)")


def _nginx(layout: str) -> list[Piece]:
    pieces: list[Piece] = []
    for match in _VARIABLE.finditer(_NGINX_LAYOUTS.get(layout, layout)):
        braced, plain, literal, stray = match.groups()
        if stray:
            raise ValueError(f"layout: a $ must begin the name of a variable (got {shown(layout)})")
        if literal:
            pieces.append(Piece(literal))
            continue
        name = braced or plain
        pattern, read = _NGINX.get(name, ("", _value))
        may_have_commas = name.startswith(("upstream_", "http_", "proxy_add_"))
        pieces.append(Piece(match[0], name, pattern, read, may_have_commas=may_have_commas))
    return joined(pieces)
