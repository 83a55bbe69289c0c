"""The designs on a real HBase beside the same calls written by hand, as ratios measured in one run.

Run `python -m tests.programs.benchmarks.bench_hbase [--quick]`. It starts an HBase of its own unless ROWBOOK_HBASE
names one; its tables get a prefix of their own and are dropped in the end.

The sides of a ratio ask the same server in turns, over connections of one kind. Domain code and code by hand must
return the same records in the same number of calls, or the benchmark fails. A ratio is the median of its rounds; beside
it stand the two between which half of them lie, and the ratio of the fastest rounds, which other work on the machine
disturbs least. The control is one side against itself: its spread is the machine's.
"""

import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import cycle, groupby
from typing import Any

import attrs
import happybase
import typer
from thriftpy2.rpc import make_client

from domains.logs import LOGS, LogRepository
from domains.logs.shown.design import DESIGN as LOGS_DESIGN
from domains.logs.shown.variants import time_first
from domains.orders import TABLES, OrderRepository
from domains.orders.shown.design import DESIGN as ORDERS_DESIGN
from shared.designs import AccessPattern, Design, Variant, measure, metered
from shared.keys import KeyLayout, Plan, Salt, between, split_points
from shared.queries import DependentQuery, Page, Query, scan
from shared.queries.scanning import in_batches
from shared.stores import connect
from shared.stores.thrift2.dated import thrift2_puts
from shared.stores.thrift2.idl import idl
from tests.programs.benchmarks.by_hand.logs import NewestFirst
from tests.programs.benchmarks.by_hand.orders import Orders
from tests.programs.benchmarks.measuring import Report, stocked
from tests.programs.benchmarks.stock import BATCH, EVENTS_BEGIN_MS, HOUR_MS, log_events, orders
from tests.programs.benchmarks.turns import Unlike, in_turns
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import NamedHBase, named_or_started

BY_HAND_AT_MOST = 1.10
"""Our time over that by hand."""
MERGED_AT_MOST = 1.15
"""The time of a row of merged buckets over that of one range."""
DATED_AT_LEAST = 0.7
"""Records a second of `store_all` as a share of the rows a second of raw batches of Thrift2."""
LOADED_AT_MOST = 1.11
"""The time of a load over that of raw batches: nine tenths of their rate."""

TO_CANCEL = 5_000
"""Orders that are there to be cancelled: more than there are rounds, because one that is cancelled stays so."""
BUCKETS = 16
A_SECOND = 200
"""Events of one timestamp, as those of a busy server whose log says whole seconds."""


@attrs.frozen
class Size:
    """How much is measured."""

    rows: int
    loaded: int
    """Rows of one load."""
    dated: int
    """Rows of one load with times of their own."""
    rounds: int
    """Of each comparison, at least."""
    at_least_s: float
    """The same in seconds."""


FULL = Size(rows=100_000, loaded=4_000, dated=20_000, rounds=15, at_least_s=4.0)
QUICK = Size(rows=2_000, loaded=1_000, dated=1_000, rounds=3, at_least_s=0.0)


@attrs.define
class Comparisons(Report):
    """Prints a line for each comparison of two or more sides."""

    size: Size = FULL

    def title(self, sides: str, more: str = "") -> None:
        print(f"\n{sides:67}  {'half of the rounds':20}  fastest  {'ms':>8} {'ms':>8} {more}".rstrip(), flush=True)

    def compare(
        self,
        what: str,
        *sides: Callable[[], Any],
        at_most: float | None = None,
        at_least: float = 0,
        more: str = "",
    ) -> None:
        """Runs the sides in turns; prints the ratio of the first two, and after it the time of each side."""
        turns = in_turns(*sides, rounds=self.size.rounds, at_least_s=self.size.at_least_s)
        times = " ".join(f"{turns.median_ms(side):8.2f}" for side in range(len(sides)))
        self.line(
            what, turns.ratio(), f"{turns.spread():20}  {turns.of_fastest():7.2f}  {times} {more}", at_most, at_least
        )


def calls_and_records(connection: happybase.Connection, side: Callable[[], Any]) -> tuple[int, Any]:
    """The number of calls that a side makes, and the records that it returns."""
    with metered(connection) as cost:
        answer = side()
    return cost.rpcs, answer.records if isinstance(answer, Page) else answer


def calls_of_both(connection: happybase.Connection, ours: Callable[[], Any], by_hand: Callable[[], Any]) -> int:
    """The number of calls that both sides make; raises Unlike if the calls or the records differ."""
    calls, records = calls_and_records(connection, ours)
    hand_calls, hand_records = calls_and_records(connection, by_hand)
    if records != hand_records:
        raise Unlike(f"other records: {records!s:.300}, by hand {hand_records!s:.300}")
    if calls != hand_calls:
        raise Unlike(f"{calls} calls, by hand {hand_calls}")
    return calls


