"""A question as a value; nothing is read before a page, a record or a count is requested.

events = BoundTable(connection, EVENTS)
latest = Query(events, events.plan(host="web-1")).newest_first()
latest.page(limit=10)
for event in latest: ...
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..keys.codecs import utf8
from ..keys.conditions import AnyOf, Between, is_one_value, values_of
from ..keys.errors import InvalidKey, InvalidQuestion, shown
from ..keys.layout import KeyLayout
from ..keys.ranges import Plan
from ..keys.reference import ReferenceLayout
from ..tables.bound_table import BoundTable
from ..tables.declared_types import type_check, words_for
from ..tables.errors import InvalidRow
from ..tables.layouts import TableLayout
from .key_order import direction
from .pages import READ_AT_MOST, Page, read_page
from .record_reader import Request, without_attribute
from .scanning import BATCH_ROWS, check_count
from .server_filters import ServerFilter, equal

if TYPE_CHECKING:
    from .explanations import Explanation

R = TypeVar("R")
S = TypeVar("S")

ITERATION_RECORDS = READ_AT_MOST - 1
"""Records that iteration reads at once: one less than whole batches, because a page reads one row beyond its end."""
LAST_AS_OF_MS = 2**63 - 2
"""The latest time of a read: Thrift1 reads cells below a timestamp, which is at most 2^63 - 1."""
ITERATION_BATCH_ROWS = 250
"""Rows in a batch of one stream if iteration merges several: the rest of a batch is read again for the next page."""


class Query(Generic[R]):
    """The records that answer one question, to be read in pages, one by one, counted or explained.

    `plan` is the result of `table.plan`, `table.narrow` or `table.whole_table`; a plan of another table is refused. The
    client compares every record with the conditions of the plan that no range expresses. Records come in the order of
    the table's key: of its row, then of its qualifier. `where`, `filtered`, `in_order_of`, `newest_first` and `as_of`
    return the same query with one thing changed.

    Every record that is stored from the first page to the last comes exactly once, whatever is inserted or deleted
    between pages.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, table: BoundTable[Any, R], plan: Plan) -> None:
        check_same_table(table.layout, plan)
        conditions = conditions_of(table.layout.cells.record, plan, {})
        self._request: Request[Any] = Request(table, plan, conditions, None, None, False)
        self._where: Mapping[str, Any] = {}
        self._order: KeyLayout[Any] | None = None
        self._newest_first: bool | None = None
        self._fetches: tuple[Callable[[list[Any]], Sequence[Any]], ...] = ()
        self._on_invalid: Callable[[InvalidRow], None] | None = None

    # ---- what is asked

    def where(self, /, **conditions: Any) -> "Query[R]":
        """The same query, of which the client leaves out every record that does not meet the conditions.

        Each is a value, `between(...)`, `starting_with(...)` or `any_of(...)` for an attribute of the record. A page
        with few matches still reads the whole plan, and one call may outlast the connection's timeout.
        Raises InvalidQuestion for an attribute that the record lacks, and for a value that it cannot have.
        """
        query = self._copy()
        query._where = {**self._where, **conditions}
        request = self._request
        found = conditions_of(request.layout.cells.record, request.plan, query._where)
        query._request = attrs.evolve(request, conditions=found)
        return query

    def filtered(self, server: ServerFilter | None) -> "Query[R]":
        """The same query, of which the server does not send rows that a filter refuses, if there is one.

        The server still reads them all. Refused for rows that are read in parts, and as of a time.
        """
        query = self._copy()
        query._request = checked(attrs.evolve(self._request, server=server))
        return query

    def on_server(self, name: str, value: Any) -> "Query[R]":
        """The same query, of which the server sends only rows whose attribute has this value; see `equal`."""
        cells: Any = self._request.layout.cells
        return self.filtered(equal(cells, name, value))

    def in_order_of(self, order: KeyLayout[Any]) -> "Query[R]":
        """The same records in the order of another key layout: from the scan if its order is the same.

        Otherwise the client sorts them, and a question of more than 10,000 rows is refused. The client does not sort
        records of a domain's own cells.
        """
        return self._sorted(order, self._newest_first)

    def newest_first(self, is_wanted: bool = True) -> "Query[R]":
        """The same records in the order in which the first value that the question leaves open descends.

        If false, it ascends; either way whichever way the key runs. If that value is not a time, times are reversed
        with it: `any_of` hosts come last host first, each with its oldest event first if its times descend. Rows that
        come in the order of a hash have no direction: give `in_order_of` before.
        """
        return self._sorted(self._order, is_wanted)

    def as_of(self, time_ms: int | None) -> "Query[R]":
        """The records as they were at a time, in milliseconds since 1970; at present, if it is None.

        Of each cell the newest version counts that is dated then or earlier. That is right as far back as the families
        keep versions (`Family.max_versions`), for cells that were not deleted since: a delete also hides what it
        deleted from such reads. A source that has changed more often since is an `InvalidRow`, because the store does
        not know what it was. Other records do not count their changes: beyond what is kept they may be missing, or
        older than asked, without an error. A table whose families keep one version is refused, and so is a filter on
        sources. The costs are those of the same question without a time; two calls for each page more if any of its
        sources has changed since, and one for each that has changed as often as its family keeps versions.
        """
        if time_ms is not None:
            check_as_of(self._request.layout, time_ms)
        query = self._copy()
        query._request = checked(attrs.evolve(self._request, as_of_ms=time_ms))
        return query

    def _sorted(self, order: KeyLayout[Any] | None, newest_first: bool | None) -> "Query[R]":
        query, request = self._copy(), self._request
        query._order, query._newest_first = order, newest_first
        sort_into, reverse = direction(request.layout, request.plan, order, newest_first)
        query._request = checked(attrs.evolve(request, order=sort_into, reverse=reverse))
        return query

    # ---- answers

    def page(self, limit: int = 100, cursor: str | None = None) -> Page[R]:
        """The next `limit` records, from the record after `cursor`, which comes from the previous page.

        A page that leaves out records or rows ends short after reading 10,000, with a cursor. With a domain's own cells
        it ends after a whole row, so it may return more than `limit` records. A row that is not a record of this table
        is raised as an `InvalidRow`; see `on_invalid`. A row that only a later release can read, because it has a
        status that is new there, for example, does not fail the page: it is in `Page.unknown`. A cursor that is
        damaged, or belongs to another question or another layout, is an `InvalidQuestion`.

        A row of which a TTL has left only what was put again later is skipped, so the page may be short, with a cursor.

        Raises LayoutMismatch if another layout than this table's made the stored keys.

        Costs: one scan of `limit` + 1 rows for each range that is read; a sorted page reads all rows of its ranges. A
        page that continues within a row of many records scans the rest of that row before the range: up to 3 RPCs more
        if few cells are left.
        """
        unknown: list[InvalidRow] = []
        page = self._fetched(read_page(self._request, limit, cursor, self._on_invalid, unknown.append), unknown.append)
        return attrs.evolve(page, unknown=tuple(unknown)) if unknown else page

    def _fetched(self, page: Page[Any], on_unknown: Callable[[InvalidRow], None] | None = None) -> Page[R]:
        """The page with its records passed through every `then`."""
        records: list[Any] = page.records
        for fetch in self._fetches:
            answers: Sequence[Any] = fetch(records) if records else []
            if len(answers) != len(records):
                raise ValueError(f"then: must return one answer for each record ({len(records)}, got {len(answers)})")
            records = [answer for answer in answers if answer is not None and not self._is_invalid(answer, on_unknown)]
        return page if records is page.records else attrs.evolve(page, records=records)

    def _is_invalid(self, answer: Any, on_unknown: Callable[[InvalidRow], None] | None) -> bool:
        """Whether a second lookup found a row that is not a record, which is then reported, or raised."""
        if not isinstance(answer, InvalidRow):
            return False
        take = on_unknown if self._on_invalid is None and answer.is_unknown else self._on_invalid
        if take is None:
            raise answer
        take(answer)
        return True

    def on_invalid(self, report: Callable[[InvalidRow], None]) -> "Query[R]":
        """The same query, which calls `report` with every row or cell that is not a record, and leaves it out."""
        query = self._copy()
        query._on_invalid = report
        return query

    def then(self, fetch: Callable[[list[R]], Sequence[S | InvalidRow | None]]) -> "Query[S]":
        """A second lookup, page by page: `fetch` returns one answer for each record, and None drops it.

        An `InvalidRow` among the answers is raised, or reported, like one that the scan finds. The cursor follows the
        records, not the answers, so a page with dropped answers is short.
        """
        query: Query[Any] = self._copy()
        query._fetches = (*self._fetches, fetch)
        return query

    def _copy(self) -> "Query[Any]":
        query: Query[Any] = object.__new__(type(self))
        query.__dict__ |= self.__dict__
        return query

    def __iter__(self) -> Iterator[R]:
        """All records, in constant memory: read page by page, so that no scanner stays open between pages.

        Raises an `InvalidRow` also for a row that only a later release can read, because nothing says what is missing.
        A question that the client has to sort is read once.
        """
        for page in self._pages():
            yield from page.records

    def _pages(self) -> Iterator[Page[R]]:
        streams = len(self._request.plan.streams)
        limit = ITERATION_RECORDS if self._request.order is None else READ_AT_MOST
        buffer_rows = streams * BATCH_ROWS
        if streams > 1:
            buffer_rows = streams * ITERATION_BATCH_ROWS
        cursor = None
        while True:
            page = read_page(
                self._request, limit, cursor, self._on_invalid, read_at_most=READ_AT_MOST, buffer_rows=buffer_rows
            )
            yield self._fetched(page)
            cursor = page.cursor
            if cursor is None:
                return

    def first(self) -> R | None:
        """The first record, or None. Skips pages that conditions or `then` leave empty.

        Each page whose records `then` drops is followed by one twice as large, up to 10,000 records.
        """
        limit, cursor = 1, None
        while True:
            page = read_page(self._request, limit, cursor, self._on_invalid)
            if answers := self._fetched(page).records:
                return answers[0]
            if page.records:
                limit = min(2 * limit, READ_AT_MOST)
            cursor = page.cursor
            if cursor is None:
                return None

    def count(self) -> int:
        """The number of records. Costs: those of reading them all."""
        return sum(len(page.records) for page in self._pages())

    def explain(self, limit: int = 100) -> "Explanation":
        """What a page would do: its ranges, what the client and the server compare, its RPCs. Reads nothing."""
        from .explanations import explain

        check_count("limit", limit)
        return explain(self._request, limit, looks_up=bool(self._fetches), reports=self._on_invalid is not None)

    def __repr__(self) -> str:
        return f"Query({self._request.layout.name}: {shown(self._request.plan.conditions)})"


