"""A design in lines and as JSON: its question, its variants and the keys of their tables."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from ...designs import Design, Variant
from ...designs.patterns import key_line
from ...tables import TableLayout
from ..screen import terminal
from .designs import all_designs, full_name
from .own_designs import own_design, why_unusable
from .suite import suite


def listing_text() -> str:
    """The text of `listing.json`, made of all designs; each line and each design is on a line of its own."""
    designs = all_designs()
    lines = [line for design in designs for line in _lines(design, design.variants)]
    return f'{{"lines": {_line_each(lines)}, "designs": {_line_each(map(_design, designs))}}}\n'


def own_listing(names: Iterable[str], listing: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A listing with some designs of one's own before others, and why others cannot be imported.

    They hide designs that have their names.
    """
    reasons = {name: why for name in names if (why := why_unusable(name))}
    own = [design for name in names if name not in reasons and (design := own_design(name)) is not None]
    hidden = {design.name for design in own}
    lines = [line for design in own for line in _lines(design, design.variants)]
    of_hidden = False
    for line in listing["lines"]:
        of_hidden = of_hidden if line.startswith(" ") else line.partition(":")[0] in hidden
        lines += [] if of_hidden else [line]
    designs = [*map(_design, own), *(design for design in listing["designs"] if design["name"] not in hidden)]
    return {"lines": lines, "designs": designs}, [*reasons.values()]


def _line_each(items: Iterable[Any]) -> str:
    shown = ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
    return f"[\n{shown}\n]"


def show_design(to: Console, design: Design, variants: Sequence[Variant]) -> None:
    """Writes a design's question and the keys of some of its variants."""
    terminal.lines_of_designs(to, _lines(design, variants))


def _lines(design: Design, variants: Sequence[Variant]) -> Iterator[str]:
    """A design's question, the key of each table that records of its variants fill, and which variants not to copy.

    Tables of the first variant are not repeated for variants that share them.
    """
    extra = f" (needs rowbook[{design.name}])" if design.name in suite().extras else ""
    yield f"{design.name}: {design.question}{extra}"
    of_first = {(table.name, key_line(table.key)) for table in variants[0].record_tables}
    keys = dict.fromkeys(
        (variant.marked_name, table.name, key_line(table.key))
        for variant in variants
        for table in variant.record_tables
        if table not in variant.unfilled
        and (variant is variants[0] or (table.name, key_line(table.key)) not in of_first)
    )
    widths = [max(map(cell_len, column)) for column in zip(*keys, strict=True)]
    variant_before = ""
    for variant, name, key in keys:
        shown_variant = "" if variant == variant_before else variant
        yield f"  {shown_variant.ljust(widths[0])}  {name.ljust(widths[1])}  {key}"
        variant_before = variant
    for marked in variants:
        if not marked.is_to_copy:
            yield f"  {marked.name} {marked.warning}"


def _design(design: Design) -> dict[str, Any]:
    variants = [
        {
            "name": variant.name,
            "differs": variant.differs,
            **marks(variant),
            "tables": [_table(table) for table in variant.record_tables],
        }
        for variant in design.variants
    ]
    extra = design.name if design.name in suite().extras else ""
    return {"name": design.name, "question": design.question, "extra": extra, "variants": variants}


def marks(variant: Variant) -> dict[str, Any]:
    """Why a variant is not to be copied: what it loses, or what is bad about it; both are empty if it may be."""
    return {"loses": "" if variant.wrong is None else variant.wrong.loses, "mistake": variant.mistake}


def _table(table: TableLayout[Any, Any]) -> dict[str, Any]:
    parts = [{"name": part.name, "format": str(part.codec), "meaning": part.meaning} for part in table.key.parts]
    prefixes = [str(prefix) for prefix in table.key.prefixes]
    return {"name": table.name, "holds": table.holds, "prefixes": prefixes, "parts": parts}


def warn(errors: Console, design: Design, variant: Variant) -> None:
    """Says in one line that a variant gives wrong answers, if it does."""
    if variant.wrong is not None:
        terminal.line(errors, f"{full_name(design, variant)} {variant.warning}; {design.name} keeps them")
