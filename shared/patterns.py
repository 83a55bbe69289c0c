"""Access patterns as data: a question in words and the call that answers it, run and metered.

What a design costs is not argued but measured: the table of a domain's README is the output of `measure`.
"""

import inspect
import shlex
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
import happybase

from .keys import InvalidQuestion, KeyLayout, RowRange
from .ruler import show_value
from .scanning import Page


@attrs.frozen
class AccessPattern:
    """One question that a design answers.

    `method` is the repository's method (`OrderRepository.of_seller`), `sample` the arguments with which it is
    measured. Arguments that end in `_ms` are times, and are asked for without that ending.
    """

    name: str
    question: str
    method: Callable[..., Any]
    sample: Mapping[str, Any]

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The arguments a user may give, `limit` and `cursor` left out."""
        _self, *parameters = inspect.signature(self.method, eval_str=True).parameters.values()
        return [each for each in parameters if each.name not in ("limit", "cursor")]

    def ask(self, repository: Any, **arguments: Any) -> Any:
        """The answer of a repository, which may have a method of its own for the question."""
        return getattr(repository, self.method.__name__)(**arguments)

    @property
    def words(self) -> str:
        """The question as `rowbook ask` takes it, with the sample's values."""
        words = [self.name]
        for name, value in self.sample.items():
            if name in ("limit", "cursor"):
                words.append(f"--{name} {value}")
            else:
                words.append(shlex.quote(f"{name.removesuffix('_ms')}={show_value(name, value)}"))
        return " ".join(words)

    @property
    def is_paged(self) -> bool:
        """Whether the answer is a `Page`, so that `limit` and `cursor` can be given."""
        return "limit" in inspect.signature(self.method).parameters


def key_line(layout: KeyLayout[Any]) -> str:
    """A key in one line: `[seller_id][placed_ms descending][order_number]`."""
    names = [str(prefix) for prefix in layout.prefixes]
    names += [f"{part.name} descending" if part.codec.descending else part.name for part in layout.parts]
    return "".join(f"[{name}]" for name in names)


@attrs.define
class Cost:
    """What a call made the store do, as seen on the Thrift client."""

    rpcs: int = 0
    ranges: list[tuple[bytes, RowRange]] = attrs.field(factory=list[tuple[bytes, RowRange]])
    """Table and range of every get and every scan."""
    rows_fetched: int = 0
    key_bytes: int = 0
    """Row keys that came over, each counted once, however many cells repeat it in the store."""
    bytes_fetched: int = 0
    """Row keys, columns and values that came over, without Thrift's framing."""
    rows_read: int | None = None
    """Rows that the store stepped over to answer; None where it does not say (only the embedded one does)."""


class _MeteredClient:
    """A Thrift client that counts what passes through it."""

    def __init__(self, client: Any, cost: Cost) -> None:
        self._client = client
        self._cost = cost

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not callable(call):
            return call

        def counted(*arguments: Any) -> Any:
            self._asked(name, *arguments)
            answer: Any = call(*arguments)
            if name.startswith(("getRow", "scannerGet")):
                self._answered(answer)
            return answer

        return counted

    def _asked(self, name: str, *arguments: Any) -> None:
        self._cost.rpcs += 1
        if name == "scannerOpenWithScan":
            table, scan = arguments[:2]
            low, high = scan.startRow, scan.stopRow
            if scan.reversed:  # reads (stop, start]
                low, high = (row and row + b"\x00" for row in (high, low))
            self._cost.ranges.append((table, RowRange(low or b"", high or None)))
        elif name.startswith("getRow"):
            table, asked = arguments[:2]
            rows: list[bytes] = asked if name.startswith("getRows") else [asked]
            for row in rows:
                self._cost.ranges.append((table, RowRange(row, row + b"\x00")))

    def _answered(self, results: list[Any]) -> None:
        self._cost.rows_fetched += len(results)
        for result in results:
            self._cost.key_bytes += len(result.row)
            # A scan with sorted columns has them in a list instead.
            sorted_ = ((each.columnName, each.cell) for each in result.sortedColumns or ())
            cells = sorted_ if result.columns is None else result.columns.items()
            self._cost.bytes_fetched += len(result.row) + sum(len(name) + len(cell.value) for name, cell in cells)


