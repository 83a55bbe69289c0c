"""The blocks about questions: their arguments, the scans that answer them, invariants of all variants, traps."""

from collections.abc import Sequence

from shared.designs.arguments import patterns_by_name, shown_arguments
from shared.designs.design import FACTS, Design, Exemption, Wrong
from shared.designs.metering import Measurement
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.cost_tables import listed
from shared.exhibit.markdown import below, filled, markdown_list, markdown_table, text_block
from shared.exhibit.shell import statement
from shared.exhibit.shown_design import traps_of
from shared.exhibit.traps import trap_row

RANGES_SHOWN = 8
"""The most statements shown for one question; the rest is a number."""
ANSWERS = {"page": "page", "first": "one record, or none", "count": "number", "value": "value"}
"""The kinds of answers in words."""


def questions_block(design: Design) -> str:
    """Every question of `rowbook ask` with its arguments, and the kind of its answer."""
    rows = [
        (f"`{name}`", f"`{shown_arguments(patterns[0])}`", ANSWERS[patterns[0].answer])
        for name, patterns in patterns_by_name(design).items()
    ]
    caption = (
        f"The questions of `rowbook ask {design.name}`; arguments in brackets are optional. A page holds up to "
        "`--limit` records, and its cursor continues after them."
    )
    return below(caption, markdown_table(("question", "arguments", "answer"), rows))


def scans_block(design: Design, main: VariantCosts) -> str:
    """Every question as a `rowbook ask` command, and its reads as statements of the HBase shell."""
    lines: list[str] = []
    for measurement in main.measurements:
        lines += [f"# {measurement.pattern.question}", f"# rowbook ask {design.name} {measurement.pattern.words}"]
        if measurement.refused:
            lines.append("# refused")
        printed = statements(measurement)
        lines += printed[:RANGES_SHOWN]
        if len(printed) > RANGES_SHOWN:
            lines.append(f"# and {len(printed) - RANGES_SHOWN} more statements")
    caption = (
        f"HBase shell statements that read what each question reads in `{main.variant.name}`. `STARTROW` is inclusive, "
        "`STOPROW` exclusive; a reverse scan starts at the higher key. Bytes that are not printable are `\\x` and two "
        "hex digits. `LIMIT` is one row more than a page holds: that row tells whether another page follows. A scan "
        "has no `LIMIT` if the client drops or sorts rows: it reads on until the page is full."
    )
    return below(caption, text_block("\n".join(lines), "ruby"))


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
    "ranges": ("reads", "more ranges in larger tables"),
    "rows": ("reads", "more rows than that"),
    "loading": ("changes", "what is stored when the same records are loaded again"),
    "order": ("gives", "the same answers in another order"),
}
"""The meaning of an exemption from each of the `FACTS`: its verb and the rest."""


def exemptions_block(design: Design) -> str:
    """The facts that hold for every variant at any size of its tables, and the exceptions with their reasons."""
    *facts, last = FACTS.values()
    lines = [_exemption_line(*exemption) for exemption in _exemptions(design).items()]
    lines += [
        f"`{variant.name}` gives wrong answers for {_questions_of(wrong)}, because it loses {wrong.loses}"
        for variant in design.variants
        if (wrong := variant.wrong) is not None
    ]
    exceptions = "Exceptions:" if lines else "There are no exceptions."
    caption = f"Invariants of all variants, tested at 1, 4 and 16 times the samples: {'; '.join(facts)}; {last}. "
    caption += exceptions
    return below(caption, markdown_list(lines)) if lines else filled(caption)


def _exemptions(design: Design) -> dict[Exemption, list[str]]:
    """Each exemption of the design with the names of the variants that have it, none for those that all have."""
    by_variant: dict[Exemption, list[str]] = {exemption: [] for exemption in design.exemptions}
    for variant in design.variants:
        for exemption in variant.exemptions:
            by_variant.setdefault(exemption, []).append(variant.name)
    return by_variant


def _exemption_line(exemption: Exemption, variants: Sequence[str]) -> str:
    verb, rest = EXCEPTIONS[exemption.fact]
    subject = listed(f"`{name}`" for name in variants) if variants else "every variant"
    verb = verb.removesuffix("s") if len(variants) > 1 else verb
    questions_of_it = f" for {_questions_of(exemption)}" if exemption.patterns else ""
    return f"{subject} {verb} {rest}{questions_of_it}, because {exemption.reason}"


def _questions_of(exception: Exemption | Wrong) -> str:
    return listed(f'"{pattern.question}"' for pattern in exception.patterns)


def traps_block(design: Design) -> str:
    """Published mistakes, each run next to the right way."""
    items: list[str] = []
    for trap in traps_of(design):
        name, published, wanted, wrong, right = trap_row(trap, design)
        ways = (f"asked for: {wanted}", f"gives: {wrong}", f"right way: {right}")
        items += [markdown_list([f'**{name}**, published as "{published}"']), markdown_list(ways, indent="  ")]
    return "\n".join(items)
