"""The byte ruler as a picture: a stored row of each table, a box for each byte, in the colours of its parts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ...designs.design import Design
from ...designs.ruler import show_value
from ...keys import EscapedBytes, EscapedText, Rest
from ...keys.parts import Segment
from ...keys.slice_codecs import share_codec
from ...tables import ItemCells
from ..cost_tables import listed
from ..part_colours import Role, roles_of
from .drawing import MARGIN, WIDTH, Picture, width_of

if TYPE_CHECKING:
    import happybase

BYTE_WIDTH = 24
BYTES_PER_LINE = (WIDTH - 2 * MARGIN) // BYTE_WIDTH
BOX_HEIGHT = 26
MOST_TABLES = 5
TERMINATOR = b"\0\1"


def key_picture(design: Design, connection: "happybase.Connection") -> Picture:
    """The row in the middle of each table of the design itself, byte by byte.

    If a row holds many records, also the qualifier of the cell in its middle.
    """
    roles = roles_of(design)
    rows: list[tuple[str, list[Segment]]] = []
    qualifiers: dict[str, list[Segment]] = {}
    terminated = False
    for table in design.main.record_tables:
        if (table.name in dict(rows) and not isinstance(table.cells, ItemCells)) or table in design.main.unfilled:
            continue
        stored = [*connection.table(table.name).scan(columns=table.cells.columns)]
        if not stored:
            continue
        row, cells = stored[len(stored) // 2]
        if isinstance(table.cells, ItemCells):
            qualifiers[table.name] = _qualifier_segments(table.cells, sorted(cells)[len(cells) // 2])
        if table.name not in dict(rows) and len(rows) < MOST_TABLES:
            rows.append((table.name, table.key.segments(row)))
            terminated |= any(part.codec in (EscapedText, EscapedBytes) for part in table.key.parts)
    sizes = [sum(len(segment.data) for segment in segments) for _name, segments in rows]
    bytes_of = listed(f"{size} bytes in `{name}`" for (name, _segments), size in zip(rows, sizes, strict=True))
    sentence = f"A typical row key has {bytes_of}."
    picture = Picture(
        f"Row keys of {design.name}, byte by byte",
        f"{sentence} {_described(rows, qualifiers)}",
        "Which bytes are which value",
        sentence,
    )
    if terminated:
        picture.y -= 8
        picture.words(MARGIN, "A solid bar below bytes: the terminator of a text", "second")
        picture.y += 28
    for name, segments in rows:
        picture.named(MARGIN, name, "")
        picture.y += 10
        _draw_key(picture, segments, roles)
        if name in qualifiers:
            picture.words(MARGIN, "and the qualifier of one of its cells", "second")
            picture.y += 10
            _draw_key(picture, qualifiers[name], roles)
    picture.y -= 20
    return picture


def _qualifier_segments(cells: ItemCells[Any], column: bytes) -> list[Segment]:
    """The qualifier of a cell, cut into its parts; what is left of a divided value is a number."""
    segments: list[Segment] = []
    for segment in cells.qualifier.segments(column.partition(b":")[2]):
        is_rest = isinstance(share_codec(cells.qualifier.part_named[segment.name].codec), Rest)
        segments.append(attrs.evolve(segment, value=str(segment.value)) if is_rest else segment)
    return segments


def _described(rows: list[tuple[str, list[Segment]]], qualifiers: Mapping[str, list[Segment]]) -> str:
    """The values of each key, and of a qualifier, with their bytes."""

    def words(segments: list[Segment]) -> str:
        return ", ".join(f"{segment.name} {segment.data.hex()}" for segment in segments)

    return " ".join(
        f"{name}: {words(segments)}{f'; qualifier {words(qualifiers[name])}' if name in qualifiers else ''}."
        for name, segments in rows
    )


def _draw_key(picture: Picture, segments: list[Segment], roles: Mapping[str, Role]) -> None:
    """Draws a key on as many lines as it needs, broken between two parts, or within one that is longer than a line."""
    left = 0
    above: list[tuple[int, str]] = []
    for segment in segments:
        if left and left + len(segment.data) > BYTES_PER_LINE:
            _end_line(picture, above)
            left, above = 0, []
        value = segment.name if segment.value is None else show_value(segment.name, segment.value)
        above.append((left, value))
        role: Role = roles.get(segment.name, "salt") if segment.value is not None else "salt"
        for number, byte in enumerate(segment.data):
            if left == BYTES_PER_LINE:
                _end_line(picture, above)
                left, above = 0, []
            x = MARGIN + left * BYTE_WIDTH
            picture.box(x, BYTE_WIDTH, BOX_HEIGHT, f"{byte:02x}", role, "bytes")
            if segment.data.endswith(TERMINATOR) and number >= len(segment.data) - len(TERMINATOR):
                picture.bar(x, BYTE_WIDTH, 4, y=picture.y + BOX_HEIGHT)
            left += 1
    _end_line(picture, above)
    picture.y += 16


def _end_line(picture: Picture, values: list[tuple[int, str]]) -> None:
    """Writes the values below their bytes; each on a line of its own below the last if they would overlap."""
    picture.y += BOX_HEIGHT + 18
    end = 0.0
    for column, text in values:
        x = MARGIN + column * BYTE_WIDTH
        if x < end:
            picture.y += 20
        picture.words(x, text)
        end = x + width_of(text) + 8
    picture.y += 16
