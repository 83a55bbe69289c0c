"""Random questions, answered by us and by a real OpenTSDB from the same tables.

SEED=1 COUNT=3000. The tables are of three kinds: OpenTSDB's defaults; with a salt; with other widths of UIDs and a
salt. OpenTSDB makes all UIDs of the last two, and in each kind a part of the points is put by HTTP, by telnet and by
us, and a part of the hours is compacted. So they hold seconds, milliseconds, floats of four and eight bytes, single
and compacted cells.

An answer may differ only as `domains/tsdb/shown/differences.py` lists it. A question that differs otherwise is printed,
and the program ends with 1.
"""

import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import product
from typing import TypeAlias

import attrs
import happybase
import typer

from domains.tsdb import TABLES, Point, TsdbRepository, Widths, data_table, uid_tables
from domains.tsdb.asking.aggregation import AGGREGATORS
from domains.tsdb.asking.downsampling import DOWNSAMPLERS
from domains.tsdb.asking.query_text import NONE, SubQuery, parse_query
from domains.tsdb.asking.selecting import Selection
from domains.tsdb.asking.series import Series
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.formats import import_line
from domains.tsdb.keys import SeriesTables
from domains.tsdb.storage.codecs import SeriesSalt
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock, server_clock
from tests.programs.hbase.java import FOR_MINUTES, NotStarted
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import OpenTSDB, Refused, running

T = parse_time("2013-01-01T00:00")
HOUR_MS = 3_600_000
HOURS = 3
CLOSE = 1e-12
"""The largest relative difference of floats: Java and C round a square root or a quotient of large ints differently."""

Numbers: TypeAlias = Sequence[tuple[int, int | float]]
Answered: TypeAlias = list[tuple[tuple[tuple[str, str], ...], tuple[str, ...], Numbers]]
"""Tags, aggregated tags and points of each group."""


# ---- tables --------------------------------------------------------------------------------------


@attrs.frozen
class Kind:
    """Tables of one kind, and OpenTSDB's options for them."""

    name: str
    tables: SeriesTables
    widths: Widths
    options: Mapping[str, object]


def kind(name: str, widths: Widths, salt: SeriesSalt | None) -> Kind:
    """Tables of a kind; `name` is in the names of both tables."""
    uids, names = uid_tables(f"{name}-uid")
    options: dict[str, object] = {
        f"tsd.storage.uid.width.{of}": width
        for of, width in (("metric", widths.metrics), ("tagk", widths.tagk), ("tagv", widths.tagv))
    }
    if salt is not None:
        options |= {"tsd.storage.salt.width": salt.width, "tsd.storage.salt.buckets": salt.buckets}
    tables = TABLES._replace(points=data_table(name, widths, salt), uids=uids, names=names)
    return Kind(name, tables, widths, options)


KINDS = (
    kind("plain", Widths(), None),
    kind("salted", Widths(), SeriesSalt(1, 20)),
    kind("wide", Widths(2, 3, 4), SeriesSalt(2, 7)),
)
METRICS = {
    "ints": ("int",),
    "floats": ("float",),
    "mixed": ("int", "float"),
    "totals": ("total",),
    "huge": ("huge",),
    "fractions": ("int", "fraction"),
    "vast": ("fraction", "fraction", "fraction", "vast"),
    "put": ("int",),
}
SERIES = (
    {"host": "a", "dc": "lga"},
    {"host": "b", "dc": "sjc", "rack": "r1"},
    {"host": "Web-C", "dc": "lga", "rack": "r2"},
    {"host": "web-d", "dc": "SJC"},
    {"host": "e", "rack": "r1"},
    {"host": "f"},
    {"dc": "lga", "rack": "r2"},
    {"host": "stra\u00dfe", "dc": "lga"},
    {"host": "a", "dc": "sjc"},
    {"host": "b", "dc": "lga"},
    {"host": "b", "dc": "sjc"},
)


def generated(metric: str) -> list[Point]:
    """Points of all series over three hours, at different times, with gaps; some end early or begin late."""
    dice = random.Random(metric)
    points: list[Point] = []
    for tags in SERIES:
        step_ms = dice.choice((30_000, 45_000, 60_000, 7_500, 300_000))
        first_ms = dice.choice((0, dice.randrange(5) * 1000, HOUR_MS + 250, 2 * HOUR_MS))
        end_ms = dice.choice((HOURS * HOUR_MS, HOURS * HOUR_MS, HOUR_MS, HOUR_MS + 1))
        total = 0
        for offset_ms in range(first_ms, max(end_ms, first_ms + step_ms), step_ms):
            if dice.random() < 0.1:
                continue
            total += dice.randrange(1000)
            numbers: dict[str, int | float] = {
                "int": dice.randrange(-500, 70_000),
                "float": dice.random() * 100,
                "total": total % 20_000,
                "huge": dice.choice((2**62, -(2**62), 2**63 - 1, -(2**63), 2**53 + 1, 1, -1)),
                "fraction": dice.randrange(-40, 40) / 4,
                "vast": dice.choice((1.5e308, -1.5e308, 1e308, -1e308)),
            }
            points.append(Point(metric, T + offset_ms, numbers[dice.choice(METRICS[metric])], tags))
    return points


