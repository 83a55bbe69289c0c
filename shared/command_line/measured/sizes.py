"""`rowbook size`: what a design needs on disk and of the servers, for so many records a day."""

import attrs
from rich.console import Console

from ...exhibit.hfiles import ENCODINGS
from ...exhibit.regions.sampling import measured_and_sampled
from ...exhibit.regions.sizing import DAY_S, Sizing, TableSize, sizing
from ...keys.errors import shown
from ...records.lengths import parse_length
from ..named.designs import find_variants, full_name
from ..named.typed_values import number
from ..screen.terminal import count, json_object, line, wrapped
from ..screen.text_tables import table
from ..screen.wrong_usage import WrongUsage
from .simulating import MOST_SERVERS, large_number, split_policy

MOST_RECORDS = 10**12
MOST_DAYS = 36_500
COLUMNS = ("table", "encoding", "rows", "GB", "regions", "written/stored")


def show(
    to: Console,
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
    costs, sample = measured_and_sampled(design, variant)
    needed = sizing(sample, costs.rpcs_per_record, records, days, policy, server_count)
    if as_json:
        json_object(to, {"name": full_name(design, variant), **attrs.asdict(needed)})
        return
    wrapped(
        to,
        f"{records:,} records a day, each kept for {days:g} days, like {sample.records:,} records as in the samples. "
        "GB are those of one copy; HDFS keeps three. Written/stored: bytes that HBase writes for each byte of its "
        "files: log, flushes, compactions. Too many regions: more than the sample tells apart.",
        0,
    )
    line(to)
    table(to, COLUMNS, [_row(one) for one in needed.tables], numbers=COLUMNS[2:])
    for encoding in ENCODINGS:
        wrapped(to, _total(needed, encoding))
    wrapped(to, f"{needed.rpcs_a_second:,.1f} RPCs a second to store records one by one, on average over the day")


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
        f"{one.rows:,}",
        f"{one.file_bytes / 1e9:,.1f}",
        "too many" if one.regions is None else f"{one.regions:,}",
        f"{one.rewrites:.1f}",
    )


def _total(needed: Sizing, encoding: str) -> str:
    tables = needed.of(encoding)
    file_bytes = sum(one.file_bytes for one in tables)
    regions = [one.regions for one in tables if one.regions is not None]
    in_regions = f" in {count(sum(regions), 'region')}" if len(regions) == len(tables) else ""
    written = sum(one.rewrites * one.file_bytes for one in tables) / needed.keep_days / DAY_S
    return f"{encoding}: {file_bytes / 1e9:,.1f} GB{in_regions}; servers write {written / 1e6:,.3g} MB/s"
