"""Points stored and read by us and by a real OpenTSDB, in turns, on the same HBase.

Loads. A million points of 100 series, in the order of time across series. Ours start from records and end with the last
reply, after which all of them can be read. OpenTSDB's start from bytes that are ready to be sent, and end when the last
ten seconds of all series can be read from HBase; that all others can be read too is checked afterwards, outside of the
time. Every load is of a metric of its own, and OpenTSDB counts the points of both.

Questions. Days of a point every ten seconds, as Python lists of times and numbers; OpenTSDB's are read from its JSON.
Rows hold a cell for each point, or one compacted cell, as if HBase had dropped the deleted ones; OpenTSDB's own
compaction is off, so they stay so.

Imports. A file of the second load's lines, by `rowbook load` and by OpenTSDB's `import`; both with the start of their
process.

Every ratio is the median of the rounds, beside the two between which half of the rounds lie. The processor time is that
of this process, in which our client runs. `--record` writes the file from which the README has its figures.
"""

import gc
import http.client
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, TypeAlias

import attrs
import happybase
import typer
from Hbase_thrift import BatchMutation, Mutation

from domains import monitoring
from domains.tsdb import Point, TsdbRepository
from domains.tsdb.asking.query_text import parse_query
from domains.tsdb.asking.reading import ROWS_AT_ONCE
from domains.tsdb.changing.compaction import compacted
from domains.tsdb.formats import import_line
from domains.tsdb.keys import POINTS, TABLES
from domains.tsdb.records import SeriesPoint
from domains.tsdb.repository import POINTS_AT_ONCE
from domains.tsdb.shown.measured import SPEED
from domains.tsdb.storage.qualifiers import HOUR_MS, cell_of, cells_by_qualifier, column_of
from shared.queries.scanning import in_batches
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import CLOCK
from tests.programs.benchmarks.measuring import seconds
from tests.programs.benchmarks.turns import Turns, Unlike, in_turns
from tests.programs.hbase.configuration import HOST
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.server import running as running_hbase
from tests.programs.hbase.write_counts import version
from tests.programs.opentsdb.server import OpenTSDB, body_of, running, sent_by_telnet
from tests.programs.opentsdb.server import version as opentsdb_version

T = parse_time("2013-01-01T00:00")
DAY_MS, EVERY_MS = 24 * HOUR_MS, 10_000
BUSY_HOSTS = 20
PUT_SIZES = (50, 200, 1000, 2000)
"""Points in a call of `/api/put`; the best of them is taken."""
SHARE_OF_TRIAL = 10
"""A trial of a size has one of so many points of a load."""
LAST_TIMES = 10
"""When the points of the last so many times of a load can be read, it counts as visible."""
VISIBLE_WITHIN_S = 60
ROWBOOK = (sys.executable, "-m", "domains")
ATTEMPTS, SPLIT_S = 3, 5.0
"""Loads of the same points, and how long HBase may need to split a region in between."""


