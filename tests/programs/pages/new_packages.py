"""A package of each design with names of another service: shown on its page, checked by `make verify PARTS=copies`."""

import textwrap
from collections.abc import Iterable

import attrs

from shared.command_line.new_package.copying import copied_modules, smaller
from shared.command_line.new_package.vendoring import vendored
from shared.designs import Design

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


def shown_block(design: Design) -> dict[str, str]:
    """The block of a design's page: the command, and the lines of a package of each size, and of what it imports."""
    shown = SHOWN.get(design.name)
    words = " ".join(shown.arguments(design.name)) if shown else f"--from {design.name}"
    modules = copied_modules(design, design.main)
    whole = {name: text for name, text in modules.items() if name not in ("design", "formats", "example")}
    sizes = {size: smaller(modules, design, design.main, size) for size in ("keys", "questions")} | {"all": whole}
    own = {size: f"{_count(texts.values()):,}" for size, texts in sizes.items()}
    library = {size: f"{_imported(texts):,}" for size, texts in sizes.items()}
    text = (
        f"`rowbook new ../{shown.name if shown else 'PATH'} {words}` copies it: {own['all']} lines of Python and "
        f"{library['all']} of the library; with `--only questions` {own['questions']} and {library['questions']}, with "
        f"`--only keys` {own['keys']} and {library['keys']}."
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
