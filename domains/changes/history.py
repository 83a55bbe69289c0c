"""Records by their changes, up to the watermark of their source."""

from collections.abc import Callable
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from shared.keys import InvalidQuestion, between, shown
from shared.queries import DependentQuery, Query
from shared.queries.scanning import MAX_LIMIT
from shared.records import check_int, check_text
from shared.sources import Table
from shared.tables import TableLayout

from .keys import WATERMARKS
from .records import BegunSource, Change, State, StoredSource, as_of, check_as_of, state_after

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")


class RecordHistory:
    """Finds the changes of a record, and what they made of it; each question first gets the watermark of its source.

    Readers ask up to the watermark only, so each of them sees all of the changes of a call or none.
    """

    def __init__(self, connection: "happybase.Connection", by_record: Table[Any], sources: Table[BegunSource]) -> None:
        check_without_ttl(sources.layout, "an expired source forgets its watermark and its tables")
        self.by_record = by_record.on(connection)
        self.sources = sources.on(connection)
        self.watermarks = WATERMARKS.like(sources.layout.name).on(connection)

    # ---- questions

    def watermark(self, source: str) -> int:
        """The position up to which every change of a source is stored; 0 if none is. Costs: one get."""
        return (self.watermarks.ask(source=source).first() or StoredSource(source)).position

    def history(self, source: str, table: str, key: str, up_to: int | None = None) -> DependentQuery[Change]:
        """A record's changes, newest first; those up to the position `up_to` if one is given.

        Costs: one get, and one scan of a page's rows and one more.
        """

        def of_record(stored: StoredSource) -> Query[Change]:
            positions = between(None, stored.position + 1)
            changes = self.by_record.ask(source=source, table=table, key=key, position=positions)
            return changes.newest_first()

        return self.up_to(source, up_to, of_record)

    def state(
        self, source: str, table: str, key: str, as_of_ms: int | None = None, up_to: int | None = None
    ) -> State | None:
        """A record as its latest change left it; None if it is not stored, or deleted.

        With `as_of_ms`, its latest change dated then or earlier; with `up_to`, its latest change up to that position.
        Costs: one get, and one scan of the record's changes.
        """
        check_as_of(as_of_ms)
        return state_after(as_of(self.history(source, table, key, up_to), as_of_ms))

    def states(
        self,
        source: str,
        table: str,
        as_of_ms: int | None = None,
        up_to: int | None = None,
        after_key: str = "",
        at_most: int = 1000,
    ) -> list[State]:
        """The records of a table by key, as `state` finds each; for the next ones pass the last key as `after_key`.

        Costs: one get, and one scan of all changes of these records. The copy has a row for each record.
        """
        check_as_of(as_of_ms)
        check_text("after_key", after_key)
        check_at_most(at_most)
        following = between(f"{after_key}\0" if after_key else None, None)
        changes = self.changes_of_keys(source, table, following, up_to)
        states = (state_after(as_of(of_key, as_of_ms)) for _, of_key in groupby(changes, key=attrgetter("key")))
        return [*islice(filter(None, states), at_most)]

    # ---- parts of questions

    def changes_of_keys(self, source: str, table: str, keys: Any, up_to: int | None = None) -> DependentQuery[Change]:
        """The changes of the records whose keys meet a condition, by key, newest first."""

        def of_keys(stored: StoredSource) -> Query[Change]:
            positions = between(None, stored.position + 1)
            return self.by_record.ask_more(source=source, table=table, key=keys, position=positions)

        return self.up_to(source, up_to, of_keys)

    def following(
        self, source: str, after: int, up_to: int | None, ask: Callable[[StoredSource, Any], Query[R]]
    ) -> DependentQuery[R]:
        """A question about the positions after `after`, up to the watermark or to `up_to`."""
        check_int("after", after, 0)
        return self.up_to(
            source,
            up_to,
            lambda stored: ask(stored, between(min(after, stored.position) + 1, stored.position + 1)),
        )

    def up_to(self, source: str, up_to: int | None, ask: Callable[[StoredSource], Query[R]]) -> DependentQuery[R]:
        """A question about a source up to its watermark, as each page finds it, or up to a position before that."""
        if up_to is not None:
            check_int("up_to", up_to, 0)

        def bounded(lookup: Query[StoredSource]) -> Query[R]:
            stored = lookup.first() or StoredSource(source)
            if up_to is None:
                return ask(stored)
            if up_to > stored.position:
                of_source = f"the watermark of source {shown(source)}, {stored.position}"
                raise InvalidQuestion(f"up_to: must be at most {of_source} (got {shown(up_to)})")
            return ask(attrs.evolve(stored, position=up_to))

        of_source = self.watermarks.ask(source=source)
        return DependentQuery(of_source, bounded, "the positions up to the watermark", "ask with up_to")


def check_at_most(at_most: int) -> None:
    """Raises InvalidQuestion for a number of records that is not 1..MAX_LIMIT."""
    if type(at_most) is not int or not 1 <= at_most <= MAX_LIMIT:
        raise InvalidQuestion(f"at_most: must be 1..{MAX_LIMIT} (got {shown(at_most)})")


def check_without_ttl(table: TableLayout[Any, Any], reason: str) -> None:
    """Raises ValueError for a family with a TTL."""
    for name, family in table.families.items():
        if family.ttl_seconds is not None:
            raise ValueError(
                f"{table.name}, family {name}: ttl_seconds must be None, because {reason} (got {family.ttl_seconds})"
            )
