"""The picture of a design's tables: which are sources, what is derived from them, which question reads what."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import svg

from ...designs.design import Design
from ...designs.patterns import part_line, prefix_line
from ...intents.source_cells import SourceCells
from ...intents.writer import writers_of
from ...tables import ItemCells, RecordCells, TableLayout
from ..comparison import VariantCosts
from ..cost_tables import listed
from ..part_colours import Role, key_boxes, roles_of
from ..verdicts import verdict
from .drawing import MARGIN, WIDTH, Picture, width_of

if TYPE_CHECKING:
    import happybase

Table: TypeAlias = TableLayout[Any, Any]

BOX_HEIGHT = 32
LINE = 23
INDENT = 34
"""Pixels by which derived tables stand to the right of their source."""
MOST_TABLES = 5


@attrs.frozen
class _Shown:
    """A table of the picture."""

    table: Table
    """Its first layout."""
    others: Sequence[Table]
    """Its other layouts: what else a row holds."""
    source: str | None
    """The table from which this one is derived; None if it is a source itself, or if each row stands alone."""
    is_source: bool
    questions: Sequence[tuple[str, str]]
    """The questions that read it, each with its verdict."""

    @property
    def holds(self) -> str:
        """What a row holds, in words."""
        return listed(dict.fromkeys(layout.holds for layout in (self.table, *self.others)))


def tables_picture(design: Design, costs: VariantCosts, connection: "happybase.Connection") -> Picture:
    """The picture of the design itself, from what its questions read."""
    shown, others = _choose(costs, connection)
    has_derived = any(one.source for one in shown)
    picture = Picture(
        f"The tables of {design.name}",
        _described(shown),
        _headline(shown),
        _sentence(shown),
    )
    roles = roles_of(design)
    trunk = 0.0
    for one in shown:
        x = MARGIN + 2 + (INDENT if one.source else 0)
        picture.named(x, one.table.name, "source" if one.is_source else one.holds)
        picture.y += 12
        if one.source:
            middle = picture.y + BOX_HEIGHT / 2
            picture.path([svg.M(MARGIN + 14, trunk), svg.V(middle), svg.H(x - 3)], has_arrow=True)
        _draw_row(picture, one, x, roles)
        if one.is_source:
            trunk = picture.y
        for question, words in one.questions:
            picture.y += LINE
            picture.words(x + (INDENT if one.is_source and has_derived else 0), question)
            picture.words(WIDTH - MARGIN - 2, words, "bold", "end")
        picture.y += 46
    picture.y -= 22
    for measurement in costs.measurements:
        if measurement.refused:
            picture.words(MARGIN + 2, measurement.pattern.question)
            picture.words(WIDTH - MARGIN - 2, "refused", "bold", "end")
            picture.y += LINE
    if others:
        picture.paragraph(f"Not shown: {listed(others)}.", "second", x=MARGIN + 2)
    else:
        picture.y -= 8
    return picture


def _choose(costs: VariantCosts, connection: "happybase.Connection") -> tuple[list[_Shown], list[str]]:
    """The tables to show, each source before what is derived from it; and the names of the others."""
    source_of: dict[str, str] = {}
    computed = set[str]()
    for writer in writers_of(costs.variant.open(connection)):
        for of_lines in writer.lists:
            if of_lines.name == writer.source.name:
                computed.add(of_lines.name)
            else:
                source_of[of_lines.name] = writer.source.name
    answers: dict[str, list[tuple[str, str]]] = {}
    for measurement in costs.measurements:
        if measurement.reads:
            scans = Counter(read.table.decode() for read in measurement.reads if not read.is_get)
            most_read = scans.most_common(1)[0][0] if scans else measurement.reads[0].table.decode()
            answers.setdefault(most_read, []).append((measurement.pattern.question, verdict(measurement)))
    layouts: dict[str, list[Table]] = {}
    for table in costs.variant.record_tables:
        layouts.setdefault(table.name, []).append(table)
    names = [*layouts]
    read = [name for name in names if name in answers]
    wanted = [name for name in names if name in {*read, *(source_of[name] for name in read if name in source_of)}]
    ordered = sorted(
        wanted[:MOST_TABLES], key=lambda name: (names.index(source_of.get(name) or name), name in source_of)
    )
    sources = {*source_of.values(), *computed}
    shown = [
        _Shown(first, others, source_of.get(name), name in sources, answers.get(name, []))
        for name, (first, *others) in ((name, layouts[name]) for name in ordered)
    ]
    return shown, [name for name in names if name not in ordered]


def _headline(shown: Sequence[_Shown]) -> str:
    if derived := sum(one.source is not None for one in shown):
        sources = sum(one.is_source for one in shown)
        lists = f"{number_words(derived)} derived list{'' if derived == 1 else 's'}"
        return f"{number_words(sources).capitalize()} source{'' if sources == 1 else 's'}, {lists}."
    tables = "One table" if len(shown) == 1 else f"{number_words(len(shown)).capitalize()} tables"
    return f"{tables}. {'Each' if len(shown) == 1 else 'In the first, each'} row holds {shown[0].holds}."


def _sentence(shown: Sequence[_Shown]) -> str:
    derived: dict[str, list[str]] = {}
    for one in shown:
        if one.source:
            derived.setdefault(one.source, []).append(one.table.name)
    if derived:
        clauses = (
            f"{_named(lists)} {'is' if len(lists) == 1 else 'are'} derived from `{source}`"
            for source, lists in derived.items()
        )
        return f"{listed(clauses)}. Each question is below the table that it reads."
    return f"A row of `{shown[0].table.name}` holds {shown[0].holds}."


def _named(names: Sequence[str]) -> str:
    return listed(f"`{name}`" for name in names)


def number_words(number: int) -> str:
    """A small number as a word."""
    return ("no", "one", "two", "three", "four", "five")[number]


def _described(shown: Sequence[_Shown]) -> str:
    """The picture in words, for those who do not see it."""
    sentences: list[str] = []
    for one in shown:
        role = "source" if one.is_source else f"derived from {one.source}" if one.source else one.holds
        parts = [*map(prefix_line, one.table.key.prefixes), *map(part_line, one.table.key.parts)]
        answers = "; ".join(f"{question}: {words}" for question, words in one.questions)
        sentences.append(f"{one.table.name} ({role}), row key {', '.join(parts)}. {answers}".rstrip(". ") + ".")
    return " ".join(sentences)


def _draw_row(picture: Picture, one: _Shown, x: float, roles: Mapping[str, Role]) -> None:
    """Draws the boxes of a row key, then those of what a row holds; goes on in a new line where one is full."""
    left = x
    for label, role in [*key_boxes(one.table, roles), *chain.from_iterable(map(_contents, (one.table, *one.others)))]:
        width = round(width_of(label)) + 18
        if left > x and left + width > WIDTH - MARGIN:
            _end_line(picture, one, x, left)
            picture.y += 4
            left = x
        picture.box(left, min(width, WIDTH - MARGIN - left), BOX_HEIGHT, label, role)
        left += width
    _end_line(picture, one, x, left)


def _end_line(picture: Picture, one: _Shown, x: float, right: float) -> None:
    """Goes on below a line of boxes; those of a source have a thick line around them."""
    if one.is_source:
        picture.frame(x, right - x, BOX_HEIGHT)
    picture.y += BOX_HEIGHT


def _contents(table: Table) -> list[tuple[str, Role]]:
    """What a row holds besides its key."""
    cells = table.cells
    if isinstance(cells, SourceCells):
        return [("the whole record, one cell", "value")]
    if isinstance(cells, ItemCells):
        values = [cells.value] if isinstance(cells.value, str) else [*cells.value]
        parts = ", ".join(part_line(part) for part in cells.qualifier.parts)
        return [(f"a cell for each {parts}: {', '.join(values) or 'no value'}", "value")]
    if isinstance(cells, RecordCells):
        return [(_shortened([*cells.attributes]) or "a marker", "value")]
    return [("cells", "value")]


def _shortened(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
