"""The byte ruler as a picture: a stored row of each table, a box for each byte, in the colours of its parts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import svg

from ...designs.design import Design
from ...designs.ruler import show_value
from ...keys import EscapedBytes, EscapedText, KeyLayout, Rest
from ...keys.parts import Segment
from ...keys.slice_codecs import share_codec
from ...tables import ItemCells
from ..part_colours import Role, roles_of
from .drawing import MARGIN, WIDTH, Picture, width_of

if TYPE_CHECKING:
    import happybase

BYTE_WIDTH = 24
BYTES_PER_LINE = (WIDTH - 2 * MARGIN) // BYTE_WIDTH
BOX_HEIGHT, BAR_HEIGHT = 26, 4
INDENT = 1
"""Bytes that a line is indented that continues a key."""
LINE = 20
MOST_TABLES = 5
TERMINATOR = b"\0\1"


def key_picture(design: Design, connection: "happybase.Connection") -> Picture:
    """A row from the middle of each table of the design itself, byte by byte.

    If a row holds many records, also the qualifier of the cell in its middle.
    """
    roles = roles_of(design)
    rows: dict[str, list[Segment]] = {}
    qualifiers: dict[str, list[Segment]] = {}
    ended: set[str] = set()
    for table in design.main.record_tables:
        if (table.name in rows and not isinstance(table.cells, ItemCells)) or table in design.main.unfilled:
            continue
        stored = [*connection.table(table.name).scan(columns=table.cells.columns)]
        if not stored:
            continue
        row, cells = _typical(stored, table.key)
        if isinstance(table.cells, ItemCells):
            qualifiers[table.name] = _qualifier_segments(table.cells, sorted(cells)[len(cells) // 2])
        if table.name not in rows and len(rows) < MOST_TABLES:
            rows[table.name] = table.key.segments(row)
            ended |= {part.name for part in table.key.parts if part.codec in (EscapedText, EscapedBytes)}
    of = f"Row keys of {len(rows)} tables of {design.name}" if len(rows) > 1 else f"A row key of {design.name}"
    picture = Picture(
        f"{of}, byte by byte.",
        "Which bytes are which value",
    )
    if ended:
        _draw_legend(picture)
    for name, segments in rows.items():
        picture.named(MARGIN, name, "")
        picture.y += 8
        _draw_key(picture, segments, roles, ended)
        if name in qualifiers:
            picture.words(MARGIN, "and the qualifier of one of its cells", "second")
            picture.y += 8
            _draw_key(picture, qualifiers[name], roles, ended)
    picture.y -= 20
    return picture


def _typical(
    stored: Sequence[tuple[bytes, Mapping[bytes, bytes]]], key: KeyLayout[Any]
) -> tuple[bytes, Mapping[bytes, bytes]]:
    """The row in the middle, or the next one after it whose values every font can show."""
    middle = len(stored) // 2
    for row, cells in (*stored[middle:], *stored[:middle]):
        texts = [segment.value for segment in key.segments(row) if isinstance(segment.value, str)]
        if all(text.isascii() and show_value("", text) == text for text in texts):
            return row, cells
    return stored[middle]


def _qualifier_segments(cells: ItemCells[Any], column: bytes) -> list[Segment]:
    """The qualifier of a cell, cut into its parts; what is left of a divided value is a number."""
    segments: list[Segment] = []
    for segment in cells.qualifier.segments(column.partition(b":")[2]):
        is_rest = isinstance(share_codec(cells.qualifier.part_named[segment.name].codec), Rest)
        segments.append(attrs.evolve(segment, value=str(segment.value)) if is_rest else segment)
    return segments


def _draw_legend(picture: Picture) -> None:
    """Says which bytes end a text."""
    picture.y -= 22
    _draw_bytes(picture, MARGIN, TERMINATOR, "none", has_end=True)
    picture.words(MARGIN + len(TERMINATOR) * BYTE_WIDTH + 8, "ends a text", "second", y=picture.y + 18)
    picture.y += BOX_HEIGHT + 34


@attrs.frozen
class _Piece:
    """A part of a key on one line, or as much of it as the line has room for."""

    column: int
    """Bytes to the left of it."""
    data: bytes
    segment: Segment
    is_first: bool
    """Whether its part begins here."""

    @property
    def x(self) -> int:
        """Its left end."""
        return MARGIN + self.column * BYTE_WIDTH

    @property
    def value(self) -> str:
        """Its value in words; empty if that is bytes, which stand above it."""
        shows = self.segment.value is not None and not isinstance(self.segment.value, bytes)
        return show_value(self.segment.name, self.segment.value) if shows else ""


def _lines(segments: Iterable[Segment]) -> Iterator[list[_Piece]]:
    """A key on as many lines as it needs, broken between two parts, or within one that is longer than a line."""
    pieces: list[_Piece] = []
    column = 0
    for segment in segments:
        if pieces and column + len(segment.data) > BYTES_PER_LINE:
            yield pieces
            pieces, column = [], INDENT
        for start in range(0, len(segment.data), BYTES_PER_LINE - INDENT):
            if start:
                yield pieces
                pieces, column = [], INDENT
            data = segment.data[start : start + BYTES_PER_LINE - INDENT]
            pieces.append(_Piece(column, data, segment, not start))
            column += len(data)
    yield pieces


def _draw_key(picture: Picture, segments: Sequence[Segment], roles: Mapping[str, Role], ended: Collection[str]) -> None:
    """Draws the lines of a key, with names of parts above and values below; arrows say that a key goes on.

    Parts named in `ended` have a terminator.
    """
    lines = list(_lines(segments))
    for number, pieces in enumerate(lines, 1):
        firsts = [piece for piece in pieces if piece.is_first]
        names = _levels([(piece.x, piece.segment.name) for piece in firsts])
        values = _levels([(piece.x, piece.value) for piece in firsts])
        picture.y += LINE * (1 + max(names, default=0)) + 2
        for piece, level in zip(firsts, names, strict=True):
            _write(picture, piece.x, piece.segment.name, picture.y - 6 - LINE * level, picture.y if level else None)
        for piece in pieces:
            role: Role = roles.get(piece.segment.name, "salt") if piece.segment.value is not None else "salt"
            _draw_bytes(picture, piece.x, piece.data, role, has_end=piece.segment.name in ended)
        foot = picture.y + BOX_HEIGHT
        right = pieces[-1].x + len(pieces[-1].data) * BYTE_WIDTH
        arrows = [right + 3] * (number < len(lines)) + [MARGIN + 3] * (number > 1)
        for x in arrows:
            picture.path([svg.M(x, foot - BOX_HEIGHT / 2), svg.h(BYTE_WIDTH - 8)], has_arrow=True)
        for piece, level in zip(firsts, values, strict=True):
            _write(picture, piece.x, piece.value, foot + LINE * (1 + level), foot + BAR_HEIGHT if level else None)
        picture.y = foot + LINE * (1 + max(values, default=0)) + (8 if number < len(lines) else 34)


def _levels(texts: Sequence[tuple[int, str]]) -> list[int]:
    """How many lines away from the bytes each text is, so that none runs into another or into its mark."""
    levels: list[int] = []
    starts: list[float] = []
    for x, text in reversed(texts):
        end = x + width_of(text) + 6
        level = next((level for level, start in enumerate(starts) if end <= start), len(starts))
        starts = [min(start, x) if number <= level else start for number, start in enumerate(starts)]
        starts += [float(x)] if level == len(starts) else []
        levels.append(level)
    return levels[::-1]


def _write(picture: Picture, x: float, text: str, y: float, mark_from: float | None) -> None:
    """Writes a text at the left end of its bytes; `mark_from` is where a mark to a text that is further away starts."""
    if mark_from is not None and text:
        picture.path([svg.M(x + 1, mark_from), svg.V(y + 3 if y < mark_from else y - 12)], "grid")
    picture.words(x + (4 if mark_from is not None else 0), text, y=y)


def _draw_bytes(picture: Picture, left: float, data: bytes, role: Role, *, has_end: bool) -> None:
    """Draws a box for each byte; if they have an end, a bar marks it."""
    for number, byte in enumerate(data):
        picture.box(left + number * BYTE_WIDTH, BYTE_WIDTH, BOX_HEIGHT, f"{byte:02x}", role, "bytes")
    if has_end and data.endswith(TERMINATOR):
        right = left + len(data) * BYTE_WIDTH
        picture.bar(right - 2 * BYTE_WIDTH, 2 * BYTE_WIDTH, BAR_HEIGHT, y=picture.y + BOX_HEIGHT)
