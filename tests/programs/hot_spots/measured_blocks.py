"""Blocks of a design's reference that are measured on a real HBase, and written only if a prediction agrees.

A prediction is what the keys and the split points of a table give: how many of its rows each region takes. So a test
compares the page with it on machines without an HBase.
"""

import re
import secrets
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import happybase

from shared.designs.comparison import quantiles
from shared.keys import Splits
from shared.stores import StoreError, connect
from shared.tables import TableLayout, create_tables, drop_tables
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import INFO_VARIABLE, NamedHBase, named_or_started
from tests.programs.hbase.write_counts import NotCounted, rows_written, version

Tables: TypeAlias = tuple[TableLayout[Any, Any], ...]
Stage: TypeAlias = Callable[[happybase.Connection], None]
"""Stores some records in a store that has the tables."""


@attrs.frozen
class Spread:
    """How many of the writes each region of a table took, stage by stage."""

    variant: str
    table: str
    cut: str
    stages: tuple[tuple[int, ...], ...]

    @property
    def regions(self) -> tuple[int, ...]:
        """The writes of each region in all stages."""
        return tuple(map(sum, zip(*self.stages, strict=True)))


@attrs.frozen(slots=False, eq=False)
class Load:
    """What is stored, and the tables whose regions are counted.

    These are cut at their buckets or shards, and otherwise into equal parts of the rows that are stored `before`, as
    HBase would have cut them by then.
    """

    tables: Tables
    variants: Mapping[str, str]
    """The variant of each table that is counted, by the table's name."""
    before: Sequence[Stage]
    stages: Sequence[Stage]
    regions: int
    parts: str
    """What equal parts are called."""

    @cached_property
    def counted(self) -> Tables:
        """The tables that are counted, each cut into regions."""
        rows = [self._rows[stage] for stage in self.before]
        return tuple(self._cut(table, rows) for table in self.tables if table.name in self.variants)

    def _cut(
        self, table: TableLayout[Any, Any], rows: Sequence[Mapping[str, Sequence[bytes]]]
    ) -> TableLayout[Any, Any]:
        points, reason = table.splits.points, "shards" if "shard" in table.name else "buckets"
        if not points:
            before = sorted(row for stage in rows for row in stage[table.name])
            points, reason = tuple(quantiles(before, self.regions)), self.parts
        return attrs.evolve(table, splits=Splits(points, reason))

    @cached_property
    def _rows(self) -> Mapping[Stage, Mapping[str, list[bytes]]]:
        """The row of every write that each stage makes, by table."""
        rows: dict[Stage, Mapping[str, list[bytes]]] = {}
        with closing(connect("embedded:")) as connection:
            create_tables(connection, self.tables)
            client = connection.client
            for stage in dict.fromkeys([*self.before, *self.stages]):
                connection.client = _Recorder(client)
                stage(connection)
                rows[stage] = connection.client.rows
        return rows

    @cached_property
    def predicted(self) -> list[Spread]:
        """What the keys and the split points give."""
        rows = [self._rows[stage] for stage in self.stages]
        return self._spreads(
            {table.name: [_by_region(table, stage[table.name]) for stage in rows] for table in self.counted}
        )

    def measured(self, named: NamedHBase) -> list[Spread]:
        """The writes that the region servers count, in tables that are dropped afterwards; raises NotCounted."""
        if named.info_url is None:
            raise NotCounted(f"{INFO_VARIABLE}: must be http://HOST:PORT of the master's page (got nothing)")
        cut = {table.name: table for table in self.counted}
        tables = [cut.get(table.name, table) for table in self.tables]
        totals = [{name: [0] * (len(table.splits.points) + 1) for name, table in cut.items()}]
        with closing(connect(named.url, table_prefix=f"hotspots{secrets.token_hex(4)}")) as connection:
            try:
                create_tables(connection, tables)
                for number, stage in enumerate(self.stages, start=1):
                    stage(connection)
                    wanted = {spread.table: sum(map(sum, spread.stages[:number])) for spread in self.predicted}
                    totals.append(rows_written(connection, named.info_url, wanted))
            finally:
                drop_tables(connection, tables)
        return self._spreads({name: [*_differences([total[name] for total in totals])] for name in cut})

    def _spreads(self, stages: Mapping[str, Sequence[tuple[int, ...]]]) -> list[Spread]:
        return [
            Spread(self.variants[table.name], table.name, table.splits.reason, tuple(stages[table.name]))
            for table in self.counted
        ]


