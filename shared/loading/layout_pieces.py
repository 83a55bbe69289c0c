"""The parts of a layout of log lines, literal texts and directives, as a regular expression of its lines.

A value ends where the literal text after it begins, so a line is read once, whatever it holds.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from ..keys.errors import shown
from .time_notations import TimeNotation


@attrs.frozen
class Piece:
    """A part of a layout: a literal text, or a directive with the column of its value."""

    text: str
    """As the layout has it."""
    column: str = ""
    """Empty for a literal text, and for a part of a time that has several."""
    pattern: str = ""
    """The regular expression of its values; empty if they end where the next literal text begins."""
    read: Callable[[str], Any] = str
    """What makes the value of a text; ValueError says why it cannot."""
    time: TimeNotation | None = None
    """How it writes a time."""
    may_have_commas: bool = False
    """Whether it may be a list, whose commas have blanks after them."""
    may_have_blanks: bool = False
    """Whether it may have blanks though it is not in quotes and a blank follows it; in an access log, columns would be
    mistaken for others."""
    width: int = 0
    """The least characters of its values; shorter ones have blanks at one end."""

    @property
    def is_literal(self) -> bool:
        """Whether it is a literal text."""
        return not self.column and self.time is None


def patterns(pieces: Sequence[Piece]) -> list[str]:
    """The regular expression of each piece, one group for each directive."""
    following: Sequence[Piece | None] = [*pieces[1:], None]
    return [_pattern(piece, after) for piece, after in zip(pieces, following, strict=True)]


def _pattern(piece: Piece, after: Piece | None) -> str:
    if piece.is_literal:
        return re.escape(piece.text)
    if piece.pattern:
        values = piece.pattern
    elif after is None:
        values = r"[^\n]*+"
    elif after.is_literal:
        values = _up_to(after.text, piece)
    else:
        raise ValueError(f"layout: must have a text between {piece.text} and {after.text}")
    if piece.width:
        end = re.escape(after.text) if after is not None and after.is_literal else ""
        return rf"((?:(?=\ *(?:{values}))[^\n]{{{piece.width}}}(?={end})|{values}))"
    return f"({values})"


def _up_to(text: str, piece: Piece) -> str:
    """The regular expression of the values of a piece that a text follows. In quotes, a quote follows a backslash."""
    first, rest = re.escape(text[0]), re.escape(text[1:])
    if text[0] == '"':
        return r'(?:[^"\\\n]++|\\.)*+'
    if text[0] == " " and piece.may_have_commas:
        inside = r"|(?<=,)\ |(?<= :)\ |\ (?=: )"
    elif rest and (text[0] != " " or piece.may_have_blanks):
        inside = f"|{first}(?!{rest})"
    else:
        inside = ""
    return rf"(?:[^{first}\n]++{inside})*+"


def columns_of(pieces: Iterable[Piece]) -> list[str]:
    """The columns of directives; ValueError for one that occurs twice."""
    columns = [piece.column for piece in pieces if piece.column]
    for column in columns:
        if columns.count(column) > 1:
            texts = " and ".join(piece.text for piece in pieces if piece.column == column)
            raise ValueError(f"layout: must have one {column} (got {texts})")
    return columns


def unknown(text: str, known: Iterable[str]) -> ValueError:
    """The error for a directive that is not known."""
    return ValueError(f"layout: {text} is not known; must be one of {' '.join(known)}")


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, with literal texts that follow each other as one."""
    merged: list[Piece] = []
    for piece in pieces:
        if piece.is_literal and merged and merged[-1].is_literal:
            merged[-1] = Piece(merged[-1].text + piece.text)
        else:
            merged.append(piece)
    return merged


def reason(layout: str, pieces: Sequence[Piece], line: str) -> str:
    """Why a line is not one of a layout: the first piece that is not where it should be."""
    found = patterns(pieces)
    for count in range(len(pieces), -1, -1):
        if match := re.match("".join(found[:count]), line):
            break
    else:
        return f"must be {layout} (got {shown(line)})"
    end = match.end()
    if count == len(pieces):
        return f"must be {layout}, and goes on after that at character {end + 1} (got {shown(line)})"
    wanted = pieces[count].text
    if pieces[count].is_literal:
        same = next(count for count in range(len(wanted), -1, -1) if line.startswith(wanted[:count], end))
        wanted, end = shown(wanted[same:]), end + same
    return f"must be {layout}, and has no {wanted} at character {end + 1} (got {shown(line)})"


def bare(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r")
