"""Short links in one module: a code has one URL for ever, and its clicks are counted by day and country.

The row of a code decides its URL. An owner's list is derived from these rows. Clicks are counters, to which HBase adds
one. Times are milliseconds since 1970 UTC, and so are days, which are named by their start.
"""

import secrets
import string
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.keys import Descending, EscapedText, Int64, TrailingText, between, part, row_key, shown
from shared.queries import Query
from shared.records import LAST_MS, check_text, integer, text
from shared.sources import Source, Table
from shared.tables import COUNTER, Column
from shared.upkeep import CombinedUpkeep, UnreadableRows
from shared.writes import CLOCK, WriterClock

if TYPE_CHECKING:
    import happybase

DAY_MS = 86_400_000
CODE_CHARACTERS = string.ascii_letters + string.digits
CODE_LENGTH = 7


class CodeTaken(ValueError):
    """The code has another link."""


# ---- records


@attrs.frozen
class Link:
    """A code, and the URL to which it leads."""

    code: str = attrs.field(validator=text())
    """Drawn by the client before the first call, so that the same call again is the same link."""
    url: str = attrs.field(validator=text())
    owner: str | None = attrs.field(validator=attrs.validators.optional(text()))
    """Who made the link; None once the owner is erased."""
    created_ms: int = attrs.field(validator=integer(0, LAST_MS))


@attrs.frozen
class OwnedLink:
    """One line of an owner's list."""

    owner: str
    created_ms: int
    code: str
    url: str


@attrs.frozen
class Click:
    """A visit of a link."""

    code: str = attrs.field(validator=text())
    country: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))


@attrs.frozen
class Clicks:
    """How often a link was visited from a country on a day."""

    code: str
    day_ms: int
    """The start of the UTC day."""
    country: str
    count: int


# ---- keys


@row_key
class LinkByCode:
    """A link: the source.

    Order:  by code, which is drawn at random, so new links are spread.
    Serves: a link by its code.
    Costs:  one get.
    Fixed:  the codes, which are printed somewhere: the row of a code is never removed.
    Source: none
    """

    code: str = part(TrailingText, "the code; any text")


@row_key
class LinkOfOwner:
    """One line of an owner's list, which holds all that the list shows.

    Order:  by owner, newest first, then by code.
    Serves: an owner's links in a period; the newest N.
    Costs:  one scan.
    Fixed:  the widths, and the direction of time. A link never changes, so a line never moves.
    Source: none
    """

    owner: str = part(EscapedText, "who made the link; any text")
    created_ms: int = part(Descending(Int64), "milliseconds since 1970 UTC, newest first")
    code: str = part(TrailingText, "the code")


@row_key
class ClicksOfCode:
    """The clicks of a code on one day from one country: a counter.

    Order:  by code, then by day, the oldest first, then by country. So a popular link is a hot spot.
    Serves: the clicks of a code in a period, by day and country.
    Costs:  one scan of a row for each day and country.
    Fixed:  the zone of a day, UTC.
    Source: none
    """

    code: str = part(EscapedText, "the code")
    day_ms: int = part(Int64, "start of the UTC day, milliseconds since 1970")
    country: str = part(TrailingText, "the country; any text")


LINKS = Source("links", LinkByCode, Link, {"url": "l:u", "owner": "l:o", "created_ms": "l:t"})
OF_OWNER = LINKS.list("links_of_owner", LinkOfOwner, OwnedLink)
CLICKS = Table("link_clicks", ClicksOfCode, Clicks, {"count": Column("c:n", COUNTER)})
TABLES = (*LINKS.tables, *CLICKS.tables)


# ---- the repository


class Links:
    """Makes links and counts their clicks. A code never leads to two URLs; clicks may be counted twice, or not at all.

    If a writer dies, the same call of `add` again or `upkeep.recover` completes the write. Threads may share
    it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        links: Source[Link] = LINKS,
        clicks: Table[Clicks] = CLICKS,
        clock: WriterClock = CLOCK,
    ) -> None:
        self._links = links.on(connection, clock)
        self._clicks = clicks.on(connection)
        self.upkeep = CombinedUpkeep(self._links.upkeep, UnreadableRows(self._clicks))

    # ---- writes

    def add(self, link: Link) -> Link:
        """Stores a link under its code. The same call again changes nothing.

        Raises CodeTaken if the code has another link: draw another one. Costs: 1 get, 3 puts, 1 checkAndPut.
        """
        return self._links.write(link, partial(after_add, link))

    def click(self, click: Click) -> int:
        """Counts a click; returns how many the link has on its day and from its country.

        The same click again is counted again: if the reply is lost, the client cannot know whether it counted. Of a
        code without a link too. Costs: one increment.
        """
        day_ms = click.time_ms - click.time_ms % DAY_MS
        return self._clicks.increment(ClicksOfCode(click.code, day_ms, click.country), "count")

    # ---- questions

    def link(self, code: str) -> Link | None:
        """The link of a code, or None. Costs: one get."""
        return self._links.get(LinkByCode(code))

    def of_owner(self, owner: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[OwnedLink]:
        """An owner's links of a period, newest first; one that has just been made may be missing.

        Costs: one scan of a page's lines and one more.
        """
        return self._links.ask(OF_OWNER, owner=owner, created_ms=between(since_ms, until_ms))

    def clicks(self, code: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[Clicks]:
        """The clicks of a code on days that start in a period, by day and country, the oldest day first.

        Costs: one scan of a page's rows and one more: a row for each day and country.
        """
        return self._clicks.ask(code=code, day_ms=between(since_ms, until_ms))

    # ---- upkeep

    def erase(self, owner: str) -> int:
        """Removes an owner from all links and the list; returns how many lines remain. The links keep working.

        See `BoundSource.erase` for what it raises, and when to call it again. Costs: three scans of the owner's lines;
        1 get, 2 puts, 1 checkAndPut and 1 delete for each link.
        """
        check_text("owner", owner, empty=False)
        return self._links.erase(OF_OWNER, after_erase, owner=owner)


def new_code() -> str:
    """A code of seven letters and digits, one of 3.5 million millions."""
    return "".join(secrets.choice(CODE_CHARACTERS) for _ in range(CODE_LENGTH))


# ---- decisions


def after_add(link: Link, stored: Link | None) -> Link:
    """The link of a code: the first one stays. The same link may have lost its owner meanwhile."""
    if stored not in (None, link, attrs.evolve(link, owner=None)):
        raise CodeTaken(f"Link.code: must not have another link (got {shown(link.code)})")
    return stored or link


def after_erase(stored: Link | None) -> Link | None:
    """The link without its owner."""
    return None if stored is None else attrs.evolve(stored, owner=None)
