"""The page of a design, and the line that names it in the index."""

from collections.abc import Iterable

from shared.designs.design import Design
from shared.designs.patterns import key_line
from shared.designs.scratch import scratch_store
from shared.exhibit.comparison import VariantCosts, measure_variant
from shared.exhibit.growth import recorded_growth
from shared.exhibit.growth_words import growth_sentence
from shared.exhibit.markdown import filled, markdown_list, picture_block, picture_only
from shared.exhibit.pictures import pictures_of
from shared.exhibit.shown_design import traps_of
from tests.programs.pages.cards import CARD, card
from tests.programs.pages.cost_blocks import (
    SCANS,
    choice_block,
    costs_block,
    reads_block,
    refused_block,
    writes_block,
)
from tests.programs.pages.heat_blocks import heat_block
from tests.programs.pages.key_blocks import (
    PUBLISHED,
    columns_block,
    keys_block,
    layout_block,
    ordering_block,
    published_block,
    published_text,
    variants_block,
)
from tests.programs.pages.lint_block import lint_block
from tests.programs.pages.question_blocks import exemptions_block, questions_block, scans_text, traps_block


def blocks_of_one_file(design: Design) -> dict[str, str]:
    """The blocks of a design in one file: keys, costs, where writes go, what lint finds; and the text `CARD`."""
    connection = scratch_store(design.main.tables)
    costs = [measure_variant(connection, design, design.main)]
    return {
        "keys": keys_block(connection, design.main),
        "costs": costs_block(design, costs),
        "writes": writes_block(costs),
        "heat": heat_block(design),
        "lint": lint_block(design),
        CARD: card(design, costs[0]),
    }


def design_blocks(design: Design) -> dict[str, str]:
    """All blocks of a design, from its samples in a store for each variant; and its texts."""
    blocks: dict[str, str] = {}
    variants: list[VariantCosts] = []
    for variant in design.variants:
        connection = scratch_store(variant.tables)
        variants.append(measure_variant(connection, design, variant))
        if variant is design.main:
            drawn = pictures_of(design, variants[0], connection)
            blocks |= {f"{name}-picture": picture_block(name, picture) for name, picture in drawn.items()}
            if "ribbon" in drawn and traps_of(design):  # the block of traps has its figures
                blocks["ribbon-picture"] = picture_only("ribbon", drawn["ribbon"])
            if "growth" not in drawn:
                blocks["growth"] = filled(growth_sentence(design, recorded_growth(design)))
        for table in variant.record_tables:
            name = table.name.replace("_", "-")
            if f"layout-{name}" in blocks:  # a table that two variants share is shown as the first of them fills it
                continue
            blocks[f"layout-{name}"] = layout_block(table)
            if table in variant.unfilled:
                continue
            blocks[f"ordering-{name}"] = ordering_block(connection, table)
    return {
        **blocks,
        "variants": variants_block(design),
        "columns": columns_block(design),
        "questions": questions_block(design),
        "choice": choice_block(design),
        "costs": costs_block(design, variants),
        "reads": reads_block(variants[0]),
        SCANS: scans_text(design, variants[0]),
        CARD: card(design, variants[0]),
        "writes": writes_block(variants),
        "heat": heat_block(design),
        "refused": refused_block(variants),
        "exemptions": exemptions_block(design),
        "published": published_block(design),
        PUBLISHED: published_text(design),
        "traps": traps_block(design),
        "lint": lint_block(design),
        **({} if design.own_blocks is None else design.own_blocks(design)),
    }


def index_block(designs: Iterable[Design]) -> str:
    """Every design with the first row key of several parts that its records fill, or its only one."""
    lines: list[str] = []
    for design in designs:
        lines.append(f"[{design.name}](domains/{design.name}/README.md) `{shown_key(design)}`")
    return markdown_list(lines)


def shown_key(design: Design) -> str:
    """The first row key of several parts that the records of a design fill, or its only one."""
    filled = [table for table in design.main.record_tables if table not in design.main.unfilled]
    return key_line(next((table for table in filled if len(table.key.parts) > 1), filled[0]).key)
