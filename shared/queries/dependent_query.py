"""A question whose ranges depend on the answer to another question."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import attrs

from ..keys.errors import InvalidQuestion
from ..tables.errors import InvalidRow
from .cursors import OtherQuestion
from .explanations import Explanation
from .pages import Page
from .query import Query

R = TypeVar("R")
S = TypeVar("S")


class DependentQuery(Generic[R]):
    """A question whose ranges depend on the answer to another question, the lookup. It is asked as a `Query` is.

    For example, the ranges of a timeline depend on the authors whom its reader follows:

    timeline = DependentQuery(
        follows, lambda follows: Query(timelines, plan_of([*follows])), "the streams", "ask with until_ms"
    )

    `make_query` is given the lookup, reads its answer, and returns the query to run. It is called for each page, so a
    cursor is refused if the ranges have changed since its page; `ranges` names them in that error, and `advice` says
    what to do. `explain` calls nothing: it describes a page of the lookup, says that these ranges follow, and its RPCs
    are a lower bound.
    """

    def __init__(
        self,
        lookup: Query[Any],
        make_query: Callable[[Query[Any]], Query[R]],
        ranges: str,
        advice: str = "ask again without it",
    ) -> None:
        self._lookup = lookup
        self._make_query = make_query
        self._ranges = ranges
        self._advice = advice

    def page(self, limit: int = 100, cursor: str | None = None) -> Page[R]:
        """Returns what `Query.page` does. Costs: those of `make_query`, and of a page of the query that it returns."""
        try:
            return self._made().page(limit, cursor)
        except OtherQuestion:
            raise InvalidQuestion(
                f"cursor: belongs to another question, or {self._ranges} have changed since its page; {self._advice}"
            ) from None

    def _made(self) -> Query[R]:
        return self._make_query(self._lookup)

    def on_invalid(self, report: Callable[[InvalidRow], None]) -> "DependentQuery[R]":
        """Does what `Query.on_invalid` does, for the rows of the lookup and of the query that `make_query` returns."""
        return self._changed(self._lookup.on_invalid(report), lambda query: query.on_invalid(report))

    def then(self, fetch: Callable[[list[R]], Sequence[S | InvalidRow | None]]) -> "DependentQuery[S]":
        """Does what `Query.then` does, for the records of the query that `make_query` returns."""
        return self._changed(self._lookup, lambda query: query.then(fetch))

    def _changed(self, lookup: Query[Any], change: Callable[[Query[R]], Query[S]]) -> "DependentQuery[S]":
        return DependentQuery(lookup, lambda read: change(self._make_query(read)), self._ranges, self._advice)

    def __iter__(self) -> Iterator[R]:
        """Yields all records. `make_query` is called once, not for each page."""
        yield from self._made()

    def first(self) -> R | None:
        """Returns the first record, or None. `make_query` is called once."""
        return self._made().first()

    def count(self) -> int:
        """Returns the number of records. `make_query` is called once."""
        return self._made().count()

    def explain(self, limit: int = 100) -> Explanation:
        """What a page of the lookup would do; `Explanation.then_ranges` names what is read after it. Reads nothing."""
        followed = self._lookup.then(list)  # so `explain` says that more calls follow
        return attrs.evolve(followed.explain(limit), then_ranges=self._ranges)

    def __repr__(self) -> str:
        return f"DependentQuery({self._lookup!r}, then {self._ranges})"
