"""`rowbook list`: the designs, their variants and the keys of their tables."""

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from shared.designs import Design, Variant
from shared.designs.patterns import key_line
from shared.tables import TableLayout

from . import terminal
from .designs import all_designs, full_name


def list_designs(to: Console, *, as_json: bool) -> None:
    """Writes all designs."""
    if as_json:
        terminal.json_object(to, {"designs": [_design(design) for design in all_designs()]})
        return
    for design in all_designs():
        design_keys(to, design, design.variants)


def design_keys(to: Console, design: Design, variants: Sequence[Variant]) -> None:
    """Writes a design's question, the key of each table of its variants in one line, and which variants not to copy."""
    terminal.line(to, f"{design.name}: {design.question}", style="bold")
    keys = [
        (variant.marked_name, table.name, key_line(table.layout))
        for variant in variants
        for table in variant.record_tables
    ]
    widths = [max(map(cell_len, column)) for column in zip(*keys, strict=True)]
    variant_before = ""
    for variant, name, key in keys:
        shown_variant = "" if variant == variant_before else variant
        terminal.line(to, f"  {shown_variant.ljust(widths[0])}  {name.ljust(widths[1])}  {key}")
        variant_before = variant
    for marked in variants:
        if not marked.is_to_copy:
            terminal.line(to, f"  {marked.name} {marked.warning}")


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
    return {"name": design.name, "question": design.question, "variants": variants}


def marks(variant: Variant) -> dict[str, Any]:
    """Why a variant is not to be copied: what it loses, or what is bad about it; both are empty if it may be."""
    return {"loses": "" if variant.wrong is None else variant.wrong.loses, "mistake": variant.mistake}


def _table(table: TableLayout[Any, Any]) -> dict[str, Any]:
    parts = [{"name": part.name, "format": str(part.codec), "meaning": part.meaning} for part in table.layout.parts]
    prefixes = [str(prefix) for prefix in table.layout.prefixes]
    return {"name": table.name, "holds": table.holds, "prefixes": prefixes, "parts": parts}


def warn(errors: Console, design: Design, variant: Variant) -> None:
    """Says in one line that a variant gives wrong answers, if it does."""
    if variant.wrong is not None:
        terminal.line(errors, f"{full_name(design, variant)} {variant.warning}; {design.name} keeps them")
