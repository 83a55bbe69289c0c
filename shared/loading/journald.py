r"""The journal of systemd, as `journalctl -o json` and `journalctl -o export` write it; times in microseconds.

    {"__REALTIME_TIMESTAMP":"1342540861416351","_HOSTNAME":"web-1","PRIORITY":"6","MESSAGE":"Started","_PID":"1"}

    __REALTIME_TIMESTAMP=1342540861416351
    _HOSTNAME=web-1
    PRIORITY=6
    MESSAGE=Started
    _PID=1
                            a blank line between two entries
A value with bytes that are not printable is a list of numbers in JSON. In an export its name is a line of its own, then
come eight bytes with its length, the bytes themselves, and the end of the line.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ..keys.errors import shown
from .formats import MAX_LINE_CHARACTERS, Format, FormatRows, ParsedRows
from .json_lines import JSONL, json_or_other
from .syslog import SEVERITIES

_EXPORT_STARTS = re.compile("__(?:CURSOR|REALTIME_TIMESTAMP)=")
_NAME = re.compile("[A-Z0-9_]{1,64}")
_LENGTH_BYTES = 8
"""Before a value, its length in the order of little-endian."""
_OTHER_NAMES = {"host": "_HOSTNAME", "pid": "_PID", "message": "MESSAGE"}
"""Columns that have the name of the same thing in syslog, too."""


def _recognizes(line: str) -> bool:
    is_json = line.lstrip().startswith("{") and '"__REALTIME_TIMESTAMP"' in line
    return is_json or bool(_EXPORT_STARTS.match(line))


def _json(lines: Iterable[str], path: Path) -> FormatRows:
    for number, last_number, values in JSONL.read(lines, path):
        if isinstance(values, dict):
            values = _entry({name: _text_of(value) for name, value in values.items()})
        yield number, last_number, values


def _text_of(value: Any) -> Any:
    """The text of a list of bytes; any other value is returned as it is."""
    return bytes(value).decode(errors="surrogateescape") if _is_bytes(value) else value


def _is_bytes(value: Any) -> bool:
    numbers: list[Any] = [*value] if type(value) is list else []
    return bool(numbers) and all(type(number) is int and 0 <= number <= 255 for number in numbers)


def _entry(values: dict[str, Any]) -> dict[str, Any]:
    """The values of an entry by field, and by the names that syslog has for some."""
    others = {other: values[name] for other, name in _OTHER_NAMES.items() if name in values and other not in values}
    process = values.get("SYSLOG_IDENTIFIER") or values.get("_COMM")
    if process:
        others["process"] = process
    priority = values.get("PRIORITY")
    if type(priority) is str and len(priority) == 1 and priority in "01234567":
        others["severity"] = SEVERITIES[int(priority)]
    return values | others


def _export(lines: Iterable[str], _path: Path) -> ParsedRows:
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        if line.strip():
            yield _exported(number, line, numbered)


def _exported(first: int, line: str, following: Iterator[tuple[int, str]]) -> tuple[int, int, dict[str, Any] | str]:
    """The entry that starts with a line, read up to the blank line after it; its first and last line."""
    values: dict[str, Any] = {}
    last, characters, reason = first, 0, ""
    for number, text in chain([(first, line)], following):
        if not text.strip("\n"):
            break
        last = number
        characters += len(text)
        name, equals, value = text.removesuffix("\n").partition("=")
        if reason or characters > MAX_LINE_CHARACTERS:
            reason = reason or f"an entry must have at most {MAX_LINE_CHARACTERS} characters, line ends included"
        elif not _NAME.fullmatch(name):
            reason = f"must be FIELD=value (got {shown(text.rstrip())})"
        elif equals:
            _add(values, name, value)
        elif (read := _after_length(following)) is None:
            reason = f"{name}: must have its length in eight bytes, then as many bytes and a line end"
        else:
            last, value = read
            characters += len(value)
            _add(values, name, value)
    return first, last, reason or _entry(values)


def _after_length(following: Iterator[tuple[int, str]]) -> tuple[int, str] | None:
    """The last line of a value that its length precedes, and the value; None if there is no such value."""
    data, wanted = b"", _LENGTH_BYTES + 1
    for number, text in following:
        data += text.encode(errors="surrogateescape")
        if len(data) >= wanted == _LENGTH_BYTES + 1:
            wanted = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little") + 1
        if wanted > MAX_LINE_CHARACTERS or len(data) > wanted:
            return None
        if len(data) == wanted:
            return number, data[_LENGTH_BYTES:-1].decode(errors="surrogateescape") if data.endswith(b"\n") else ""
    return None


def _add(values: dict[str, Any], name: str, value: str) -> None:
    """Adds a value; a field that occurs again has a list of its values, as in JSON."""
    if name not in values:
        values[name] = value
    elif isinstance(values[name], list):
        values[name].append(value)
    else:
        values[name] = [values[name], value]


JOURNALD = Format(
    "journald",
    "journal of systemd",
    _recognizes,
    json_or_other(_json, _export),
    time_column="__REALTIME_TIMESTAMP",
    time_unit="us",
)
"""Entries with their fields as columns; and host, process, pid, severity (in words) and message, as syslog has them."""
