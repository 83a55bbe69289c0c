"""The picture of a design's tables: which row decides, what is derived from it, which question reads what."""

from collections.abc import Mapping, Sequence
from typing import Any

import svg

from ...tables import ItemCells, RecordCells, TableLayout
from ...writes import SourceCells
from ..comparison import VariantCosts
from ..design import Design
from ..metering import Measurement
from ..patterns import part_line, prefix_line
from ..verdicts import verdict
from .drawing import MARGIN, SANS_PX, WIDTH, Picture, Role, width_of
from .roles import roles_of

BOX_HEIGHT = 32
INDENT = 32
"""Pixels by which derived tables stand to the right of the one that decides."""
MOST_TABLES = 5


def tables_picture(design: Design, costs: VariantCosts) -> str:
    """The picture of the design itself, from what its questions read."""
    tables = _distinct(costs.variant.record_tables)[:MOST_TABLES]
    source = next((table for table in tables if isinstance(table.cells, SourceCells)), None)
    derived = [table for table in tables if table is not source] if source else []
    answers = _answers(costs.measurements, [table.name for table in tables])
    picture = Picture(
        f"The tables of {design.name}",
        _description(costs.variant.name, tables, source, answers),
        _headline(tables, source),
    )
    roles = roles_of(design)
    trunk_top = 0.0
    middle = 0.0
    for table in ([source] if source else []) + (derived or tables):
        is_derived = source is not None and table is not source
        x = MARGIN + (INDENT if is_derived else 2)
        picture.named(x, table.name, _remark(table, source))
        picture.y += 12
        middle = picture.y + BOX_HEIGHT / 2
        if is_derived:
            picture.path([svg.M(MARGIN + 12, middle), svg.H(x - 2)], has_arrow=True)
        _draw_row(picture, table, x, roles, decides=table is source)
        for question, words in answers[table.name]:
            picture.y += 23
            picture.words(x, question)
            picture.words(WIDTH - MARGIN - 2, words, "bold", "end")
        picture.y += 14 if table is source else 38
        if table is source:
            trunk_top = picture.y
            picture.y += 26
    if derived:
        picture.path([svg.M(MARGIN + 12, trunk_top), svg.V(middle)])
    picture.y -= 26
    return picture.text()