def _differences(totals: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    for before, after in pairwise(totals):
        yield tuple(now - then for now, then in zip(after, before, strict=True))


def _by_region(table: TableLayout[Any, Any], rows: Iterable[bytes]) -> tuple[int, ...]:
    """How many of these rows each region of the table takes."""
    regions = [bisect_right(table.splits.points, row) for row in rows]
    return tuple(regions.count(region) for region in range(len(table.splits.points) + 1))


class _Recorder:
    """A Thrift client that remembers the row of every write."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.rows: defaultdict[str, list[bytes]] = defaultdict(list)

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def recorded(table: bytes, written: Any, *others: Any) -> Any:
            rows = [batch.row for batch in written] if name == "mutateRowsTs" else [written]
            self.rows[table.decode()].extend(rows)
            return call(table, written, *others)

        return recorded if name in ("mutateRowsTs", "atomicIncrement") else call


@attrs.frozen
class MeasuredBlock:
    """The block `<!-- measured: NAME -->` of a page."""

    design: str
    name: str
    loads: Callable[[], Iterable[Load]]
    """What is stored, load after load, in tables of its own."""
    shown: Callable[[Sequence[Spread]], str]
    """The figures as the page shows them."""

    @property
    def page(self) -> Path:
        return Path(__file__).parents[3] / "domains" / self.design / "REFERENCE.md"

    @property
    def _marks(self) -> re.Pattern[str]:
        return re.compile(rf"(<!-- measured: {self.name} -->\n)(.*?)(<!-- measured end -->)", re.DOTALL)

    @property
    def text(self) -> str:
        """What stands in the page."""
        match = self._marks.search(self.page.read_text(encoding="utf-8"))
        assert match, f"{self.page}: must have the marks of a measured block"
        return match[2]

    def text_of(self, spreads: Sequence[Spread], hbase: str) -> str:
        """What the page has to say of figures that this version of HBase counted."""
        by = f"Counted by the region servers of HBase {hbase}, as `writeRequestCount`; `make hot-spots` does it again."
        return f"{self.shown(spreads)}\n{by}\n"

    def predicted(self) -> list[Spread]:
        """What the keys and the split points of all loads give."""
        return [spread for load in _loads(self) for spread in load.predicted]

    def measured(self, named: NamedHBase) -> list[Spread]:
        """What the region servers count; raises NotCounted."""
        return [spread for load in _loads(self) for spread in load.measured(named)]

    def write(self) -> int:
        """Measures, compares the result with the prediction from the keys, and writes the page; the exit code."""
        try:
            with named_or_started() as named:
                spreads = self.measured(named)
                text = self.text_of(spreads, version(named.info_url or ""))
        except (NotStarted, NotCounted, StoreError) as error:
            print(error, file=sys.stderr)
            return 1
        print(text)
        if spreads != self.predicted():
            print("the region servers' counts differ from the prediction; the page is not changed", file=sys.stderr)
            return 1
        page = self.page.read_text(encoding="utf-8")
        self.page.write_text(self._marks.sub(lambda marks: f"{marks[1]}{text}{marks[3]}", page), encoding="utf-8")
        return 0


@cache
def _loads(block: MeasuredBlock) -> list[Load]:
    return [*block.loads()]


def shown(regions: Sequence[int]) -> tuple[str, str]:
    """The writes of each region, and the share of the largest."""
    return " ".join(map(str, regions)), f"{max(regions) / sum(regions):.0%}"
