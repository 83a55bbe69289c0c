"""The blocks about questions: their arguments, the scans that answer them, exceptions from invariants, traps."""

from shared.designs.arguments import patterns_by_name, shown_arguments
from shared.designs.design import Design, Exemption
from shared.designs.metering import Measurement
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.markdown import below, markdown_list, quoted
from shared.exhibit.shell import statement
from shared.exhibit.shown_design import traps_of
from shared.exhibit.traps import trap_row

RANGES_SHOWN = 8
"""The most statements shown for one question; the rest is a number."""
ANSWERS = {"first": "one record, or none", "count": "a number", "value": "a value"}
"""The kinds of answers in words, but for a page, which is the usual one."""


def questions_block(design: Design) -> str:
    """Every question of `rowbook ask` with its arguments, and the kind of its answer unless it is a page."""
    lines: list[str] = []
    for name, patterns in patterns_by_name(design).items():
        answer = ANSWERS.get(patterns[0].answer)
        lines.append(f"`{name} {shown_arguments(patterns[0])}`" + (f": {answer}" if answer else ""))
    caption = f"`rowbook ask {design.name}` answers with a [page](../GLOSSARY.md#cursor), unless a line says otherwise"
    return below(f"{caption}:", markdown_list(lines))


SCANS_HEADER = """\
# What each question reads, as statements of the HBase shell. Generated.
#
# STARTROW is inclusive, STOPROW exclusive; a reverse scan starts at the higher key. Bytes that are not printable are
# \\x and two hex digits. LIMIT is one row more than a page holds: that row tells whether another page follows. A scan
# has no LIMIT if the client drops or sorts rows: it reads on until the page is full.
"""


def scans_text(design: Design, main: VariantCosts) -> str:
    """Every question as a `rowbook ask` command, and its reads as statements of the HBase shell."""
    lines = [SCANS_HEADER]
    for measurement in main.measurements:
        lines += [f"# {measurement.pattern.question}", f"# rowbook ask {design.name} {measurement.pattern.words}"]
        if measurement.refused:
            lines.append("# refused")
        printed = statements(measurement)
        lines += printed[:RANGES_SHOWN]
        if len(printed) > RANGES_SHOWN:
            lines.append(f"# and {len(printed) - RANGES_SHOWN} more statements")
        lines.append("")
    return "\n".join(lines)


def statements(measurement: Measurement) -> list[str]:
    """The gets and scans of a question as the HBase shell takes them."""
    limit = row_limit(measurement)
    return [
        statement(
            read.table.decode(),
            read.rows,
            reverse=read.reverse,
            filter=read.filter,
            before_ms=read.before_ms,
            column=read.column,
            versions=read.versions,
            families=read.families,
            limit=limit,
        )
        for read in measurement.reads
    ]


def row_limit(measurement: Measurement) -> int | None:
    """The rows after which a page closes its scan; None if it does not know how many rows it has to read."""
    explanation = measurement.explanation
    if explanation is None or explanation.is_wide or measurement.client_work:
        return None
    return measurement.pattern.limit + 1


EXCEPTIONS = {
    "ranges": "More ranges in larger tables",
    "rows": "More rows read",
    "loading": "Other rows when loaded again",
    "order": "Another order",
}
"""What an exemption from each of the `FACTS` means, in a few words."""


def exemptions_block(design: Design) -> str:
    """The exceptions from the facts that hold for every variant: for each fact, the variants and the reasons.

    Variants that are not to be copied are left out.
    """
    exceptions: dict[str, dict[str, list[str]]] = {}
    for exemption, variants in _exemptions(design).items():
        of_reason = exceptions.setdefault(EXCEPTIONS[exemption.fact], {}).setdefault(exemption.reason, [])
        of_reason += [name for name in variants or ["every variant"] if name not in of_reason]
    if not exceptions:
        return "No exceptions from the [invariants](../GLOSSARY.md#invariant)."
    lines: list[str] = []
    for words, by_reason in exceptions.items():
        lines.append(f"- {words}:")
        lines.append(markdown_list((f"{', '.join(names)}: {why}" for why, names in by_reason.items()), indent="  "))
    return below("Exceptions from the [invariants](../GLOSSARY.md#invariant):", "\n".join(lines))


def _exemptions(design: Design) -> dict[Exemption, list[str]]:
    """Each exemption of the design with the names of the variants that have it, none for those that all have."""
    by_variant: dict[Exemption, list[str]] = {exemption: [] for exemption in design.exemptions}
    for variant in design.variants:
        for exemption in variant.exemptions if variant.is_to_copy else ():
            by_variant.setdefault(exemption, []).append(variant.name)
    return by_variant


def traps_block(design: Design) -> str:
    """Published mistakes in their own words; below each, what it gives for which task, and what the right way gives."""
    items: list[str] = []
    for trap in traps_of(design):
        name, published, wanted, wrong, right = trap_row(trap, design)
        items.append(markdown_list([f"**{name}**: {quoted(published)}"]))
        items.append(markdown_list([f"for {wanted}: {wrong}", f"right way: {right}"], indent="  "))
    return "\n".join(items)
