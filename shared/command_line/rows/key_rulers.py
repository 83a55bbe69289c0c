"""The byte ruler of a row key, on a terminal with each part in the colour that it has in the pictures."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console

from ...designs import Design
from ...designs.ruler import GAP, NAMES, VALUES, part_lines, ruler_lines
from ...exhibit.part_colours import INK, LIGHT, key_boxes, roles_of
from ...tables import TableLayout
from ..screen.terminal import GUTTER, ruler, styled_ruler


def key_ruler(to: Console, design: Design, table: TableLayout[Any, Any], row: bytes, title: str = "row") -> None:
    """Writes the names, values and bytes of a key's parts below each other."""
    width = to.width - GUTTER
    if to.no_color:
        ruler(to, title, ruler_lines(table.key, row, width))
    else:
        styled_ruler(to, title, _coloured(design, table, row, width))


def _coloured(design: Design, table: TableLayout[Any, Any], row: bytes, width: int) -> Iterator[list[tuple[str, str]]]:
    """Dark text on the light colour of its part, which can be read on a dark terminal, too."""
    text, second, _ground = INK["light"]
    fills = [LIGHT[role][0] for _label, role in key_boxes(table, roles_of(design))]
    inks = {NAMES: second, VALUES: f"bold {text}"}
    for kind, columns in part_lines(table.key, row, width):
        line: list[tuple[str, str]] = []
        for place, shown in columns:
            line += [(" " * GAP, ""), (shown, f"{inks.get(kind, text)} on {fills[place]}")]
        yield line[1:]
