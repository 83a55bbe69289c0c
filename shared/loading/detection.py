"""Which format a file has: the one that was named, or the one that recognizes its first line."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import cast, get_args

import attrs

from ..keys.errors import shown
from .csv_format import CSV, Dialect, csv_format
from .description import Description
from .errors import InvalidDescription, UnreadableFile, either
from .formats import Format
from .json_lines import JSONL
from .line_patterns import pattern_format
from .log_formats import LOG_FORMATS
from .log_layouts import Kind, layout_format
from .text_files import OTHER_ENCODING, FirstLine, encoded, first_not_utf8

KINDS = get_args(Kind)
"""The programs whose layouts are known."""
FORMATS = (*LOG_FORMATS, CSV, JSONL)
"""The formats of text files that every design reads."""
_CONTROL = re.compile("[\\x00-\\x08\\x0e-\\x1f]")
"""Characters that text in no usual encoding has."""
PARQUET = "parquet"
"""The name of the format of files that are not text; see `parquet_tables.py`."""


def candidates(description: Description, formats: Sequence[Format]) -> Sequence[Format]:
    """The formats that a file may have: all for `auto`, otherwise the one of that name, or the one described.

    Raises InvalidDescription if two are described.
    """
    name = description.format
    if described := _described(description):
        if name not in ("auto", described.name):
            wanted = f"must be without a format, or with {described.name}"
            raise InvalidDescription(f"delimiter, pattern and layout: {wanted} (got {shown(name)})")
        return [described]
    names = ["auto", *(format.name for format in formats), PARQUET]
    for known, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"formats: the name {shown(known)} occurs {count} times")
    if name not in names:
        raise ValueError(f"format: must be {either(names)} (got {shown(name)})")
    return formats if name == "auto" else [format for format in formats if format.name == name]


def _described(description: Description) -> Format | None:
    """The format that a description defines, if it does."""
    dialect = Dialect(description.delimiter or ",", description.quote, description.header)
    said = {"delimiter, quote or header": dialect != Dialect(), "pattern": description.pattern != ""}
    said["layout"] = description.layout != ""
    if sum(said.values()) > 1:
        raise InvalidDescription(
            f"{' and '.join(what for what, is_said in said.items() if is_said)}: must be one of them"
        )
    if dialect != Dialect():
        return csv_format(dialect)
    try:
        if description.layout:
            kind, colon, layout = description.layout.partition(":")
            if not colon or kind not in KINDS:
                wanted = (
                    f"must be the format string of a program after its name, {either([f'{one}:' for one in KINDS])}"
                )
                raise InvalidDescription(f"layout: {wanted} (got {shown(description.layout)})")
            return layout_format(cast("Kind", kind), layout)
        return pattern_format(description.pattern) if description.pattern else None
    except InvalidDescription:
        raise
    except ValueError as error:
        raise InvalidDescription(str(error)) from None


def is_parquet(path: str | Path, format: str) -> bool:
    """Whether a file is read as Parquet: if it begins as one, unless another format was named.

    Raises UnreadableFile if this format was named for another file, or if pyarrow is missing.
    """
    start = b""
    with suppress(OSError, ValueError):
        if Path(path).is_file():  # a pipe would lose its writer
            with Path(path).open("rb") as file:
                start = file.read(4)
    if start != b"PAR1":
        if format == PARQUET:
            raise UnreadableFile(f"{path}: is not a Parquet file")
        return False
    if format in ("auto", PARQUET) and find_spec("pyarrow") is None:
        raise UnreadableFile(f"{path}: is a Parquet file, which needs pyarrow: pip install 'rowbook[parquet]'")
    return format in ("auto", PARQUET)


def detect(formats: Sequence[Format], first: FirstLine) -> Format:
    """The format that recognizes the first line; if none does and the line is text, the only candidate, or CSV."""
    for format in formats:
        if format.recognizes(first.text):
            return _with_its_year(format, first)
    _check_text(first, formats)
    if len(formats) == 1:
        return _with_its_year(formats[0], first)
    if re.match(r"\s*\[\s*([\[{\"\]]|$)", first.text):  # but not a log's [2026-01-12 08:07:31]
        raise UnreadableFile("is a JSON array; write one object a line (jq -c '.[]')")
    return CSV


def _with_its_year(format: Format, first: FirstLine) -> Format:
    return attrs.evolve(format, has_year=format.tells_year(first.text)) if format.tells_year else format


def _check_text(first: FirstLine, formats: Sequence[Format]) -> None:
    line = first.text
    index = line.find("\0") if "\0" in line else first_not_utf8(line)
    if index >= 0:
        byte = f"byte {encoded(line[index]).hex()} at offset {first.offset + len(encoded(line[:index]))}"
        kind, advice = ("text", "") if _CONTROL.search(line) else ("UTF-8 text", OTHER_ENCODING)
        raise UnreadableFile(f"is not {kind} ({byte}); must be {either(titles(formats))}{advice}")


def titles(formats: Sequence[Format]) -> list[str]:
    """The names of formats for a message, which says of logs only those that are chosen: there are many."""
    return [format.title for format in formats if len(formats) == 1 or format not in LOG_FORMATS]
