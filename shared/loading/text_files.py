"""A text file as lines; a byte that is not UTF-8 costs one line, and the length of a line is limited."""

import codecs
import io
import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import BinaryIO, cast

import attrs

from ..keys.errors import shown
from .compression import decompressed
from .errors import InvalidDescription, UnreadableFile
from .formats import MAX_LINE_CHARACTERS

_TOO_LONG = f"must have fewer than {MAX_LINE_CHARACTERS} characters, line end included"
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
"""The lone surrogates that stand for bytes that are not UTF-8."""


@attrs.frozen
class FirstLine:
    """The first line of a file that is not blank."""

    text: str
    blank_lines: int
    """How many blank lines come before it."""
    offset: int
    """The offset in the file at which it begins, in bytes."""


OTHER_ENCODING = "; if the file has another encoding, give it, such as --encoding latin-1"
"""Advice for text that is not UTF-8."""
STDIN = "-"
"""The path of the standard input."""


class TextFile:
    """An open file; bytes that are not UTF-8 are lone surrogates in its text.

    A compressed file is read as what it holds, see `compression.py`; `-` is the standard input. Without `encoding` the
    text is UTF-8, or UTF-16 if it starts with the byte order mark of that. Raises InvalidDescription for an encoding
    that Python does not know.
    """

    def __init__(self, path: str | Path, encoding: str = "") -> None:
        try:
            if encoding and not "a".encode(encoding).decode(encoding) == "a":
                raise LookupError
        except (LookupError, ValueError, TypeError):
            raise InvalidDescription(
                f"encoding: must be one of Python's, such as latin-1 (got {shown(encoding)})"
            ) from None
        self._path = path
        self.line_count = 0
        """How many lines have been read, blank ones included."""
        file = Path(path)
        try:
            self.size_bytes = file.stat().st_size if file.is_file() else None
            self._data: BinaryIO = os.fdopen(os.dup(0), "rb") if str(path) == STDIN else file.open("rb")
        except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
            raise UnreadableFile(f"{path}: {_reason(error)}") from None
        try:
            plain = decompressed(self._data, file.name)
        except (OSError, UnreadableFile) as error:
            self._data.close()
            raise UnreadableFile(f"{path}: {_reason(error)}") from None
        self._plain, self._encoding = plain, encoding
        self._text: io.TextIOBase = io.StringIO()

    @property
    def read_bytes(self) -> int:
        """How many bytes of the file have been read, before they are decompressed."""
        return self._data.tell()

    def close(self) -> None:
        """Closes the file."""
        self._text.close()
        self._plain.close()
        self._data.close()

    def first_line(self, skip: int = 0) -> FirstLine:
        """The first line that is not blank, after `skip` lines; UnreadableFile for none, or a too long one."""
        try:
            return self._first_line(skip)
        except (OSError, UnicodeError) as error:
            raise UnreadableFile(_reason(error)) from None

    def _decode(self) -> None:
        """Decides how the bytes are decoded, by the first two of them if it was not said."""
        start = b"" if self._encoding else cast("io.BufferedReader", self._plain).peek(2)[:2]
        encoding = "utf-16" if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else self._encoding or "utf-8"
        # Bytes that are not UTF-8 cost a line; in an encoding of two bytes nobody knows where the next line begins.
        errors = "strict" if encoding.replace("-", "").lower().startswith(("utf16", "utf32")) else "surrogateescape"
        self._text = io.TextIOWrapper(self._plain, encoding, errors=errors, newline="")

    def _first_line(self, skip: int) -> FirstLine:
        self._decode()
        for number in range(1, skip + 1):
            line = self._text.readline(MAX_LINE_CHARACTERS)
            if not line:
                raise UnreadableFile(f"must have more lines than are skipped, {skip} (got {number - 1})")
            if len(line) >= MAX_LINE_CHARACTERS:
                raise UnreadableFile(f"line {number}, which is skipped, {_TOO_LONG}")
        start = self._text.readline(MAX_LINE_CHARACTERS)
        line = start.removeprefix("\ufeff")
        offset = len(encoded(start)) - len(encoded(line))
        blank_lines = skip  # the formats see skipped lines as blank ones, so that numbers stay
        while line and not line.strip():
            blank_lines += line.endswith(("\n", "\r"))
            offset += len(encoded(line))
            line = self._text.readline(MAX_LINE_CHARACTERS)
        if not line:
            raise UnreadableFile("is empty")
        if len(line) >= MAX_LINE_CHARACTERS:
            raise UnreadableFile(f"the first line {_TOO_LONG}")
        return FirstLine(line, blank_lines, offset)

    def lines(self, first: FirstLine, line_ends: tuple[str, ...]) -> Iterator[str]:
        """All lines, blank ones before the first included; UnreadableFile for one that is too long."""
        rest = iter(partial(self._text.readline, MAX_LINE_CHARACTERS), "")
        pieces = chain(repeat("\n", first.blank_lines), [first.text], rest)
        try:
            for piece in pieces:
                self.line_count += 1
                line = piece if piece.endswith(line_ends) else _join_pieces(piece, pieces, line_ends)
                if len(line) >= MAX_LINE_CHARACTERS:
                    raise UnreadableFile(f"{self._path}:{self.line_count}: {_TOO_LONG}")
                yield line
        except (OSError, UnicodeError) as error:
            raise UnreadableFile(f"{self._path}: {_reason(error)}, after line {self.line_count}") from error


def _join_pieces(first: str, pieces: Iterator[str], line_ends: tuple[str, ...]) -> str:
    """A line of several pieces, because `readline` also ends a piece at a lone carriage return.

    Joined in a buffer: adding piece after piece to a str would copy the whole line each time.
    """
    line = io.StringIO(newline="")
    characters, piece = line.write(first), first
    while not piece.endswith(line_ends) and characters < MAX_LINE_CHARACTERS and (piece := next(pieces, "")):
        characters += line.write(piece)
    return line.getvalue()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def encoded(text: str) -> bytes:
    """The bytes that were read as this text."""
    return text.encode(errors="surrogateescape")


def first_not_utf8(text: str) -> int:
    """The index of the first byte that is not UTF-8; -1 if there is none."""
    match = None if text.isascii() else _NOT_UTF8.search(text)
    return match.start() if match else -1