def fill(one: Kind, connection: happybase.Connection, opentsdb: OpenTSDB) -> TsdbRepository:
    """Puts the points of all metrics by all three ways; the first hour of half of the metrics is compacted."""
    for metric in METRICS:
        points = generated(metric)
        opentsdb.put(points[::3])
        opentsdb.put_lines(map(import_line, points[1::3]))
    repository = TsdbRepository(connection, one.tables, widths=one.widths)
    for number, metric in enumerate(METRICS):
        points = generated(metric)
        repository.store_all(points[2::3])
        _wait_until_all_are_there(repository, metric, len(points))
        if number % 2:
            later = TsdbRepository(connection, one.tables, widths=one.widths, clock=LaterClock())
            later.compact(metric, T, T + HOUR_MS)
    return repository


def _wait_until_all_are_there(repository: TsdbRepository, metric: str, count: int) -> None:
    latest_s = time.monotonic() + 60
    while (found := sum(len(series.values) for series in repository.read(metric))) < count:
        if time.monotonic() > latest_s:
            raise AssertionError(f"{metric}: {found} of {count} points")
        time.sleep(0.1)


class LaterClock(WriterClock):
    """A clock for which all cells are old enough to be compacted."""

    def read_ms(self) -> int:
        return super().read_ms() + 2 * QUIET_MS


@contextmanager
def filled(zookeeper_port: int, connection: happybase.Connection, kinds: Sequence[Kind]) -> Iterator[list["Side"]]:
    """Each kind with points, and an OpenTSDB for it, while the block runs."""
    with ExitStack() as servers:
        sides: list[Side] = []
        for one in kinds:
            create_tables(connection, one.tables)
            names = {"data": one.tables.points.name, "uid": one.tables.uids.name}
            opentsdb = servers.enter_context(running(zookeeper_port, one.options, names))
            sides.append(Side(one, fill(one, connection, opentsdb), opentsdb))
        yield sides


# ---- questions -----------------------------------------------------------------------------------

BY = (*DOWNSAMPLERS, "zimsum", "mimmax")
"""Functions of downsampling; the last two are other names of `sum` and `max`."""
EVERY = (
    *("500ms", "10s", "30s", "1m", "1h", "2h", "1d", "1n", "1hc", "1dc", "1wc", "2wc", "1nc", "1yc"),
    *(UNEVEN := ("13s", "7m", "13m", "90m", "7mc", "13mc")),
)
"""Intervals. Those of `UNEVEN` do not divide an hour, so one is under way when the hours that are read begin."""
FILTERS = (
    "",
    "",
    "{host=*}",
    "{dc=*}",
    "{host=*,rack=*}",
    "{host=a|b|f}",
    "{host=a|b,dc=lga|sjc}",
    "{dc=not_literal_or(lga)}",
    "{}{rack=not_literal_or(r1)}",
    "{host=*}{rack=not_literal_or(r2)}",
    "{dc=not_iliteral_or(SJC)}",
    "{dc=iliteral_or(sjc|LGA)}",
    "{host=iliteral_or(STRASSE)}",
    "{host=iliteral_or(STRA\u00dfE)}",
    "{host=web*}",
    "{host=wildcard(web*)}",
    "{host=wildcard(*b-*)}",
    "{host=iwildcard(W*-*)}",
    "{host=wildcard(e*b)}",
    "{host=wildcard(*-*d)}",
    "{host=regexp([a-c])}",
    "{}{host=regexp(^(a|b)$)}",
    "{}{dc=lga}",
    "{host=literal_or(a)}{host=literal_or(b)}",
    "{}{dc=lga,dc=sjc}",
    "{}{host=a|b,host=regexp(b)}",
    "{dc=lga,rack=*}{host=*}",
    "{host=WILDCARD(*)}",
    "{host=WildCard(web*)}",
    "{host=IWILDCARD(W*-*)}",
    "{}{host=REGEXP(^[a-c]$)}",
    r"{host=Regexp(^\w+$)}",
    "{dc=NOT_LITERAL_OR(lga)}",
    "{}{dc=Not_Iliteral_Or(SJC|)}",
    "{dc=ILITERAL_OR(sjc|LGA)}",
    "{host=Literal_Or(a|f)}",
    "{host=a|}",
    "{host=a|b||}{dc=*}",
    "{}{host=||}",
    "{}{host=b|a,dc=sjc|lga}",
    "{host=a|b|e}{dc=lga|sjc}",
    "{host=nobody}",
    "{host=a|nobody}",
    "{planet=earth}",
    "{}{dc=not_literal_or(nowhere)}",
    "{}{planet=not_literal_or(earth)}",
)