@contextmanager
def metered(connection: happybase.Connection) -> Generator[Cost]:
    """Counts all that is asked on `connection` while the block runs."""
    cost = Cost()
    client = connection.client
    read_before = getattr(client, "rows_read", None)
    connection.client = _MeteredClient(client, cost)
    try:
        yield cost
    finally:
        connection.client = client
        if read_before is not None:
            cost.rows_read = client.rows_read - read_before


@attrs.frozen
class Measured:
    """An access pattern, what it answered and what that cost; or why the tables cannot answer it."""

    pattern: AccessPattern
    answer: Any
    cost: Cost
    refused: str = ""

    @property
    def records(self) -> list[Any]:
        """The records of the answer, whether that is a page, a list, one record or none."""
        if isinstance(self.answer, Page):
            return [*self.answer.records]  # pyright: ignore[reportUnknownMemberType]  # of any record
        if isinstance(self.answer, list):
            return [*self.answer]  # pyright: ignore[reportUnknownMemberType]
        return [] if self.answer is None else [self.answer]

    @property
    def rows_read(self) -> int:
        """Rows that the store stepped over, or those that came over where it does not say."""
        return self.cost.rows_fetched if self.cost.rows_read is None else self.cost.rows_read

    @property
    def by_client(self) -> tuple[str, ...]:
        """What the ranges did not do: the attributes that the client compared, `order` where it sorted."""
        if isinstance(self.answer, Page):
            return self.answer.by_client  # pyright: ignore[reportUnknownMemberType]  # of any record
        return ()

    @property
    def beyond_ranges(self) -> str:
        """What the ranges did not do, in words: that of the client, then that of a filter on the server."""
        return ", ".join([*self.by_client, *(f"{name} (filter)" for name in self.by_server)])

    @property
    def by_server(self) -> tuple[str, ...]:
        """The attributes that a filter compared on the server."""
        if isinstance(self.answer, Page):
            return self.answer.by_server  # pyright: ignore[reportUnknownMemberType]  # of any record
        return ()


def measure(connection: happybase.Connection, repository: Any, patterns: Iterable[AccessPattern]) -> list[Measured]:
    """Asks every pattern with its sample arguments."""
    return [_measured(connection, repository, pattern) for pattern in patterns]


def _measured(connection: happybase.Connection, repository: Any, pattern: AccessPattern) -> Measured:
    with metered(connection) as cost:
        try:
            return Measured(pattern, pattern.ask(repository, **pattern.sample), cost)
        except InvalidQuestion as error:
            return Measured(pattern, None, cost, refused=str(error))


PATTERN_COLUMNS = (
    "question",
    "`rowbook ask`",
    "beyond the ranges",
    "ranges",
    "RPCs",
    "rows read",
    "rows returned",
    "bytes fetched",
    "bytes per key",
)


def pattern_rows(measured: Iterable[Measured]) -> list[tuple[str, ...]]:
    """One row of text per pattern, under `PATTERN_COLUMNS`."""
    return [(each.pattern.question, f"`{each.pattern.words}`", *_figures(each)) for each in measured]


def _figures(each: Measured) -> tuple[str, ...]:
    cost = each.cost
    if each.refused:
        return ("refused", *["-"] * (len(PATTERN_COLUMNS) - 3))
    return (
        each.beyond_ranges or "-",
        str(len(cost.ranges)),
        str(cost.rpcs),
        "-" if cost.rows_read is None else str(cost.rows_read),
        str(len(each.records)),
        str(cost.bytes_fetched),
        f"{cost.key_bytes / cost.rows_fetched:.1f}" if cost.rows_fetched else "-",
    )
