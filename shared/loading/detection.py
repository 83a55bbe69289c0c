"""Which format a file has: the one that was named, or the one that recognizes its first line."""

import re
from collections import Counter
from collections.abc import Sequence

from ..keys.errors import shown
from .csv_format import CSV
from .errors import UnreadableFile
from .formats import Format
from .json_lines import JSONL
from .text_files import FirstLine, encoded, first_not_utf8

FORMATS = (CSV, JSONL)
"""The formats that every design reads."""


def candidates(name: str, formats: Sequence[Format]) -> Sequence[Format]:
    """The formats that a file may have: all for `auto`, otherwise the one of that name."""
    names = ["auto", *(format.name for format in formats)]
    for known, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"formats: the name {shown(known)} occurs {count} times")
    if name not in names:
        raise ValueError(f"format: must be {either(names)} (got {shown(name)})")
    return formats if name == "auto" else [format for format in formats if format.name == name]


def detect(formats: Sequence[Format], first: FirstLine) -> Format:
    """The format that recognizes the first line; if none does and the line is text, the only candidate, or CSV."""
    for format in formats:
        if format.recognizes(first.text):
            return format
    _check_text(first, formats)
    if len(formats) == 1:
        return formats[0]
    if re.match(r"\s*\[\s*([\[{\"\]]|$)", first.text):  # but not a log's [2026-01-12 08:07:31]
        raise UnreadableFile("is a JSON array; write one object a line (jq -c '.[]')")
    return CSV


def _check_text(first: FirstLine, formats: Sequence[Format]) -> None:
    line = first.text
    index = line.find("\0") if "\0" in line else first_not_utf8(line)
    if index >= 0:
        byte = f"byte {encoded(line[index]).hex()} at offset {first.offset + len(encoded(line[:index]))}"
        raise UnreadableFile(f"is not UTF-8 text ({byte}); must be {either([format.title for format in formats])}")


def either(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
