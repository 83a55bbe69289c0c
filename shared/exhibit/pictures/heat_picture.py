"""Where the new rows of a design's tables land: key ranges against time, in the colours of a scale."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...designs.design import Design
from ...tables import TableLayout
from ..heat import RANGES, Heat, Kind
from ..heat_recording import HeatRecording, recorded_heat
from ..heat_tables import TableHeat
from ..part_colours import Role, key_boxes, roles_of
from ..shown_design import contrast_of
from .drawing import MARGIN, WIDTH, Picture, width_of

CELL_HEIGHT, LARGE_CELL_HEIGHT = 18, 22
BOX_HEIGHT = 30
GAP = 24.0
"""Pixels between two maps."""
SHARES = 56.0
"""Pixels of the shares on the right of a map."""
SCALE = "of the new rows at that time"
AXES = f"Down: key ranges. Across: time. An even share: {1 / RANGES:.1%}."
SHAPES: dict[Kind, str] = {
    "hot": "one range takes most new rows",
    "moving": "one range takes most new rows, not always the same",
    "even": "all ranges take alike",
    "steady": "some ranges take more than others",
    "uneven": "the busy ranges change",
}
"""What a map looks like, for readers who cannot see it."""


def heat_picture(design: Design) -> Picture:
    """The map of the design's busiest table, or of those variants whose contrast it declares, as recorded."""
    recording = recorded_heat(design)
    by_name = {variant.name: variant for variant in design.variants}
    variants = [by_name[name] for name in contrast_of(design) or [design.name]]
    tables = _busiest(recording, (variant.name for variant in variants))
    names = [variant.marked_name for variant in variants]
    picture = Picture(
        f"Heat {'map' if len(tables) == 1 else 'maps'} of key ranges against time: "
        f"{_shapes((table.table for table in tables), tables)}.",
        _headline(tables, names),
        f"New rows of {'; of '.join(map(_verdict, tables))}, in the newer half of {recording.sample}.",
    )
    picture.y -= 8
    picture.scale(SCALE)
    picture.paragraph(AXES, "second")
    picture.y += 12
    top, feet = picture.y, list[float]()
    lefts, width = _columns(len(tables))
    for left, table in zip(lefts, tables, strict=True):
        picture.y = top
        picture.named(left, table.table, "")
        picture.y += 10
        feet.append(_draw_boxes(picture, key_boxes(_layout(design, table), roles_of(design)), left, width))
    picture.y = max(feet) + 12
    for left, table in zip(lefts, tables, strict=True):
        _draw_map(picture, table.heat, left, width - SHARES)
        for number, share in enumerate(table.heat.shares):
            style = "bold" if table.heat.kind != "even" and number in table.heat.busiest else "second"
            picture.words(left + width, f"{share:.0%}", style, "end", y=picture.y + number * CELL_HEIGHT + 14)
    picture.y += RANGES * CELL_HEIGHT + 10
    return picture


def hero_picture(design: Design, variants: Sequence[str], sentence: str) -> Picture:
    """The maps of two variants side by side, each with its busiest range in large figures and a short key."""
    recording = recorded_heat(design)
    tables = _busiest(recording, variants)
    picture = Picture(
        f"Heat maps of the same {recording.sample}: {_shapes(variants, tables)}.",
        "Where new rows go: the same events, two row keys",
        sentence,
    )
    picture.y += 18
    lefts, width = _columns(len(tables))
    for left, table in zip(lefts, tables, strict=True):
        picture.words(left, f"{table.heat.share:.0%}", "figure")
        picture.words(left, f"in the busiest of {RANGES} ranges", y=picture.y + 22)
    picture.y += 34
    for left, table in zip(lefts, tables, strict=True):
        _draw_map(picture, table.heat, left, width, LARGE_CELL_HEIGHT)
    picture.y += RANGES * LARGE_CELL_HEIGHT + 12
    for left, table in zip(lefts, tables, strict=True):
        layout = _layout(design, table)
        boxes = key_boxes(layout, roles_of(design))
        short = ["bucket"] * len(layout.key.prefixes) + [part.name for part in layout.key.parts]
        _draw_boxes(picture, zip(short, (role for _label, role in boxes), strict=True), left, width, 12)
    picture.y += BOX_HEIGHT + 28
    picture.scale(SCALE)
    picture.paragraph(f"Down: key ranges. Across: time. Stored: {recording.sample}.", "second")
    picture.y -= 8
    return picture


def _busiest(recording: HeatRecording, variants: Iterable[str]) -> list[TableHeat]:
    return [table for variant in variants if (table := recording.busiest(variant)) is not None]


def _shapes(names: Iterable[str], tables: Iterable[TableHeat]) -> str:
    return "; ".join(f"{name}, {SHAPES[table.heat.kind]}" for name, table in zip(names, tables, strict=True))


def _verdict(table: TableHeat) -> str:
    return f"`{table.table}`: {table.verdict.replace(': ', ', ')}"


def _headline(tables: Sequence[TableHeat], names: Sequence[str]) -> str:
    if len(tables) == 1:
        heat = tables[0].heat
        short = {"even": heat.verdict.replace(":", ","), "moving": "a hot spot that moves", "uneven": "uneven"}
        return f"New rows of {tables[0].table}: {short.get(heat.kind, heat.places)}"
    shares = ", ".join(f"{table.heat.share:.0%} in {name}" for name, table in zip(names, tables, strict=True))
    return f"Busiest range: {shares}"


def _layout(design: Design, table: TableHeat) -> TableLayout[Any, Any]:
    variant = next(variant for variant in design.variants if variant.name == table.variant)
    return next(layout for layout in variant.record_tables if layout.name == table.table)


def _columns(count: int) -> tuple[list[float], float]:
    """The left ends of so many maps beside each other, and their width."""
    width = (WIDTH - 2 * MARGIN - GAP * (count - 1)) / count
    return [MARGIN + number * (width + GAP) for number in range(count)], width


def _draw_boxes(
    picture: Picture, boxes: Iterable[tuple[str, Role]], left: float, width: float, room: float = 16
) -> float:
    """Draws the parts of a key on as many lines as they need, with some room in each box; returns where they end."""
    top, x = picture.y, left
    for label, role in boxes:
        box_width = width_of(label) + room
        if x > left and x + box_width > left + width:
            picture.y += BOX_HEIGHT + 4
            x = left
        picture.box(x, box_width, BOX_HEIGHT, label, role)
        x += box_width
    foot, picture.y = picture.y + BOX_HEIGHT, top
    return foot


def _draw_map(picture: Picture, heat: Heat, left: float, width: float, height: float = CELL_HEIGHT) -> None:
    picture.cells(left, width / len(heat.moment_shares), height, heat.moment_shares)
