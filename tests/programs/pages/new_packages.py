"""A package of each design with names of another service: shown on its page, checked by `make verify PARTS=copies`."""

import re
import textwrap
from collections.abc import Iterable

import attrs

from shared.command_line.new_package.copying import copied_modules, smaller
from shared.command_line.new_package.name_words import Renames, read_renames
from shared.command_line.new_package.vendoring import vendored
from shared.designs import Design
from shared.exhibit.markdown import markdown_table, text_block
from tests.designs import design_named

WIDTH = 120


@attrs.frozen
class Shown:
    """A package to make of a design."""

    name: str
    record: str
    words: tuple[str, ...] = ()

    def arguments(self, design: str) -> tuple[str, ...]:
        """The arguments of `rowbook new` after PATH."""
        return (
            "--from",
            design,
            "--record",
            self.record,
            *(part for word in self.words for part in ("--rename", word)),
        )


SHOWN = {
    "orders": Shown("tickets", "Ticket", ("seller=assignee", "buyer=reporter", "place=open", "placed=opened")),
    "logs": Shown("alarms", "Alarm", ("host=device",)),
    "monitoring": Shown("sensors", "Reading", ("host=device",)),
    "counters": Shown("visits", "Visit", ("user=client",)),
    "messages": Shown("parcels", "Parcel", ("mark_read=mark_opened", "is_read=is_opened", "unread=unopened")),
    "feeds": Shown("podcasts", "Subscription", ("post=episode", "author=host")),
    "tsdb": Shown("gauges", "Gauge"),
    "activity": Shown("audit", "Event", ("user=device",)),
    "profiles": Shown("customers", "Customer"),
    "changes": Shown("history", "Edit"),
    "catalog": Shown("listings", "Listing", ("shop=tenant", "listing=news")),
    "documents": Shown("settings", "Setting", ("owner=tenant",)),
}


RENAMED = Shown(
    "parking",
    "Visit",
    ("order_number=ticket_number", "seller=garage", "buyer=plate", "buyer_id=plate", "placed=entered"),
)
"""A package of `orders` whose names the page of the command line explains."""
OLD_NAMES = (
    "Order",
    "OrderBySeller",
    "orders_by_seller",
    "order_number",
    "seller_id",
    "BuyerLine",
    "buyer_id",
    "placed_ms",
    "place",
)
"""Names of `orders`: of classes, of a table, of fields, and of a method."""


NAMES_OF_YOUR_OWN = "../../shared/command_line/README.md#names-of-your-own"
"""The link from the page of a design to the section with that block."""


def renames_block() -> str:
    """The command that makes a package with other names, and some of them, each with the options that change it."""
    design = design_named("orders")
    command = " ".join(["$ rowbook new", f"../{RENAMED.name}", *RENAMED.arguments(design.name)])
    whole = re.sub(r"(--\w+) ", "\\1\N{NO-BREAK SPACE}", command)  # an option and its value share a line
    lines = textwrap.wrap(whole, 80, subsequent_indent="    ", break_on_hyphens=False)
    rows: list[tuple[str, str, str]] = []
    for name in OLD_NAMES:
        new = _renames(RENAMED).of(name)
        options = [f"`--record {RENAMED.record}`"] if _renames(attrs.evolve(RENAMED, record="")).of(name) != new else []
        for word in RENAMED.words:
            others = tuple(other for other in RENAMED.words if other != word)
            if _renames(attrs.evolve(RENAMED, words=others)).of(name) != new:
                options.append(f"`--rename {word}`")
        rows.append((f"`{name}`", f"`{new}`", ", ".join(options) or "none: it stays"))
    table = markdown_table((f"in `{design.name}`", f"in `{RENAMED.name}`", "by the options"), rows)
    return "\n\n".join([text_block(" \\\n".join(lines).replace("\N{NO-BREAK SPACE}", " "), "console"), table])


def _renames(shown: Shown) -> Renames:
    record = design_named("orders").loads[0].record.__name__
    return read_renames(shown.record or None, record, shown.words)


def shown_block(design: Design) -> dict[str, str]:
    """The block of a design's page: the command, and the lines of a package of each size, and of what it imports."""
    shown = SHOWN.get(design.name)
    words = " ".join(shown.arguments(design.name)) if shown else f"--from {design.name}"
    modules = copied_modules(design, design.main)
    whole = {name: text for name, text in modules.items() if name not in ("design", "formats", "example")}
    sizes = {size: smaller(modules, design, design.main, size) for size in ("keys", "questions")} | {"all": whole}
    own = {size: f"{_count(texts.values()):,}" for size, texts in sizes.items()}
    library = {size: f"{_imported(texts):,}" for size, texts in sizes.items()}
    names = f"{'with' if shown else 'which may have'} [names of your own]({NAMES_OF_YOUR_OWN})"
    text = (
        f"`rowbook new ../{shown.name if shown else 'PATH'} {words}` writes a package of {own['all']} lines of Python, "
        f"{names}. It imports {library['all']} lines of rowbook; `--vendor` copies them. With `--only questions`: "
        f"{own['questions']} and {library['questions']}; with `--only keys`: {own['keys']} and {library['keys']}."
    )
    return {"new": textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)}


def _count(texts: Iterable[str]) -> int:
    return sum(text.count("\n") for text in texts)


def _imported(texts: dict[str, str]) -> int:
    """The lines of the library that these modules import."""
    files = vendored(texts.values(), "library", with_tests=False).files
    return sum(
        data.count(b"\n") for name, data in files.items() if name.startswith("library/") and name.endswith(".py")
    )