# ---- domain code against the same by hand -------------------------------------------------------------


def compare_questions(
    report: Comparisons,
    connection: happybase.Connection,
    design: Design,
    variant: Variant,
    records: Sequence[Any],
    by_hand: Any,
) -> None:
    """Compares every question that a variant answers; the last time is that of the embedded store."""
    report.title(f"{design.name}:{variant.name}, ours / by hand", "embedded calls")
    with (
        closing(connect("embedded:")) as memory,
        stocked(memory, variant.tables, records),
        stocked(connection, variant.tables, records),
    ):
        repository, in_memory = variant.open(connection), variant.open(memory)
        for measurement in measure(memory, in_memory, design.patterns):
            pattern = measurement.pattern
            if measurement.refused:
                continue
            ours, embedded = (partial(answered, pattern, side) for side in (repository, in_memory))
            limit = {"limit": pattern.limit} if pattern.answer == "page" else {}
            theirs = partial(pattern.ask, by_hand, **pattern.sample, **limit)
            calls = calls_of_both(connection, ours, theirs)
            report.compare(pattern.question, ours, theirs, embedded, at_most=BY_HAND_AT_MOST, more=f"{calls:5}")
        report.compare("control: the last by hand / itself", theirs, theirs)


def answered(pattern: AccessPattern, repository: Any) -> Any:
    """The first page of a query, or another answer."""
    answer = pattern.ask(repository, **pattern.sample)
    return answer.page(pattern.limit) if isinstance(answer, Query | DependentQuery) else answer


def compare_writes(report: Comparisons, connection: happybase.Connection) -> None:
    """An event stored, an order placed and cancelled: at each call the next one."""
    report.title("writes, ours / by hand", "embedded calls")
    to_place, to_cancel = ([orders(report.size.rows, mark) for mark in marks] for marks in ("abc", "def"))
    to_cancel = [[attrs.evolve(order, status="placed") for order in its[:TO_CANCEL]] for its in to_cancel]
    with (
        closing(connect("embedded:")) as memory,
        stocked(memory, (LOGS.layout,)),
        stocked(memory, TABLES, to_cancel[2]),
        stocked(connection, (LOGS.layout,)),
        stocked(connection, TABLES, [*to_cancel[0], *to_cancel[1]]),
    ):
        logs = LogRepository(connection), NewestFirst(connection.table(LOGS.layout.name)), LogRepository(memory)
        shops = OrderRepository(connection), orders_by_hand(connection), OrderRepository(memory)
        for shop, its in zip(shops, to_place, strict=True):
            shop.place(its.pop())  # the first write compares the clocks, in two calls more
        numbers = [[order.order_number for order in its] for its in to_cancel]
        events = log_events(report.size.rows)
        for what, sides in (
            ("store an event", [each_time(repository.store, events) for repository in logs]),
            ("place an order", [each_time(shop.place, its) for shop, its in zip(shops, to_place, strict=True)]),
            ("cancel an order", [each_time(shop.cancel, its) for shop, its in zip(shops, numbers, strict=True)]),
        ):
            calls = calls_of_both(connection, *sides[:2])
            report.compare(what, *sides, at_most=BY_HAND_AT_MOST, more=f"{calls:5}")


def each_time(action: Callable[[Any], Any], records: Iterable[Any]) -> Callable[[], None]:
    """Does it with the next record at each call; after the last with the first again."""
    following = cycle(records)

    def once() -> None:
        action(next(following))

    return once


def orders_by_hand(connection: happybase.Connection) -> Orders:
    return Orders(*(connection.table(table.name) for table in TABLES))


# ---- buckets, loads -----------------------------------------------------------------------------------


