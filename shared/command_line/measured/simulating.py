"""A load in tables that split as HBase's do, over some servers: a chapter of `rowbook review`."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
from rich.console import Console

from ...designs import Design
from ...exhibit.heat import EVEN, hot_share
from ...exhibit.heat_tables import MATTERS
from ...exhibit.regions.sampling import SampledVariant
from ...exhibit.regions.simulated_splits import HALF_FULL
from ...exhibit.regions.simulated_variants import NothingToSimulate, QuestionAtSize, SimulatedVariant, simulate_variant
from ...exhibit.regions.simulation import Moment, Simulation, TooManyRegions
from ..named.designs import full_name
from ..screen.terminal import count, heading, wrapped
from ..screen.text_tables import table
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .expected_load import ExpectedLoad
from .heat_maps import grids

COLUMNS = ("rows", "regions", "splits", "half full", "idle", "busiest region", "busiest server")
WORTH_SAYING = 0.05
"""The output says by how much shares may be wrong if it is at least this."""


@attrs.frozen
class SimulatedLoad:
    """What a load does to the tables of a variant."""

    name: str
    """The variant, as on the command line."""
    load: ExpectedLoad
    records: float
    """The records that are stored in the end."""
    simulated: SimulatedVariant

    @property
    def rows(self) -> int:
        """The rows that they write to all tables."""
        return round(self.records * self.simulated.sample.written / self.simulated.sample.records)

    @property
    def regions_at_first(self) -> int:
        """The regions of new tables."""
        return sum(map(_at_first, self.simulated.tables.values()))

    @property
    def regions(self) -> int:
        """The regions in the end."""
        return sum(len(one.table.regions) for one in self.simulated.tables.values())

    @property
    def busiest(self) -> tuple[str, Simulation]:
        """The table whose busiest server takes the largest share, of those that take a tenth of all rows."""
        tables = self.simulated.tables
        rows = sum(one.table.rows for one in tables.values())
        matter = {name: one for name, one in tables.items() if one.table.rows >= MATTERS * rows}
        name = max(matter, key=lambda name: matter[name].busiest_server)
        return name, matter[name]

    def brief(self) -> Iterator[str]:
        """A line for each table, and one for the questions that read more and more, for a page with all chapters."""
        for name, one in self.simulated.tables.items():
            regions = f"{count(_at_first(one), 'region')} at first, {len(one.table.regions):,} in the end"
            yield f"{name}: {regions}; {one.verdict}"
        for name, reason in self.simulated.left_out.items():
            yield f"{name}: not simulated: {reason}"
        if growing := [one.question for one in self.simulated.questions if one.grows]:
            yield f"read more as the table grows: {'; '.join(growing)}"

    def show(self, to: Console) -> None:
        """Writes each table over time, and what the questions then read."""
        simulated, servers, policy = self.simulated, self.load.servers, self.load.policy
        wrapped(
            to,
            f"{self.rows:,} rows on {count(servers, 'server')}, distributed like those of {simulated.sample.records:,} "
            f"records as in the samples, in the same time{_error_words(simulated)}. A row counts as often as it is "
            "written. A region splits at "
            f"{_shown(2 * policy.flush_bytes)} if its server has only one of its table, otherwise at "
            f"{_shown(policy.max_bytes)}, before compression.",
            0,
        )
        wrapped(
            to,
            "In the grid, a line is a tenth of all keys, in key order; from left to right, its part of the new rows in "
            f"each tenth of the load. Half full: at most {HALF_FULL:.0%} of the maximum. Idle: no new row in this "
            "tenth of the load. Busiest: the part of the new rows that the busiest region or server takes at a time, "
            "on average.",
            0,
        )
        wrapped(to, _verdict_words(servers), 0)
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

    def as_json(self) -> dict[str, Any]:
        """Each table with its moments, and the questions."""
        simulated = self.simulated
        return {
            "name": self.name,
            "servers": self.load.servers,
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


def simulate_load(
    design: Design, sample: SampledVariant, load: ExpectedLoad, records: float, tell: Callable[[str], None]
) -> SimulatedLoad:
    """Simulates so many records.

    Raises CommandFailed if the sample shows too little, and WrongUsage if it does not tell so many regions apart.
    """
    name = full_name(design, sample.variant)
    try:
        simulated = simulate_variant(design, sample, records, load.policy, load.servers, tell)
    except NothingToSimulate as error:
        raise CommandFailed(f"{name}: {error}") from None
    except TooManyRegions as error:
        raise WrongUsage(f"the load: {error}; more sample records, or a larger --max-filesize, allow more") from None
    return SimulatedLoad(name, load, records, simulated)


def _at_first(simulation: Simulation) -> int:
    return len(simulation.table.regions) - simulation.table.splits


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
