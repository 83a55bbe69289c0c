"""Blocks of a README that are measured on a real HBase, between marks, and written only if a prediction agrees.

A prediction is what the keys and the split points of a table give: how many of its rows each region takes.
"""

import re
import secrets
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import attrs
import happybase

from shared.designs.comparison import quantiles
from shared.keys import Splits
from shared.stores import StoreError, connect
from shared.tables import TableLayout, create_tables, drop_tables
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import INFO_VARIABLE, NamedHBase, named_or_started
from tests.programs.hbase.write_counts import NotCounted, version

S = TypeVar("S")


@attrs.frozen
class Spread:
    """How many of the writes each region of a table took."""

    variant: str
    table: str
    cut: str
    regions: tuple[int, ...]

    @classmethod
    def of(cls, variant: str, table: TableLayout[Any, Any], regions: Iterable[int]) -> "Spread":
        """What the regions of a table took, which say where it is cut."""
        return cls(variant, table.name, table.splits.reason, tuple(regions))


@attrs.frozen
class MeasuredBlock:
    """The block `<!-- measured: NAME -->` of a README."""

    design: str
    name: str

    @property
    def readme(self) -> Path:
        return Path(__file__).parents[3] / "domains" / self.design / "README.md"

    @property
    def _marks(self) -> re.Pattern[str]:
        return re.compile(rf"(<!-- measured: {self.name} -->\n)(.*?)(<!-- measured end -->)", re.DOTALL)

    @property
    def text(self) -> str:
        """What stands in the README."""
        match = self._marks.search(self.readme.read_text(encoding="utf-8"))
        assert match, f"{self.readme}: must have the marks of a measured block"
        return match[2]

    def write(
        self,
        measured: Callable[[NamedHBase], Sequence[S]],
        predicted: Callable[[], Sequence[S]],
        block: Callable[[Sequence[S], str], str],
    ) -> int:
        """Measures, compares the result with the prediction from the keys, and writes the README; the exit code.

        `block` makes the text of what was measured, and of HBase's version.
        """
        try:
            with named_or_started() as named:
                spreads = measured(named)
                text = block(spreads, version(named.info_url or ""))
        except (NotStarted, NotCounted, StoreError) as error:
            print(error, file=sys.stderr)
            return 1
        print(text)
        if spreads != predicted():
            print("the region servers' counts differ from the prediction; the README is not changed", file=sys.stderr)
            return 1
        page = self.readme.read_text(encoding="utf-8")
        self.readme.write_text(self._marks.sub(lambda marks: f"{marks[1]}{text}{marks[3]}", page), encoding="utf-8")
        return 0


def cut(table: TableLayout[Any, Any], regions: int, rows: Iterable[bytes], parts: str) -> TableLayout[Any, Any]:
    """The table, cut at its buckets or shards, and otherwise into `regions` equal parts of the rows before."""
    points, reason = table.splits.points, "shards" if "shard" in table.name else "buckets"
    if not points:
        points, reason = tuple(quantiles(sorted(rows), regions)), parts
    return attrs.evolve(table, splits=Splits(points, reason))


def by_region(table: TableLayout[Any, Any], rows: Iterable[bytes]) -> tuple[int, ...]:
    """How many of these rows each region of the table takes."""
    regions = [bisect_right(table.splits.points, row) for row in rows]
    return tuple(regions.count(region) for region in range(len(table.splits.points) + 1))


@contextmanager
def measured_tables(
    named: NamedHBase, tables: Iterable[TableLayout[Any, Any]]
) -> Iterator[tuple[happybase.Connection, str]]:
    """A connection to new tables, which are dropped in the end, and the URL of the master's page; raises NotCounted."""
    if named.info_url is None:
        raise NotCounted(f"{INFO_VARIABLE}: must be http://HOST:PORT of the master's page (got nothing)")
    tables = list(tables)
    with closing(connect(named.url, table_prefix=f"hotspots{secrets.token_hex(4)}")) as connection:
        try:
            create_tables(connection, tables)
            yield connection, named.info_url
        finally:
            drop_tables(connection, tables)


def shown(regions: Sequence[int]) -> tuple[str, str]:
    """The writes of each region, and the share of the largest."""
    return " ".join(map(str, regions)), f"{max(regions) / sum(regions):.0%}"


def caption(hbase: str) -> str:
    """Who counted, and how to count again."""
    return f"Counted by the region servers of HBase {hbase}, as `writeRequestCount`; `make hot-spots` does it again."