def compare_merged(report: Comparisons, connection: happybase.Connection) -> None:
    """The same rows, all or those of a fifth of the time, merged of many buckets and out of one range."""
    report.title(f"scan of {BUCKETS} buckets / of one range")
    plain = time_first.TABLE.layout
    layout = KeyLayout(plain.key.key_class, Salt(of="host", buckets=BUCKETS))
    salted = attrs.evolve(plain, name="logs_merged", key=layout, splits=split_points(layout))
    fifth = between(EVENTS_BEGIN_MS, EVENTS_BEGIN_MS + 2 * HOUR_MS // 5)
    with stocked(connection, (plain, salted), log_events(report.size.rows)):
        for period in (between(), fifth):
            merged, ranged = (
                partial(scanned, connection.table(table.name), table.key.plan(time_ms=period))
                for table in (salted, plain)
            )
            if (rows := merged()) != (wanted := ranged()):
                raise Unlike(f"{rows} rows merged, {wanted} of one range")
            report.compare(f"{rows:,} rows", merged, ranged, at_most=MERGED_AT_MOST)


def scanned(table: happybase.Table, plan: Plan) -> int:
    return sum(1 for _ in scan(table, plan))


def compare_loads(report: Comparisons, connection: happybase.Connection) -> None:
    """Events through the repository, and happybase's own batches of the same rows, encoded before or on the way."""
    report.title("loads, store_all / by hand", f"{'':8} calls")
    with stocked(connection, (LOGS.layout,)):
        table = connection.table(LOGS.layout.name)
        events = [
            attrs.evolve(event, time_ms=number // A_SECOND * 1000)
            for number, event in enumerate(log_events(report.size.loaded))
        ]
        encoded = [(event.time_ms, LOGS.layout.row(event), LOGS.layout.cells.pack(event)) for event in events]
        ours = partial(LogRepository(connection).store_all, events)
        for what, other in (
            ("batches of rows encoded before", partial(by_time, table, encoded)),
            ("batches of events encoded by hand", partial(NewestFirst(table).store_all, events)),
        ):
            calls, others = (calls_and_records(connection, side)[0] for side in (ours, other))
            if calls != others:
                raise Unlike(f"{calls} calls, by hand {others}")
            report.compare(what, ours, other, at_most=LOADED_AT_MOST, more=f"{calls:14}")


def by_time(table: happybase.Table, rows: Iterable[tuple[int, bytes, dict[bytes, bytes]]]) -> None:
    """Rows in batches of one timestamp each, with two cells a row."""
    for time_ms, rows_of_time in groupby(rows, key=lambda row: row[0]):
        with table.batch(timestamp=time_ms, batch_size=2 * BATCH) as batch:
            for _, row, cells in rows_of_time:
                batch.put(row, cells)


def compare_dated(report: Comparisons, connection: happybase.Connection, thrift2: Any) -> None:
    """Events with times of their own, and the same rows raw: encoded before, 1,000 in a call of Thrift2."""
    report.title("loads through Thrift2")
    with stocked(connection, (LOGS.layout,)):
        events = log_events(report.size.dated)
        rows = [
            (
                LOGS.layout.row(event),
                {(column, event.time_ms): value for column, value in LOGS.layout.cells.pack(event).items()},
            )
            for event in events
        ]
        name = connection.table(LOGS.layout.name).name
        batches = [thrift2_puts(batch) for batch in in_batches(rows)]
        raw = partial(send_all, partial(thrift2.putMultiple, name), batches)
        store_all = partial(LogRepository(connection).store_all, events)
        report.compare("events with times of their own, raw / ours", raw, store_all, at_least=DATED_AT_LEAST)


def send_all(send: Callable[[Any], object], batches: Sequence[Any]) -> None:
    for batch in batches:
        send(batch)


# ---- all of it ----------------------------------------------------------------------------------------


def main(quick: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, with few rows."""
    report = Comparisons(size=QUICK if quick else FULL)
    try:
        with named_or_started(java_options=()) as named:  # with Java's second compiler, as in earnest
            compare_all(report, named)
    except (NotStarted, Unlike) as error:
        sys.exit(str(error))
    report.end(quick)


def compare_all(report: Comparisons, named: NamedHBase) -> None:
    prefix = f"rowbook_bench_{secrets.token_hex(4)}"
    # Code by hand reads one range after the other: so does domain code beside it.
    with closing(connect(named.store_url(prefix))) as connection:
        shops, events = orders(report.size.rows), log_events(report.size.rows)
        compare_questions(report, connection, ORDERS_DESIGN, ORDERS_DESIGN.main, shops, orders_by_hand(connection))
        by_hand = NewestFirst(connection.table(LOGS.layout.name))
        compare_questions(report, connection, LOGS_DESIGN, LOGS_DESIGN.main, events, by_hand)
        compare_writes(report, connection)
    with closing(connect(f"hbase://{named.host}:{named.port}", table_prefix=prefix)) as connection:
        compare_loads(report, connection)  # through Thrift1, as by hand
    with closing(connect(named.url, table_prefix=prefix)) as connection:
        compare_merged(report, connection)
    if named.thrift2_port is None:
        print("\nloads through Thrift2: skipped, no thrift2_port was named")
        return
    with (
        closing(connect(named.url, table_prefix=prefix)) as connection,
        closing(make_client(idl().THBaseService, named.host, named.thrift2_port, timeout=120_000)) as thrift2,
    ):
        compare_dated(report, connection, thrift2)


if __name__ == "__main__":
    typer.run(main)
