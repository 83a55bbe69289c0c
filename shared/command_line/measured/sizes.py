"""What a design needs on disk and of the servers, for so many records a day: a chapter of `rowbook review`."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import attrs
from rich.console import Console

from ...designs import Design, scratch_store
from ...exhibit.comparison import measure_variant
from ...exhibit.hfiles import ENCODINGS
from ...exhibit.regions.sampling import SampledTable, SampledVariant
from ...exhibit.regions.sizing import DAY_S, Sizing, TableSize, sizing
from ...keys.errors import listed
from ..named.designs import full_name
from ..screen.terminal import count, line, wrapped
from ..screen.text_tables import table
from .expected_load import ExpectedLoad

UNKNOWN = "unknown"
GOES_ON = "goes on"
"""The course of the rows of a table to which each record adds as many: only others are explained."""
COLUMNS = ("table", "encoding", "rows", "GB", "regions", "written/stored")


@attrs.frozen
class SizeOfLoad:
    """What a load needs."""

    name: str
    """The variant, as on the command line."""
    load: ExpectedLoad
    sample: SampledVariant
    needed: Sizing

    @property
    def _grounds(self) -> Mapping[str, str]:
        """Why a table is said to grow so, by its name."""
        return {sampled.table.name: sampled.growth.words for sampled in self.sample.tables if sampled.files}

    def brief(self) -> Iterator[str]:
        """A few lines for a page with all chapters."""
        yield "; ".join(_stored(self.needed, encoding) for encoding in ENCODINGS)
        yield f"{self.needed.rpcs_a_second:,.1f} RPCs a second to store records one by one"
        yield from self.needed.verdicts

    def show(self, to: Console) -> None:
        """Writes the size of each table in each encoding, and what exceeds the limits of the servers."""
        needed, grounds = self.needed, self._grounds
        wrapped(
            to,
            f"{self.load.records_a_day:,} records a day, each kept for {self.load.keep_days:g} days, like "
            f"{self.sample.records:,} records as in the samples. "
            "GB are those of one copy; HDFS keeps three. Written/stored: bytes that HBase writes for each byte of its "
            "files: log, flushes, compactions. NONE: plain; FAST_DIFF: with that DATA_BLOCK_ENCODING; GZ: with that "
            "COMPRESSION. Too many regions: more than the sample tells apart. Unknown: what the sample does not show.",
            0,
        )
        line(to)
        table(to, COLUMNS, [_row(one) for one in needed.tables], numbers=COLUMNS[2:])
        for encoding in ENCODINGS:
            wrapped(to, _total(needed, encoding))
        for sampled in self.sample.tables:
            if sampled.table.name in grounds and sampled.growth.rows.course != GOES_ON:
                line(to)
                wrapped(to, f"{sampled.table.name}: {grounds[sampled.table.name]}{_one_for(sampled, needed)}")
        line(to)
        wrapped(to, f"{needed.rpcs_a_second:,.1f} RPCs a second to store records one by one, on average over the day")
        for verdict in needed.verdicts:
            wrapped(to, verdict, style="bold")

    def as_json(self) -> dict[str, Any]:
        """The sizes, and why each table is said to grow so."""
        return {"name": self.name, **attrs.asdict(self.needed), "grounds": dict(self._grounds)}


def size_of_load(design: Design, sample: SampledVariant, load: ExpectedLoad) -> SizeOfLoad:
    """What a load needs in the variant of a sample."""
    variant = sample.variant
    with closing(scratch_store(variant.tables)) as connection:
        rpcs = measure_variant(connection, design, variant).rpcs_per_record
    needed = sizing(sample, rpcs, load.records_a_day, load.keep_days, load.policy, load.servers)
    return SizeOfLoad(full_name(design, variant), load, sample, needed)


def _row(one: TableSize) -> tuple[str, ...]:
    return (
        one.table,
        one.encoding,
        UNKNOWN if one.rows is None else f"{one.rows:,}",
        UNKNOWN if one.file_bytes is None else f"{one.file_bytes / 1e9:,.1f}",
        f"{one.regions:,}" if one.regions is not None else UNKNOWN if one.file_bytes is None else "too many",
        f"{one.rewrites:.1f}",
    )


def _total(needed: Sizing, encoding: str) -> str:
    tables = needed.of(encoding)
    written = sum(one.rewrites * (one.file_bytes or 0) for one in tables) / needed.keep_days / DAY_S
    return f"{_stored(needed, encoding)}; servers write {_mb(written) if written else UNKNOWN} MB/s"


def _stored(needed: Sizing, encoding: str) -> str:
    tables = needed.of(encoding)
    file_bytes = sum(one.file_bytes or 0 for one in tables)
    regions = [one.regions for one in tables if one.regions is not None]
    in_regions = f" in {count(sum(regions), 'region')}" if len(regions) == len(tables) else ""
    unknown = [one.table for one in tables if one.file_bytes is None]
    if len(unknown) == len(tables):
        return f"{encoding}: {UNKNOWN}"
    without = f" without {listed(unknown)}" if unknown else ""
    plain = " (plain)" if encoding == "NONE" else ""
    return f"{encoding}{plain}: {file_bytes / 1e9:,.1f} GB{in_regions}{without}"


def _mb(size: float) -> str:
    """MB with three digits at least, and no exponent."""
    return f"{size / 1e6:,.0f}" if size >= 100e6 else f"{size / 1e6:.3g}"


def _one_for(sampled: SampledTable, needed: Sizing) -> str:
    """What a table has one row for, and their bytes, if the sample does not show how many a load makes."""
    keys = {tuple(part.name for part in layout.key.parts) for layout in sampled.table.layouts}
    one_for = f". It has one row for each {' and '.join(map(listed, sorted(keys)))}" if len(keys) == 1 else ""
    if all(one.rows is not None for one in needed.tables if one.table == sampled.table.name):
        return one_for
    rows = sampled.growth.held[-1].rows
    millions = (f"{sampled.bytes(encoding) / rows / 1e3:,.2f} GB ({encoding})" for encoding in ENCODINGS)
    return f"{one_for}; a million rows take {listed([*millions])}"