def question(dice: random.Random) -> tuple[str, int, int]:
    """A random question and its period."""
    steps: list[str] = []
    if dice.random() < 0.5:
        steps.append(
            f"{dice.choice(EVERY)}-{dice.choice(BY)}{dice.choice(('', '', '-nan', '-zero', '-none', '-null'))}"
        )
    if dice.random() < 0.35:
        steps.append(
            dice.choice(
                (
                    *("rate", "rate{counter}", "rate{counter,20000}", "rate{counter,20000,50}", "rate{counter,,50}"),
                    *("rate{dropcounter}", "rate{dropcounter}", "rate{dropcounter,20000,50}"),
                )
            )
        )
    if dice.random() < 0.1:
        steps = [f"{dice.choice(UNEVEN)}-{dice.choice(BY)}-{dice.choice(('nan', 'zero'))}", "rate{dropcounter}"]
    if dice.random() < 0.15:
        steps.append("explicit_tags")
    dice.shuffle(steps)
    metric = dice.choice([*METRICS, *METRICS, "nothing"])
    m = ":".join([dice.choice([*AGGREGATORS, NONE]), *steps, metric + dice.choice(FILTERS)])
    since_ms = T + dice.choice((0, HOUR_MS, dice.randrange(HOURS * HOUR_MS), dice.randrange(HOURS * 3600) * 1000))
    hours = [T + hour * HOUR_MS + off_ms for hour in range(1, HOURS + 1) for off_ms in (0, 0, 0, -1, -500, -1000, 1)]
    until_ms = dice.choice([time_ms for time_ms in hours if time_ms > since_ms] or [since_ms + 1])
    if dice.random() < 0.3:
        until_ms = since_ms + dice.randrange(1, 2 * HOUR_MS)
    return m, since_ms, until_ms


@attrs.frozen
class Side:
    """Tables of one kind with points, and both programs that answer from them."""

    kind: Kind
    repository: TsdbRepository
    opentsdb: OpenTSDB

    def ours(self, m: str, since_ms: int, until_ms: int, repository: TsdbRepository | None = None) -> Answered:
        """Our answer."""
        return [
            (tuple(sorted(one.tags.items())), tuple(sorted(one.aggregated_tags)), one.values.points())
            for one in (repository or self.repository).ask(parse_query(m), since_ms, until_ms)
        ]

    def theirs(self, m: str, since_ms: int, until_ms: int) -> Answered:
        """Its answer, without groups that have no points. Raises Refused."""
        return [
            (
                tuple(sorted(answer["tags"].items())),
                tuple(sorted(answer["aggregateTags"])),
                [(time_ms, math.nan if number in ("NaN", None) else number) for time_ms, number in answer["dps"]],
            )
            for answer in self.opentsdb.query(m, since_ms, until_ms)
            if answer["dps"]
        ]

    def difference(self, m: str, since_ms: int, until_ms: int) -> tuple[str, str]:
        """The name of a listed difference, or `other`, and what differs; two empty texts if the answers are equal."""
        ours = self.ours(m, since_ms, until_ms)
        sub_query = parse_query(m)
        try:
            theirs = self.theirs(m, since_ms, until_ms)
        except Refused as error:
            text = str(error)
            if "No such name" in text and self.repository.unknown_names(sub_query):
                return "unknown", text
            if "must be greater than the start time" in text and until_ms - since_ms <= 1:
                return "moment", text
            if "Got Infinity" in text:
                read = [self.ours(m, since_ms, until_ms, as_read) for _, as_read in self._listed(sub_query)]
                if any(math.isinf(number) for one in [ours, *read] for *_, points in one for _, number in points):
                    return "infinite", text
            return "other", f"refused: {text[:300]}"
        theirs = sorted(theirs, key=str)
        what = _unlike(sorted(ours, key=str), theirs)
        if not what:
            return "", ""
        for name, as_read in self._listed(sub_query):
            if not _unlike(sorted(self.ours(m, since_ms, until_ms, as_read), key=str), theirs):
                return name, what
        return "other", what

    def _listed(self, sub_query: SubQuery) -> Iterator[tuple[str, "AsOpenTSDB"]]:
        """The listed differences that a question may have, each with a repository that answers as OpenTSDB does."""
        if self.kind.tables.points.key.prefix_bytes:
            yield "salt", AsOpenTSDB(self.repository, self.kind)
        values: dict[str, list[str]] = {}
        for one in sub_query.filters if sub_query.explicit_tags else ():
            values.setdefault(one.tag, []).extend(one.literals or ())
        several = [[(tag, text) for text in texts] for tag, texts in values.items() if len(texts) > 1]
        for firsts in product(*several) if len(several) > 1 else ():
            yield "explicit", AsOpenTSDB(self.repository, self.kind, firsts)