def checked(request: Request[R]) -> Request[R]:
    """A request whose parts go together. Raises InvalidQuestion."""
    name = request.layout.name
    if request.server is not None and request.reads_past:
        raise InvalidQuestion(f"filtered: cannot filter table {name} as of a time: give where instead")
    if request.server is not None and request.is_wide:
        raise InvalidQuestion(f"filtered: cannot filter table {name}, whose rows are read in parts: give where instead")
    if request.order is not None and request.has_own_cells:
        raise InvalidQuestion(
            f"in_order_of: cannot sort table {name}, because a cursor cannot tell apart the records in a row of "
            f"{type(request.layout.cells).__name__}: omit it, and sort the records yourself"
        )
    return request


def check_as_of(table: TableLayout[Any, Any], as_of_ms: Any) -> None:
    """Raises InvalidQuestion for a value that is not a time, and for a table without older versions of its cells."""
    if type(as_of_ms) is not int or not 0 <= as_of_ms <= LAST_AS_OF_MS:
        wanted = f"must be milliseconds since 1970, 0..{LAST_AS_OF_MS}"
        raise InvalidQuestion(f"as_of_ms: {wanted} (got {shown(as_of_ms)})")
    from .past_rows import kept_versions

    if kept_versions(table) == 1:
        wanted = "must keep more than one version, or a cell that has changed since is missing"
        raise InvalidQuestion(f"as_of_ms: table {table.name} {wanted}: declare Family(max_versions=...)")


