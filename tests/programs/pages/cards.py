"""A card for each design, and the list of all cards: what a reader with little room, such as an assistant, needs.

A card has the question, the row keys, what each question costs or that it is refused, the other keys, and what to copy.
"""

from collections.abc import Iterable

from shared.designs import Design
from shared.designs.patterns import key_line
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.markdown import filled, markdown_list, markdown_table
from shared.exhibit.verdicts import verdict

RULES = (
    "First come the parts that a question fixes, then the one that it limits or sorts by, then one that makes the row "
    "unique.",
    "A question costs one scan only if the parts before its interval are all given.",
    "A key that starts with a time or a counter sends all writes to one region. A salt spreads them; then a question "
    "that lacks the salted value reads every bucket.",
    "A text that is not the last part needs a terminator, or `s-1` also matches `s-12`.",
    "HBase is atomic in one row only: one row decides, the lines of other lists follow.",
)
"""What holds for all designs."""


CARD = "CARD.md"
"""The file of a card, beside the page of its design."""


def card(design: Design, costs: VariantCosts) -> str:
    """The card of a design, with the costs of the design itself."""
    keys = markdown_list(dict.fromkeys(f"`{one.name}`: `{key_line(one.key)}`" for one in design.main.record_tables))
    rows = [(measured.pattern.question, verdict(measured)) for measured in costs.measurements]
    others = "\n".join(_other_keys(design))
    copy = f"Copy: `rowbook new PATH --from {design.name}`. All figures: [README](README.md)."
    parts = [f"# {design.name}", filled(design.question), keys, markdown_table(("question", "cost"), rows)]
    return "\n\n".join([*parts, *([others] if others else []), copy]) + "\n"


def _other_keys(design: Design) -> Iterable[str]:
    """Each variant with the first key that it changes, and when to take it, or why not to."""
    own = {table.name for table in design.main.record_tables}
    for variant in design.variants[1:]:
        key = next((f" `{key_line(table.key)}`" for table in variant.record_tables if table.name not in own), "")
        why_not = variant.warning if variant.wrong is None else f"loses {variant.wrong.loses}"
        use = f"if {variant.take_if}" if variant.is_to_copy else f"do not copy: it {why_not}"
        yield markdown_list([f"`{variant.name}`{key}: {use}"])


def index(designs: Iterable[Design]) -> str:
    """`llms.txt`: what rowbook is, what holds for all keys, and a link to each card."""
    cards = markdown_list(f"[{design.name}](domains/{design.name}/{CARD}): {design.question}" for design in designs)
    about = (
        "Row-key designs for HBase that run: each question is measured under each key. `rowbook review NAME --json` "
        "reviews keys of your own, `rowbook ask NAME --json` asks a question."
    )
    return "\n\n".join(["# rowbook", filled(about), markdown_list(RULES), "## Cards", cards]) + "\n"
