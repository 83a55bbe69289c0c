"""`rowbook size`: what a design needs on disk and of the servers, for so many records a day."""

import attrs
from rich.console import Console

from ...exhibit.hfiles import ENCODINGS
from ...exhibit.regions.sampling import SampledTable, measured_and_sampled
from ...exhibit.regions.sizing import DAY_S, Sizing, TableSize, sizing
from ...keys.errors import listed, shown
from ...records.lengths import parse_length
from ..named.designs import find_variants, full_name
from ..named.typed_values import number
from ..screen.progress import doing
from ..screen.terminal import count, json_object, line, wrapped
from ..screen.text_tables import table
from ..screen.wrong_usage import WrongUsage
from .simulating import MOST_SERVERS, large_number, split_policy

MOST_RECORDS = 10**12
MOST_DAYS = 36_500
UNKNOWN = "unknown"
COLUMNS = ("table", "encoding", "rows", "GB", "regions", "written/stored")


def show(
    to: Console,
    errors: Console,
    name: str,
    records_a_day: str,
    keep: str,
    servers: str,
    flush_size: str,
    max_filesize: str,
    *,
    as_json: bool,
) -> None:
    """Shows the sizes of the first variant that the name stands for."""
    design, (variant, *_others) = find_variants(name)
    records = large_number("--records-a-day", records_a_day, MOST_RECORDS)
    days = _days(keep)
    policy = split_policy(flush_size, max_filesize)
    server_count = number("--servers", servers, MOST_SERVERS)
    with doing(errors, full_name(design, variant)) as tell:
        costs, sample = measured_and_sampled(design, variant, tell)
        tell("simulating regions")
        needed = sizing(sample, costs.rpcs_per_record, records, days, policy, server_count)
    grounds = {sampled.table.name: sampled.growth.words for sampled in sample.tables if sampled.files}
    if as_json:
        json_object(to, {"name": full_name(design, variant), **attrs.asdict(needed), "grounds": grounds})
        return
    wrapped(
        to,
        f"{records:,} records a day, each kept for {days:g} days, like {sample.records:,} records as in the samples. "
        "GB are those of one copy; HDFS keeps three. Written/stored: bytes that HBase writes for each byte of its "
        "files: log, flushes, compactions. Too many regions: more than the sample tells apart. Unknown: what the "
        "sample does not show.",
        0,
    )
    line(to)
    table(to, COLUMNS, [_row(one) for one in needed.tables], numbers=COLUMNS[2:])
    for encoding in ENCODINGS:
        wrapped(to, _total(needed, encoding))
    line(to)
    for sampled in sample.tables:
        if sampled.table.name in grounds:
            wrapped(to, f"{sampled.table.name}: {grounds[sampled.table.name]}{_one_for(sampled, needed)}")
    line(to)
    wrapped(to, f"{needed.rpcs_a_second:,.1f} RPCs a second to store records one by one, on average over the day")
    for verdict in needed.verdicts:
        wrapped(to, verdict, style="bold")


def _days(keep: str) -> float:
    try:
        days = parse_length(keep) / 1000 / DAY_S
    except ValueError as error:
        raise WrongUsage(f"--keep: {error}") from None
    if not 1 / 24 <= days <= MOST_DAYS:
        raise WrongUsage(f"--keep: must be 1h..{MOST_DAYS}d, with its unit (got {shown(keep)})")
    return days


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
    file_bytes = sum(one.file_bytes or 0 for one in tables)
    regions = [one.regions for one in tables if one.regions is not None]
    in_regions = f" in {count(sum(regions), 'region')}" if len(regions) == len(tables) else ""
    written = sum(one.rewrites * (one.file_bytes or 0) for one in tables) / needed.keep_days / DAY_S
    unknown = [one.table for one in tables if one.file_bytes is None]
    without = f" without {listed(unknown)}" if unknown else ""
    return f"{encoding}: {file_bytes / 1e9:,.1f} GB{in_regions}{without}; servers write {_mb(written)} MB/s"


def _mb(size: float) -> str:
    """MB with three digits at least, and no exponent."""
    return f"{size / 1e6:,.0f}" if size >= 100e6 else f"{size / 1e6:.3g}"


def _one_for(sampled: SampledTable, needed: Sizing) -> str:
    """What a table has one row for, and their bytes, if the sample does not show how many a load makes."""
    if sampled.growth.rows.course == "goes on":
        return ""
    keys = {tuple(part.name for part in layout.key.parts) for layout in sampled.table.layouts}
    one_for = f". It has one row for each {' and '.join(map(listed, sorted(keys)))}" if len(keys) == 1 else ""
    if all(one.rows is not None for one in needed.tables if one.table == sampled.table.name):
        return one_for
    rows = sampled.growth.held[-1].rows
    millions = (f"{sampled.bytes(encoding) / rows / 1e3:,.2f} GB ({encoding})" for encoding in ENCODINGS)
    return f"{one_for}; a million rows take {listed([*millions])}"