@attrs.frozen
class Amount:
    """The points of a load: as many of each series, all series at one time, then the next time."""

    series: int
    times: int
    every_ms: int

    @property
    def points(self) -> int:
        return self.series * self.times

    @property
    def end_ms(self) -> int:
        return T + self.times * self.every_ms

    @property
    def points_of_row(self) -> int:
        """About how many points of one call share a row."""
        return min(POINTS_AT_ONCE // self.series, HOUR_MS // self.every_ms)

    def share(self, part: int) -> "Amount":
        """One of `part` equal parts of the load, by its times."""
        return attrs.evolve(self, times=max(self.times // part, LAST_TIMES))


DENSE, SPARSE = Amount(100, 10_000, 1000), Amount(1_052, 288, 600_000)
"""A load whose calls have 100 points for each row, and one whose calls have six."""
ROUNDS, AT_LEAST_S = 5, 5.0
"""Rounds of each comparison; a question, which takes milliseconds, has as many as fit into so many seconds."""


class Throttled(Exception):
    """OpenTSDB refused points of a load, because it waits for a region that HBase splits or moves."""


Comparison: TypeAlias = dict[str, Any]
"""The times of one piece of work, ours and theirs. `ours_by_theirs` is the median ratio of the rounds; half of
the ratios lie between the two that `half` names."""


def comparison(
    work: str,
    form: str,
    theirs: str,
    turns: Turns,
    sides: tuple[int, int, int | None],
    cpu: "Cpu",
    amount: Amount | None = None,
) -> Comparison:
    """Two sides of some turns, and the third on the embedded store: our form, and what OpenTSDB does it with."""
    ours_ms, theirs_ms, embedded_ms = (None if side is None else turns.median_ms(side) for side in sides)
    one, other = sides[:2]
    return {
        "work": work,
        "form": form,
        "theirs": theirs,
        "ours_ms": ours_ms,
        "theirs_ms": theirs_ms,
        "embedded_ms": embedded_ms,
        "ours_by_theirs": turns.ratio(one, other),
        "half": turns.spread(one, other),
        "ours_cpu_ms": cpu.median_ms(),
        "points": amount.points if amount else 0,
        "points_of_row": amount.points_of_row if amount else 0,
    }


@attrs.define
class Cpu:
    """The processor time of each run of an action."""

    action: Callable[[], Any]
    clock_s: Callable[[], float] = time.process_time
    took_s: list[float] = attrs.field(factory=list)

    def __call__(self) -> Any:
        began_s = self.clock_s()
        answer = self.action()
        self.took_s.append(self.clock_s() - began_s)
        return answer

    def median_ms(self) -> float:
        return statistics.median(self.took_s) * 1000


# ---- loads ---------------------------------------------------------------------------------------


def host(number: int) -> str:
    """The value of the one tag of a series."""
    return f"h{number:03}"


def points_by_time(metric: str, amount: Amount) -> Iterator[list[Point]]:
    """The points of all series at each time; ints of two bytes."""
    dice = random.Random(metric)
    tags = [{"host": host(number)} for number in range(amount.series)]
    for time_ms in range(T, amount.end_ms, amount.every_ms):
        yield [Point(metric, time_ms, dice.randrange(256, 32_768), of_one) for of_one in tags]


def points_of(metric: str, amount: Amount) -> list[Point]:
    return [point for points in points_by_time(metric, amount) for point in points]


Prepared = Callable[[str, Amount], Callable[[], None]]
"""Makes what a load of a metric, and of so many points, needs; returns the load."""


def gathered(repository: TsdbRepository, metric: str, amount: Amount) -> Callable[[], None]:
    """The cells of a row in one mutation: `store_all`."""
    return partial(repository.store_all, points_of(metric, amount))


def single(repository: TsdbRepository, metric: str, amount: Amount) -> Callable[[], None]:
    """A mutation for each cell, 10,000 in a call, by hand."""
    points = points_of(metric, amount)

    @cache
    def row_of(metric: str, tags: tuple[tuple[str, str], ...], hour: int) -> bytes:
        metric_uid, tag_uids = repository.uids.assign(metric, dict(tags))
        return POINTS.row(SeriesPoint(metric_uid, hour * HOUR_MS, tag_uids, 0))

    def load() -> None:
        rows = repository._points.rows
        for batch in in_batches(points, POINTS_AT_ONCE):
            mutations: list[BatchMutation] = []
            for point in batch:
                column, number = cell_of(point.time_ms, point.value)
                mutation = Mutation(isDelete=False, column=column, value=number, writeToWAL=True)
                row = row_of(point.metric, point.tags, point.time_ms // HOUR_MS)
                mutations.append(BatchMutation(row, [mutation]))
            rows.connection.client.mutateRowsTs(rows.name, mutations, CLOCK.read_ms(), {})

    return load


def in_memory(metric: str, amount: Amount) -> Callable[[], None]:
    """`gathered` on an embedded store in memory."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    return gathered(TsdbRepository(connection), metric, amount)


@attrs.frozen
class Writer:
    """Loads through OpenTSDB, until what it stored can be read from HBase."""

    opentsdb: OpenTSDB
    connection: happybase.Connection

    def put(self, size: int, metric: str, amount: Amount) -> Callable[[], None]:
        """`/api/put`, so many points in a call, over one connection."""
        bodies = [body_of(points, unit_ms=1000) for points in in_batches(points_of(metric, amount), size)]

        def load() -> None:
            with closing(http.client.HTTPConnection(HOST, self.opentsdb.port, timeout=60)) as connection:
                for body in bodies:
                    connection.request("POST", "/api/put", body, {"Content-Type": "application/json"})
                    reply = connection.getresponse()
                    answer = reply.read()
                    if reply.status != 204:
                        raise Throttled(f"/api/put: {reply.status} {answer[:200]!r}")
            self._wait(metric, amount)

        return load

    def telnet(self, metric: str, amount: Amount) -> Callable[[], None]:
        """The lines of its telnet interface, over one connection."""
        sent = sent_by_telnet(map(import_line, points_of(metric, amount)))

        def load() -> None:
            answer = self.opentsdb.answer_by_telnet(sent)
            if b"put:" in answer:
                raise Throttled(f"telnet: {answer[:200]!r}")
            self._wait(metric, amount)

        return load

    def _wait(self, metric: str, amount: Amount) -> None:
        """Returns when the points of the last seconds can be read."""
        latest_s = time.monotonic() + VISIBLE_WITHIN_S
        uids = TsdbRepository(self.connection).uids
        columns: dict[bytes, set[bytes]] = {}
        for points in list(points_by_time(metric, amount))[-LAST_TIMES:]:
            for point in points:
                metric_uid, tag_uids = uids.assign(point.metric, dict(point.tags))
                row = POINTS.row(SeriesPoint(metric_uid, point.time_ms, tag_uids, point.value))
                columns.setdefault(row, set()).add(cell_of(point.time_ms, point.value)[0])
        rows = self.connection.table(POINTS.name)
        of_all = sorted(set().union(*columns.values()))
        wanted = sum(map(len, columns.values()))
        while sum(len(cells) for _, cells in rows.rows(list(columns), of_all)) < wanted:
            if time.monotonic() > latest_s:
                raise Unlike(f"{metric}: the last points cannot be read after {VISIBLE_WITHIN_S} s")
            time.sleep(0.01)

    def check(self, metric: str, amount: Amount) -> None:
        """Raises Unlike unless OpenTSDB finds all points of a load, whoever stored them."""
        ((_, found),) = self.opentsdb.query(f"sum:0all-count:{metric}", T, amount.end_ms)[0]["dps"]
        if found != amount.points:
            raise Unlike(f"{metric}: {found:,.0f} of {amount.points:,} points")


def loads(
    connection: happybase.Connection, opentsdb: OpenTSDB, name: str, amount: Amount
) -> tuple[Turns, int, dict[str, Cpu]]:
    """Our two loads, `/api/put` in its best size, telnet, and ours on the embedded store; that size; times of ours."""
    writer, repository = Writer(opentsdb, connection), TsdbRepository(connection)
    trial_amount = amount.share(SHARE_OF_TRIAL)
    ours = {"gathered": partial(gathered, repository), "single": partial(single, repository)}
    for side_name, side in {**ours, "telnet": writer.telnet}.items():
        side(f"{name}.warm.{side_name}", trial_amount)()  # Java warms up
    trials = {(put_size, trial): 0.0 for trial in range(2) for put_size in PUT_SIZES}
    for put_size, trial in trials:
        trials[put_size, trial] = load_s(
            partial(writer.put, put_size), f"{name}.trial.{put_size}.{trial}", trial_amount
        )
    best = min(PUT_SIZES, key=lambda put_size: trials[put_size, 1])
    sides: dict[str, Prepared] = {
        **ours,
        "put": partial(writer.put, best),
        "telnet": writer.telnet,
        "embedded": in_memory,
    }
    took_s: dict[str, list[float]] = {side: [] for side in sides}
    cpu = {side: Cpu(lambda: None) for side in ours}
    order = list(sides)
    for number in range(ROUNDS):
        for side in order:
            metric = f"{name}.{side}.{number}"
            took_s[side].append(load_s(sides[side], metric, amount, cpu.get(side)))
            if side != "embedded":
                writer.check(metric, amount)
            print(f"  {side:9} {amount.points / took_s[side][-1]:9,.0f} points/s", flush=True)
        order.append(order.pop(0))
    return Turns(tuple(took_s[side] for side in sides)), best, cpu


def load_s(side: Prepared, metric: str, amount: Amount, cpu: Cpu | None = None) -> float:
    """The seconds of a load; one that OpenTSDB refuses in part is done again with the same points."""
    load = side(metric, amount)
    if cpu is not None:
        cpu.action = load
        load = cpu
    gc.collect()
    gc.freeze()  # a million records that nothing will free: collections leave them out
    try:
        for _ in range(ATTEMPTS):
            try:
                return seconds(load)
            except Throttled as error:
                print(f"  again: {str(error)[:100]}", flush=True)
                time.sleep(SPLIT_S)
        raise Unlike(f"{metric}: OpenTSDB refused points of {ATTEMPTS} loads")
    finally:
        gc.unfreeze()


def compare_loads(
    name: str, amount: Amount, connection: happybase.Connection, opentsdb: OpenTSDB
) -> Iterator[Comparison]:
    """A load whose metrics begin with this name."""
    turns, best, cpu = loads(connection, opentsdb, name, amount)
    work = f"{amount.points:,} points of {amount.series:,} series in the order of time"
    forms = {"gathered": "the cells of a row in one mutation", "single": "a mutation for each cell"}
    for side, (own, form) in enumerate(forms.items()):
        for other, theirs in ((2, f"`/api/put`, {best} points a call"), (3, "telnet")):
            sides = side, other, 4 if side == 0 else None
            yield comparison(work, form, theirs, turns, sides, cpu[own], amount)


# ---- imports -------------------------------------------------------------------------------------


def compare_imports(connection: happybase.Connection, opentsdb: OpenTSDB) -> Iterator[Comparison]:
    """A file of import lines, by `rowbook load` and by OpenTSDB's own command."""
    writer, amount = Writer(opentsdb, connection), SPARSE
    cpu = Cpu(lambda: None, clock_s=children_s)
    url = f"hbase://{connection.host}:{connection.port}"
    took_s: dict[str, list[float]] = {"ours": [], "theirs": []}
    for number in range(ROUNDS):
        for side, some in took_s.items():
            metric = f"import.{side}.{number}"
            file = opentsdb.folder / f"{metric}.txt"
            file.write_text("".join(f"{import_line(point)}\n" for point in points_of(metric, amount)))
            TsdbRepository(connection).uids.metrics.assign(metric)  # OpenTSDB's command wants to find it
            command = [*ROWBOOK, "load", "tsdb", str(file), "--format", "opentsdb", "--store", url]
            cpu.action = partial(subprocess.run, command, check=True, capture_output=True)
            action = cpu if side == "ours" else partial(opentsdb.run_tool, "TextImporter", str(file))
            some.append(seconds(action))
            while True:  # OpenTSDB's command says nothing of points that it lost while a region was busy
                try:
                    writer.check(metric, amount)
                    break
                except Unlike as error:
                    if side == "ours":
                        raise
                    print(f"  again: {error}", flush=True)
                    some[-1] = seconds(action)
            print(f"  {side:9} {amount.points / some[-1]:9,.0f} points/s", flush=True)
    work = f"a file of {amount.points:,} points of {amount.series:,} series"
    turns = Turns(tuple(map(tuple, took_s.values())))
    yield comparison(work, "`rowbook load`", "`tsdb import`", turns, (0, 1, None), cpu, amount)


def children_s() -> float:
    """The processor time of the processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ---- questions -----------------------------------------------------------------------------------


def compare_questions(connection: happybase.Connection, opentsdb: OpenTSDB) -> Iterator[Comparison]:
    """Days of one series and of twenty, compacted and not."""
    with closing(connect("embedded:")) as memory:
        create_tables(memory, TABLES)
        for store in (connection, memory):
            create_tables(store, monitoring.TABLES)
        for hosts in (1, BUSY_HOSTS):
            single, whole = f"day.single.{hosts}", f"day.compacted.{hosts}"
            dice = random.Random(single)
            points = [
                Point(single, T + offset_ms, dice.randrange(256, 32_768), {"host": host(number)})
                for offset_ms in range(0, DAY_MS, EVERY_MS)
                for number in range(hosts)
            ]
            for store in (connection, memory):
                TsdbRepository(store).store_all(points)
                put_compacted(store, single, whole)
                if hosts == 1:
                    in_monitoring(store, points)
            for form, metric in (("compacted rows", whole), ("single cells", single)):
                questions = {f"none:{metric}": f"one series-day, {len(points):,} points"}
                if hosts > 1:
                    questions = {
                        f"sum:{metric}{{host=*}}": f"{hosts} series-days summed by host",
                        f"sum:{metric}": f"{hosts} series-days summed into one",
                        f"sum:1h-avg:{metric}{{host=*}}": f"{hosts} series-days by host, averages of an hour",
                    }
                for m, what in questions.items():
                    sides = [partial(answered, TsdbRepository(store), m) for store in (connection, memory)]
                    yield compared(what, form, sides, m, opentsdb)
            if hosts == 1:
                what = f"one series-day, {len(points):,} points"
                sides = [partial(answered_by_monitoring, store, single) for store in (connection, memory)]
                yield compared(what, "`monitoring`, a cell for each point", sides, f"none:{single}", opentsdb)


def in_monitoring(connection: happybase.Connection, points: Sequence[Point]) -> None:
    """Stores the points in the wide rows of `monitoring`."""
    repository = monitoring.PointRepository(connection)
    for batch in in_batches(points):
        repository.store_all(
            monitoring.Point(dict(point.tags)["host"], point.metric, point.time_ms, float(point.value))
            for point in batch
        )


def answered_by_monitoring(connection: happybase.Connection, metric: str) -> dict[str, list[tuple[int, float]]]:
    """The points of the host that alone has this metric."""
    found = monitoring.PointRepository(connection).of_metric(host(0), metric, T, T + DAY_MS)
    return {host(0): [(point.time_ms, point.value) for point in found]}


def put_compacted(connection: happybase.Connection, source: str, metric: str) -> None:
    """Puts what compaction would make of the rows of a metric into rows of another metric."""
    uids, rows = TsdbRepository(connection).uids.metrics, connection.table(POINTS.name)
    metric_uid = uids.assign(metric)
    (range_,) = POINTS.plan(metric_uid=uids.id_of(source)).ranges
    with rows.batch() as batch:
        for row, cells in rows.scan(range_.start, range_.stop, include_timestamp=True, batch_size=ROWS_AT_ONCE):
            cell = compacted(cells_by_qualifier(cells))
            if cell is None:
                raise Unlike(f"{source}: a row that has nothing to compact: {row.hex(' ')}")
            key = attrs.evolve(POINTS.key.decode(row), metric_uid=metric_uid)
            batch.put(POINTS.key.encode(key), {column_of(cell.qualifier): cell.value})


Side: TypeAlias = Callable[[], dict[str, list[tuple[int, float]]]]
"""Answers a question: times and numbers by host."""


def compared(work: str, form: str, sides: Sequence[Side], m: str, opentsdb: OpenTSDB) -> Comparison:
    """One question, answered by ours on HBase and on the embedded store, and by OpenTSDB.

    Raises Unlike if the answers differ.
    """
    ours, embedded = sides
    with closing(http.client.HTTPConnection(HOST, opentsdb.port, timeout=60)) as http_connection:
        theirs = partial(asked, opentsdb, http_connection, m)
        answer, other = (
            {tags: [(time_ms, float(number)) for time_ms, number in points] for tags, points in side().items()}
            for side in (ours, theirs)
        )
        if answer != other or embedded().keys() != other.keys():
            raise Unlike(f"{m}: {str(answer)[:200]}, OpenTSDB {str(other)[:200]}")
        cpu = Cpu(ours)
        turns = in_turns(cpu, theirs, embedded, rounds=ROUNDS, at_least_s=AT_LEAST_S)
    return comparison(work, form, "`/api/query`", turns, (0, 1, 2), cpu)


def answered(repository: TsdbRepository, m: str) -> dict[str, list[tuple[int, float]]]:
    """Our answer: times and numbers by host."""
    series = repository.ask(parse_query(m), T, T + DAY_MS)
    return {one.tags.get("host", ""): one.values.points() for one in series}


def asked(opentsdb: OpenTSDB, connection: http.client.HTTPConnection, m: str) -> dict[str, list[tuple[int, float]]]:
    """OpenTSDB's answer, over a connection that stays open."""
    connection.request("GET", opentsdb.query_path(m, T, T + DAY_MS))
    answers: list[dict[str, Any]] = json.loads(connection.getresponse().read())
    return {answer["tags"].get("host", ""): answer["dps"] for answer in answers}


# ---- all of it -----------------------------------------------------------------------------------


PARTS: dict[str, Callable[[happybase.Connection, OpenTSDB], Iterator[Comparison]]] = {
    "questions": compare_questions,
    "loads": partial(compare_loads, "dense", DENSE),
    "sparse": partial(compare_loads, "sparse", SPARSE),
    "imports": compare_imports,
}


def main(record: bool = False, only: str = "") -> None:
    """Prints the figures of one part or of all; if they are recorded, those of the others stay as they are."""
    parts = [only] if only else [*PARTS]
    if not PARTS.keys() >= {*parts}:
        sys.exit(f"only: must be one of {', '.join(PARTS)} (got {only!r})")
    try:
        compare(parts, record)
    except (NotStarted, Unlike) as error:
        sys.exit(str(error))


def compare(parts: Sequence[str], record: bool) -> None:
    with running_hbase(region_servers=1) as hbase, closing(connect(hbase.url)) as connection:
        create_tables(connection, TABLES)
        with running(hbase.ports.zookeeper) as opentsdb:
            versions = {"opentsdb": opentsdb_version(), "hbase": version(hbase.info_url), "cores": os.cpu_count()}
            for part in parts:
                measured: list[Comparison] = []
                for one in PARTS[part](connection, opentsdb):
                    print(json.dumps(one), flush=True)
                    measured.append(one)
                if record:
                    recorded = json.loads(SPEED.read_text(encoding="utf-8")) if SPEED.exists() else {}
                    dates = recorded.get("dates", {}) | {part: datetime.now(UTC).date().isoformat()}
                    recorded |= versions | {"rounds": ROUNDS, "dates": dates, part: measured}
                    SPEED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