def check_same_table(table: TableLayout[Any, Any], plan: Plan) -> None:
    """Raises InvalidQuestion for a plan that another layout made."""
    if plan.table is not None:
        if plan.table != table.name:
            raise InvalidQuestion(f"plan: must be one of table {table.name} (got one of table {plan.table})")
    elif plan.layout is not None and not _makes_same_keys(plan.layout, table.key):
        raise InvalidQuestion(f"plan: must be one of {table.key} (got one of {plan.layout})")


def _makes_same_keys(first: ReferenceLayout[Any], second: ReferenceLayout[Any]) -> bool:
    return first is second or (first.key_class is second.key_class and first.prefixes == second.prefixes)


def conditions_of(record: type[Any], plan: Plan, where: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The conditions that the client compares: the plan's residual and `where`; each has a `repr` for the digest.

    Raises InvalidQuestion for an attribute that the record lacks, for a value that it cannot have, and for an interval
    whose ends are out of order.
    """
    if not (where or plan.residual):
        return ()
    for name in where:
        if not (type(name) is str and hasattr(record, name)) and name not in attrs.fields_dict(record):
            raise without_attribute(record, name)
    for name, condition in where.items():
        _check_values(record, name, condition)
    conditions = sorted([*plan.residual.items(), *where.items()], key=lambda condition: condition[0])
    for name, wanted in conditions:
        try:
            repr(wanted)
        except (ValueError, RecursionError):
            raise InvalidQuestion(
                f"where: {name}: must be a value that a cursor can hold (got {shown(wanted)})"
            ) from None
        if isinstance(wanted, Between):
            _check_ends(name, wanted)
    return tuple(conditions)


def _check_values(record: type[Any], name: str, condition: Any) -> None:
    """Raises InvalidQuestion for a value that no stored record has: of another type, or text that is not Unicode.

    An attribute without a declared type, such as a property, may have any value.
    """
    field = attrs.fields_dict(attrs.resolve_types(record)).get(name)
    if field is None or not (is_one_value(condition) or isinstance(condition, AnyOf)):
        return
    fits = type_check(field.type)
    for value in values_of(condition):
        if not fits(value):
            raise InvalidQuestion(f"where: {name}: must be {words_for(field.type)} (got {shown(value)})")
        try:
            _ = utf8(value) if type(value) is str else b""
        except InvalidKey as error:
            raise InvalidQuestion(f"where: {name}: {error}") from None


def _check_ends(name: str, interval: Between) -> None:
    """Raises InvalidQuestion for an interval whose start is above its end, or cannot be compared with it."""
    since, until = interval.since, interval.until
    if since is None or until is None:
        return
    ends = f"{shown(since)} and {shown(until)}"
    try:
        is_turned = bool(since > until)
    except (TypeError, ArithmeticError, RecursionError):
        raise InvalidQuestion(f"where: {name}: since cannot be compared with until (got {ends})") from None
    if is_turned:
        raise InvalidQuestion(f"where: {name}: since must not be above until (got {ends})")
