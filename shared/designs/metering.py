"""What a question of a design costs: its answer beside the work of the store."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ..keys.errors import InvalidQuestion
from ..keys.ranges import RowRange
from ..queries import DependentQuery, Page, Query
from ..queries.explanations import Explanation
from .counting import Cost, Read, metered
from .patterns import AccessPattern

if TYPE_CHECKING:
    import happybase


@attrs.frozen
class Measurement:
    """An access pattern with its answer and cost; or the reason why the tables cannot answer it."""

    pattern: AccessPattern
    answer: Any
    cost: Cost
    refused: str = ""
    """The reason for a refusal; empty if there is an answer."""
    explanation: Explanation | None = None
    """The explanation of the query, made before it ran; None if the answer does not come from a query."""
    is_wrong: bool = False
    """Whether the variant declares that it answers this question wrongly."""

    @property
    def records(self) -> list[Any]:
        """The records of the answer, whether that is a page, a list, one record or none."""
        if isinstance(self.answer, Page):
            return [*self.answer.records]  # pyright: ignore[reportUnknownMemberType]  # of any record
        if isinstance(self.answer, list):
            return [*self.answer]  # pyright: ignore[reportUnknownMemberType]
        return [] if self.answer is None else [self.answer]

    @property
    def reads(self) -> list[Read]:
        """The gets and scans of the answer; one that continues within the range of an earlier one is part of that one.

        So rows that are read in parts, and the pages of an iteration, are one read for each range.
        """
        explanation = self.explanation
        planned_ranges = () if explanation is None else explanation.ranges
        reads: list[Read] = []
        for read in self.cost.reads:
            is_get = read.is_get
            if explanation is not None and explanation.is_wide and read.table == explanation.stored_in:
                range_ = next((range_ for range_ in planned_ranges if read.rows.start in range_), read.rows)
                read = attrs.evolve(read, scanned=range_, rows=range_, reverse=explanation.reverse, filter=None)
            elif _reads_parts(read):
                read = attrs.evolve(read, filter=None)
            if is_get or not any(_is_part(read, earlier) for earlier in reads):
                reads.append(read)
        return reads

    @property
    def ranges(self) -> list[tuple[bytes, RowRange]]:
        """Table and range of each of the `reads`, with the values that a range of the query binds."""
        bound: dict[tuple[Any, ...], RowRange] = {}
        if self.explanation is not None:
            bound = {(self.explanation.stored_in, *_ends(range_)): range_ for range_ in self.explanation.ranges}
        return [(read.table, bound.get((read.table, *_ends(read.rows)), read.rows)) for read in self.reads]

    @property
    def rows_read(self) -> int:
        """Rows that the store read; the rows in its replies if it does not count them."""
        return self.cost.rows_fetched if self.cost.rows_read is None else self.cost.rows_read

    @property
    def reads_cells(self) -> bool:
        """Whether reads are counted in cells, because a row holds many records."""
        if self.explanation is None:
            return self.cost.is_wide
        return self.explanation.is_wide and isinstance(self.answer, Page)

    @property
    def read_for_records(self) -> int:
        """The number of rows that the store read to find the records; of cells, if a row holds many records."""
        if not self.reads_cells:
            return self.rows_read
        return self.answer.rows_read if isinstance(self.answer, Page) else self.cost.cells_fetched  # pyright: ignore[reportUnknownMemberType]

    @property
    def is_computed(self) -> bool:
        """Whether the client computes the answer from more than it returns: a sum, or the largest values.

        A scan may read two rows beyond the answer: one of the next page, and in reverse one before its range.
        """
        return self._is_value and self.read_for_records > len(self.records) + 2 * len(self.reads)

    @property
    def read_and_returned(self) -> tuple[int, int]:
        """The number read for the answer, and the number returned: of records, or of computed values.

        If a server-side filter drops rows, and the answer does not come from a query, both count rows.
        """
        if self._is_value and self.is_server_filtered and not self.is_computed:
            return self.rows_read, self.cost.rows_fetched
        return self.read_for_records, len(self.records)

    @property
    def _is_value(self) -> bool:
        return self.explanation is None and not isinstance(self.answer, Page)

    @property
    def client_work(self) -> tuple[str, ...]:
        """Work that the ranges left to the client: the attributes that it compared, and `order` if it sorted.

        The explanation of a `DependentQuery` does not know it, so it is that of the page.
        """
        if self.explanation is None:
            return ()
        page: tuple[str, ...] = self.answer.client_work if isinstance(self.answer, Page) else ()  # pyright: ignore[reportUnknownMemberType]
        return self.explanation.client_work or page

    @property
    def server_filtered(self) -> tuple[str, ...]:
        """The attributes that a server-side filter compared; none is known if the answer does not come from a query."""
        return () if self.explanation is None else self.explanation.server_filtered

    @property
    def is_server_filtered(self) -> bool:
        """Whether a server-side filter dropped rows; if the store does not count the rows that it read: may have."""
        drops = self.cost.rows_read is None or self.cost.rows_read > self.cost.rows_fetched
        return bool(self.server_filtered) or (self._is_value and drops and any(read.filter for read in self.reads))

    @property
    def beyond_ranges(self) -> str:
        """What happens to the rows of the ranges, in words: `server filter on status; filtered by time_ms; sorted`."""
        compared = [name for name in self.client_work if name != "order"]
        on = f" on {', '.join(self.server_filtered)}" if self.server_filtered else ""
        words = [f"server filter{on}"] if self.is_server_filtered else []
        words += [f"filtered by {', '.join(compared)}"] if compared else []
        words += ["computed"] if self.is_computed else []
        return "; ".join([*words, "sorted"] if "order" in self.client_work else words)


def _ends(rows: RowRange) -> tuple[bytes, bytes | None]:
    """Start and stop of a range. No key comes before 00, so a reverse scan down to it has no stop."""
    return b"" if rows.start == b"\0" else rows.start, rows.stop


def _reads_parts(read: Read) -> bool:
    """Whether a scan asks for the first cells of each row only, and others for the rest; see `queries.wide_rows`."""
    return b"ColumnPaginationFilter" in (read.filter or b"")


def _is_part(read: Read, earlier: Read) -> bool:
    """Whether a read continues within the range of an earlier one."""
    return (
        read.table == earlier.table
        and not earlier.is_one_row
        and read.rows.start in earlier.rows
        and (earlier.rows.stop is None or (read.rows.stop is not None and read.rows.stop <= earlier.rows.stop))
    )


def measure(
    connection: "happybase.Connection", repository: Any, patterns: Iterable[AccessPattern]
) -> list[Measurement]:
    """Asks every pattern with its sample arguments."""
    return [_measure_sample(connection, repository, pattern) for pattern in patterns]


def _measure_sample(connection: "happybase.Connection", repository: Any, pattern: AccessPattern) -> Measurement:
    with metered(connection) as cost:
        try:
            return measure_pattern(connection, repository, pattern, pattern.sample, pattern.limit)
        except InvalidQuestion as error:
            return Measurement(pattern, None, cost, refused=str(error))


def measure_pattern(
    connection: "happybase.Connection",
    repository: Any,
    pattern: AccessPattern,
    arguments: Mapping[str, Any],
    limit: int,
    cursor: str | None = None,
) -> Measurement:
    """Asks a pattern with some arguments; for a query, the page after `cursor`. Raises InvalidQuestion."""
    with metered(connection) as cost:
        answer = pattern.ask(repository, **arguments)
        if not isinstance(answer, Query | DependentQuery):
            return Measurement(pattern, answer, cost)
        query: Query[Any] | DependentQuery[Any] = answer  # pyright: ignore[reportUnknownVariableType]  # of any record
        return Measurement(pattern, query.page(limit, cursor), cost, explanation=query.explain(limit))
