"""`rowbook simulate`: a load of any size in tables that split as HBase's do, over some servers."""

import re
from typing import Any

import attrs
from rich.console import Console

from ...exhibit.heat import EVEN, hot_share
from ...exhibit.regions.simulated_splits import HALF_FULL, SplitPolicy
from ...exhibit.regions.simulated_variants import NothingToSimulate, QuestionAtSize, SimulatedVariant, simulate_variant
from ...exhibit.regions.simulation import Moment, Simulation, TooManyRegions
from ...keys.errors import shown
from ..named.designs import find_variants, full_name
from ..named.typed_values import number
from ..screen.progress import doing
from ..screen.terminal import count, heading, json_object, wrapped
from ..screen.text_tables import table
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .heat_maps import grids

MOST_ROWS = 10**12
MOST_SERVERS = 1_000
LEAST_BYTES, MOST_BYTES = 2**20, 2**40
COLUMNS = ("rows", "regions", "splits", "half full", "idle", "busiest region", "busiest server")
WORTH_SAYING = 0.05
"""The output says by how much shares may be wrong if it is at least this."""
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def large_number(what: str, text: str, at_most: int, at_least: int = 1) -> int:
    """The text as a number; also as `1e9`."""
    match = re.fullmatch(r"([0-9]{1,6})[eE]([0-9]{1,2})", text, re.ASCII)
    if not match and not re.fullmatch(r"-?[0-9]+", text, re.ASCII):
        raise WrongUsage(f"{what}: must be a whole number such as 1000000 or 1e6 (got {shown(text)})")
    return number(what, str(int(match[1]) * 10 ** int(match[2])) if match else text, at_most, at_least)


def size_in_bytes(what: str, text: str) -> int:
    """The text as a number of bytes; also with K, M or G behind it."""
    match = re.fullmatch(r"([0-9]{1,15})([KMG]?)", text, re.ASCII)
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if not LEAST_BYTES <= size <= MOST_BYTES:
        raise WrongUsage(f"{what}: must be 1M..1024G, as 10G or 500M (got {text})")
    return size


def split_policy(flush_size: str, max_filesize: str) -> SplitPolicy:
    """The policy with the sizes of the command line."""
    return SplitPolicy(size_in_bytes("--flush-size", flush_size), size_in_bytes("--max-filesize", max_filesize))


def show(
    to: Console,
    errors: Console,
    name: str,
    rows: str,
    servers: str,
    flush_size: str,
    max_filesize: str,
    *,
    as_json: bool,
) -> None:
    """Simulates the load in the first variant that the name stands for, and shows each table over time."""
    design, (variant, *_others) = find_variants(name)
    wanted = large_number("--rows", rows, MOST_ROWS, 1_000)
    server_count = number("--servers", servers, MOST_SERVERS)
    policy = split_policy(flush_size, max_filesize)
    try:
        with doing(errors, full_name(design, variant)) as tell:
            simulated = simulate_variant(design, variant, wanted, policy, server_count, tell)
    except NothingToSimulate as error:
        raise CommandFailed(f"{name}: {error}") from None
    except TooManyRegions as error:
        raise WrongUsage(f"--rows, --max-filesize: {error}; more sample records tell more regions apart") from None
    if as_json:
        json_object(to, {"name": full_name(design, variant), "servers": server_count, **_figures(simulated)})
        return
    wrapped(
        to,
        f"{wanted:,} rows on {count(server_count, 'server')}, distributed like those of {simulated.sample.records:,} "
        f"records as in the samples, in the same time{_error_words(simulated)}. A row counts as often as it is "
        "written. A region splits at "
        f"{_shown(2 * policy.flush_bytes)} if its server has only one of its table, otherwise at "
        f"{_shown(policy.max_bytes)}, before compression.",
        0,
    )
    wrapped(
        to,
        "In the grid, a line is a tenth of all keys, in key order; from left to right, its part of the new rows in "
        f"each tenth of the load. Half full: at most {HALF_FULL:.0%} of the maximum. Idle: no new row in this tenth "
        "of the load. Busiest: the part of the new rows that the busiest region or server takes at a time, on "
        "average.",
        0,
    )
    wrapped(to, _verdict_words(server_count), 0)
    for table_name, simulation in simulated.tables.items():
        heading(to, f"{table_name}: {simulation.verdict}")
        grids(to, [(table_name, simulation.heat)], has_shares=False)
        table(to, COLUMNS, map(_over_time, simulation.moments), numbers=COLUMNS)
        wrapped(to, _idle_words(simulation))
    if simulated.left_out:
        heading(to, "Not simulated")
        for table_name, reason in simulated.left_out.items():
            wrapped(to, f"{table_name}: {reason}")
    heading(to, "What a page of each question then reads")
    columns = ("question", "ranges", "rows", "")
    numbers = ("ranges", "rows")
    table(to, columns, [_question(one) for one in simulated.questions], numbers=numbers)


def _error_words(simulated: SimulatedVariant) -> str:
    """A clause that says by how much shares may be wrong; empty if that is little."""
    if simulated.share_error < WORTH_SAYING:
        return ""
    return f"; as these are few, shares may be wrong by up to {100 * simulated.share_error:.0f} points"


def _verdict_words(servers: int) -> str:
    """What the words of a verdict mean."""
    later = "The verdict is that of the second half of the load."
    if servers == 1:
        return later
    return (
        f"{later} A hot spot: one region takes {hot_share(servers):.0%} or more of the new rows at a time. Even: no "
        f"server takes more than {EVEN} times an equal share."
    )


def _over_time(moment: Moment) -> tuple[str, ...]:
    return (
        f"{moment.rows:,}",
        f"{moment.regions:,}",
        f"{moment.splits:,}",
        f"{moment.half_full:,}",
        f"{moment.idle:,}",
        f"{moment.busiest_region:.0%}",
        f"{moment.busiest_server:.0%}",
    )


def _idle_words(simulation: Simulation) -> str:
    last = simulation.moments[-1]
    if not last.idle:
        return f"No region is idle. Regions are {simulation.fullness:.0%} full on average."
    return (
        f"{last.idle:,} of {last.regions:,} regions took no row in the last tenth; they are "
        f"{simulation.idle_fullness:.0%} full on average."
    )


def _question(one: QuestionAtSize) -> tuple[str, str, str, str]:
    if one.refused:
        return one.question, "", "", "refused"
    return one.question, f"{one.ranges:,}", f"{one.read:,}", "grows with the table" if one.grows else ""


def _shown(size: float) -> str:
    return f"{size / 2**30:g} GB" if size >= 2**30 else f"{size / 2**20:g} MB"


def _figures(simulated: SimulatedVariant) -> dict[str, Any]:
    return {
        "records": simulated.sample.records,
        "tables": [
            {
                "table": name,
                "verdict": simulation.verdict,
                "regions": len(simulation.table.regions),
                "splits": simulation.table.splits,
                "half_full": simulation.table.half_full,
                "idle": simulation.moments[-1].idle,
                "idle_fullness": simulation.idle_fullness,
                "busiest_region": simulation.busiest_region,
                "busiest_server": simulation.busiest_server,
                "moments": [attrs.asdict(moment) for moment in simulation.moments],
            }
            for name, simulation in simulated.tables.items()
        ],
        "left_out": dict(simulated.left_out),
        "questions": [attrs.asdict(one) for one in simulated.questions],
    }