class AsOpenTSDB(TsdbRepository):
    """Answers from the series that OpenTSDB reads, in the order of their rows, in which it adds them.

    `firsts` has a value for each of several tags: OpenTSDB, with `explicit_tags`, reads a series only if at most one of
    these tags has another value.
    """

    def __init__(self, repository: TsdbRepository, kind: Kind, firsts: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(repository._points.rows.connection, kind.tables, widths=kind.widths)
        self._firsts = firsts

    def _read(self, selection: Selection | None, since_ms: int, until_ms: int) -> list[Series]:
        series = [
            one
            for one in super()._read(selection, since_ms, until_ms)
            if sum(one.tags[tag] != first for tag, first in self._firsts) < 2
        ]
        return [attrs.evolve(one, tsuids=(f"{place:09}",)) for place, one in enumerate(series)]


def _unlike(ours: Answered, theirs: Answered) -> str:
    """How two answers differ; empty if they do not."""
    if [one[0] for one in ours] != [one[0] for one in theirs]:
        return f"groups: {[one[0] for one in ours]} {[one[0] for one in theirs]}"
    for (tags, aggregated, our_points), (_, their_aggregated, their_points) in zip(ours, theirs, strict=True):
        if aggregated != their_aggregated:
            return f"{tags}: aggregated tags: {aggregated} {their_aggregated}"
        if [time_ms for time_ms, _ in our_points] != [time_ms for time_ms, _ in their_points]:
            times, their_times = ({time_ms - T for time_ms, _ in points} for points in (our_points, their_points))
            only = f"only ours {sorted(times - their_times)[:5]}, only theirs {sorted(their_times - times)[:5]}"
            return f"{tags}: times: {only}"
        for (time_ms, number), (_, their_number) in zip(our_points, their_points, strict=True):
            if not is_equal(number, their_number):
                return f"{tags}: at {time_ms - T}: {number} {their_number}"
    return ""


def is_equal(ours: float, theirs: float) -> bool:
    """Whether two numbers are equal; an int of a single series is a float in its answer if the next point is one."""
    if type(ours) is int:
        return ours == theirs if type(theirs) is int else float(ours) == theirs
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return type(theirs) is float and math.isclose(ours, theirs, rel_tol=CLOSE, abs_tol=1e-9)


def compare(sides: Sequence[Side], seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """How many of so many random questions differ, by the name of the difference; and those that no page lists."""
    dice = random.Random(seed)
    found: Counter[str] = Counter()
    others: list[str] = []
    for _ in range(count):
        side, asked = dice.choice(sides), question(dice)
        name, what = side.difference(*asked)
        if name == "other":  # now and then it leaves out a series whose names it has not read yet
            name, what = side.difference(*asked)
        found[name or "equal"] += 1
        if name == "other":
            others.append(f"{side.kind.name}: {asked[0]} {asked[1] - T}..{asked[2] - T}: {what}")
    return found, others


def main(seed: int = 1, count: int = 3000) -> None:
    """Asks random questions of both, and prints how many of their answers differ."""
    server_clock.MAX_SKEW_MS = 3 * QUIET_MS
    try:
        with (
            running_hbase(region_servers=1, java_options=FOR_MINUTES) as hbase,
            closing(connect(hbase.url)) as connection,
            filled(hbase.ports.zookeeper, connection, KINDS) as sides,
        ):
            found, others = compare(sides, seed, count)
    except NotStarted as error:
        sys.exit(str(error))
    for line in others[:200]:
        print(line)
    print(f"{count} questions, seed {seed}: " + ", ".join(f"{number} {name}" for name, number in found.most_common()))
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    typer.run(main)
