"""A package of each design with names of another service: shown on its page, checked by `make verify PARTS=copies`."""

import re
import textwrap

import attrs

from shared.designs import Design
from shared.designs.patterns import key_line

from .words import read_renames

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
    """The block of a design's page: the command, and a table's name and key before and after it."""
    shown = SHOWN[design.name]
    renames = read_renames(shown.record, design.loads[0].record.__name__, shown.words)

    def named(text: str) -> str:
        return re.sub(r"\w+", lambda found: renames.of(found[0]), text)

    keys = [(table.name, key_line(table.key)) for table in design.main.record_tables]
    name, key = max(keys, key=lambda table: sum(named(text) != text for text in table))
    becomes = f": `{name}` `{key}` becomes `{named(name)}` `{named(key)}`" if named(name + key) != name + key else ""
    text = (
        f"`rowbook new {shown.name} {' '.join(shown.arguments(design.name))}` makes it your own package{becomes}. "
        f"`--from {design.name}:VARIANT` takes a variant."
    )
    return {"new": textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)}
