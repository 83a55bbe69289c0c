"""A load of any size in a simulated table that splits, without a record for each of its rows.

The row keys of a sample, in the order in which they were written, tell where the rows of a larger load go: each stands
for equally many rows, whose keys follow its own. A sample of 10,000 rows and a load of 10^9 take seconds.

In a table whose keys follow the time, such as `[host][time]`, new rows of each host go to one moving place. The order
of the sample shows it: from one key to the next, time hardly ever goes back. A place then takes new rows from its own
time until that of the next key. Otherwise, as behind a hash, all places of a tenth of the load take new rows during
that tenth; or all places during all of the load, if its halves are alike.
"""

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import ceil, sqrt

import attrs

from ..heat import EVEN, Heat, hot_share
from .simulated_splits import Region, SimulatedTable, SplitPolicy

SAMPLE_ROWS = 10_000
"""The rows of a sample. By chance alone the share before any key differs from that of the load by at most 0.02."""
TENTHS = 10
"""Parts of the load, and of the key order, that a simulation reports."""
BACK = 0.25
"""Keys follow the time if it goes back from one key to the next in at most so large a part; by chance, in a half."""
AT_ONCE = 0.01
"""A part of the load so short that it matters not which of its rows came first, as in a slice of time."""
ALIKE = 4
"""Two halves of a load are alike if no share before a key differs by more than so many standard deviations."""
NEIGHBOURS = 20
"""Rows before and after a row of one owner that tell how often the owner writes."""
DRAWS, STEPS = 200_000, 100
"""Draws of a simulation, about, and the fewest steps of its load; more would take minutes."""
FINEST = 16
"""The busiest region gets at most one part in this many of its limit between two looks at its size."""
EXACTLY = 4
"""Up to so many rows for each place on average are drawn one by one; more, by their mean and deviation."""
SEED = 20_260_601

FEWEST_PLACES = 4
"""Rows of the sample that a full region must have, so that the sample tells regions apart."""

Weights = Mapping[int, float]
"""Places, with the share that each has in new rows at some time."""


class TooManyRegions(ValueError):
    """A load makes more regions than its sample tells apart."""


@attrs.frozen
class Spell:
    """A place takes new rows from one time to another; times are counted in rows of the sample."""

    place: int
    start: int
    stop: int
    rate: float
    """Rows of the sample for each row of the sample that is written anywhere."""

    @property
    def rows(self) -> float:
        """The rows of the sample that it stands for."""
        return self.rate * (self.stop - self.start)


@attrs.frozen
class Sample:
    """The rows of a table in the order in which they were written."""

    rows: Sequence[bytes]

    @classmethod
    def thinned(cls, rows: Sequence[bytes], most: int = SAMPLE_ROWS) -> "Sample":
        """At most `most` of the rows, evenly spread over time.

        Each is drawn from as many that follow each other: every hundredth row might be the first one of its minute.
        """
        count, chance = min(most, len(rows)), random.Random(SEED)
        starts = [number * len(rows) // count for number in range(count + 1)]
        return cls([rows[chance.randrange(start, stop)] for start, stop in pairwise(starts)])

    @property
    def direction(self) -> int:
        """1 if the keys follow the time, -1 if they are against it, such as newest first, 0 if they are neither."""
        times_of: dict[bytes, list[int]] = {}
        for at, row in enumerate(self.rows):
            times_of.setdefault(row, []).append(at)
        steps = [other - one for one, other in pairwise(map(_mean, map(times_of.__getitem__, sorted(times_of))))]
        drift = sum(max(-self._at_once, min(self._at_once, step)) for step in steps)
        direction = 1 if drift >= 0 else -1
        back = sum(step * direction < -self._at_once for step in steps)
        return direction if back <= BACK * len(steps) else 0

    @property
    def _at_once(self) -> float:
        return AT_ONCE * len(self.rows)

    def spells(self) -> list[Spell]:
        """When each place takes new rows; the places are those of the rows in key order."""
        direction, count = self.direction, len(self.rows)
        order = sorted(range(count), key=lambda at: (self.rows[at], at * (direction or 1)))
        if not direction:
            parts = 1 if _are_alike(order) else TENTHS
            return [_during_part(place, at, count, parts) for place, at in enumerate(order)]
        walk = [*enumerate(order)][::direction]
        return [spell for run in _runs(walk, self._at_once) for spell in _spells_of_run(run, count)]


def _are_alike(order: Sequence[int]) -> bool:
    """Whether the older half of the rows is distributed as the newer one; `order` has their times in key order."""
    half = len(order) / 2
    surplus = accumulate(1 if at < half else -1 for at in order)
    return max(map(abs, surplus)) <= ALIKE * sqrt(half / 2)


def _during_part(place: int, at: int, count: int, parts: int) -> Spell:
    """A place takes new rows during all of the part of the load in which its own row is."""
    part = at * parts // count
    start, stop = -(-part * count // parts), -(-(part + 1) * count // parts)
    return Spell(place, start, stop, 1 / (stop - start))


def _runs(walk: Iterable[tuple[int, int]], at_once: float) -> Iterator[list[tuple[int, int]]]:
    """Neighbouring places whose times rise, such as those of one owner; each is a place and its time."""
    run: list[tuple[int, int]] = []
    for place, at in walk:
        if run and at < run[-1][1] - at_once:
            yield _in_order(run)
            run = []
        run.append((place, at))
    yield _in_order(run)


def _in_order(run: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of a run with its times, of which some are exchanged so that all rise."""
    return [*zip((place for place, _at in run), sorted(at for _place, at in run), strict=True)]


def _spells_of_run(run: Sequence[tuple[int, int]], count: int) -> list[Spell]:
    """One place after the other takes new rows, as many as there are rows in the run, at the rate of its neighbours."""
    if len(run) == 1:
        return [_during_part(*run[0], count, TENTHS)]
    spells: list[Spell] = []
    for number, (place, at) in enumerate(run):
        first, last = max(0, number - NEIGHBOURS), min(len(run) - 1, number + NEIGHBOURS)
        rate = (last - first) / (run[last][1] - run[first][1])
        stop = run[number + 1][1] if number + 1 < len(run) else min(count, at + round(1 / rate))
        spells.append(Spell(place, at, stop, rate))
    excess = sum(spell.rows for spell in spells) / len(run)
    return [attrs.evolve(spell, rate=spell.rate / excess) for spell in spells]


@attrs.frozen
class Moment:
    """A tenth of the load, and the table at its end."""

    rows: int
    """Rows of the table at the end."""
    regions: int
    splits: int
    """Splits since the table was made."""
    half_full: int
    """Regions that are half full, or less."""
    idle: int
    """Regions that nobody wrote to in this tenth."""
    busiest_region: float
    """The share of the new rows in the region that is the busiest at its time, on average."""
    busiest_server: float
    ranges: tuple[int, ...]
    """The new rows in each tenth of all keys."""


@attrs.frozen
class Simulation:
    """What a load does to a table."""

    table: SimulatedTable
    moments: tuple[Moment, ...]

    @property
    def heat(self) -> Heat:
        """Tenths of all keys against tenths of the load."""
        return Heat("equal parts", tuple(moment.ranges for moment in self.moments))

    @property
    def later(self) -> Sequence[Moment]:
        """The second half of the load, for which the verdict is: a new table has one region."""
        return self.moments[len(self.moments) // 2 :]

    @property
    def busiest_region(self) -> float:
        """The share of the busiest region in the second half."""
        return _mean(moment.busiest_region for moment in self.later)

    @property
    def busiest_server(self) -> float:
        """The share of the busiest server in the second half."""
        return _mean(moment.busiest_server for moment in self.later)

    @property
    def idle_fullness(self) -> float:
        """How full the regions are that nobody wrote to in the last tenth, on average; 0 if there is none."""
        *_others, before, last = self.moments
        assert last.rows == self.table.rows
        return _mean(map(self.table.fullness, self.table.idle(before.rows)))

    @property
    def fullness(self) -> float:
        """How full the regions are on average."""
        return _mean(map(self.table.fullness, self.table.regions))

    @property
    def verdict(self) -> str:
        """What the load does to the servers, in words."""
        servers, regions = self.table.servers, len(self.table.regions)
        if regions == 1:
            return "too small to split: one region takes all writes"
        share = f"{self.busiest_server:.0%} of the writes"
        if servers == 1:
            return f"one server takes all writes, its busiest region {self.busiest_region:.0%} of them"
        if self.busiest_region >= hot_share(servers):
            return f"a hot spot: one region takes {self.busiest_region:.0%} of the writes at any time"
        if self.busiest_server <= EVEN / servers:
            return f"even: the busiest of {servers} servers takes {share}"
        return f"uneven: the busiest of {servers} servers takes {share}, an even share is {1 / servers:.1%}"


def _mean(numbers: Iterable[float]) -> float:
    all_ = [*numbers]
    return sum(all_) / len(all_) if all_ else 0.0


def simulate(
    sample: Sample,
    rows: int,
    row_bytes: float,
    policy: SplitPolicy,
    servers: int,
    split_points: Sequence[bytes] = (),
) -> Simulation:
    """Stores so many rows, of so many bytes each, whose keys are distributed in each tenth as those of the sample.

    Raises TooManyRegions.
    """
    count = len(sample.rows)
    full = rows * row_bytes / policy.max_bytes
    if full * FEWEST_PLACES > count:
        most = count // FEWEST_PLACES
        raise TooManyRegions(
            f"must fit into {most:,} full regions, so that {count:,} rows tell them apart (got {full:,.0f})"
        )
    ordered = sorted(sample.rows)
    points = sorted({bisect_left(ordered, point) for point in split_points} - {0, count})
    table = SimulatedTable(count, row_bytes, policy, servers, points)
    chance = random.Random(SEED)
    moments: list[Moment] = []
    tenth = _Tenth()
    stood_for = 0.0
    for stop, stands_for, weights in _steps(sample.spells(), count):
        stood_for += stands_for
        new = round(rows * stood_for / count) - table.rows
        if weights:
            _store(chance, table, tenth, weights, new)
        if stop * TENTHS >= (len(moments) + 1) * count:
            moments.append(tenth.moment(table))
            tenth = _Tenth()
    return Simulation(table, tuple(moments))


def _store(chance: random.Random, table: SimulatedTable, tenth: "_Tenth", weights: Weights, rows: int) -> None:
    """Stores the rows of a step, in parts so small that no region grows far beyond its limit before it splits."""
    shares = _region_shares(table, weights)
    tenth.add(rows, shares)
    fastest = max(share / table.limit_bytes(region) for region, share in shares.items())
    parts = max(1, ceil(rows * table.row_bytes * fastest * FINEST))
    for part in range(parts):
        touched: dict[Region, None] = {}
        for place, drawn in draw(chance, weights, rows * (part + 1) // parts - rows * part // parts):
            touched[table.put(place, drawn)] = None
            tenth.ranges[place * TENTHS // table.places] += drawn
        for region in touched:
            table.split(region)


def _steps(spells: Sequence[Spell], count: int) -> Iterator[tuple[int, float, Weights]]:
    """The end of each step, its rows of the sample, and the places that take new rows in it; their weights make 1."""
    step = max(1, min(count // STEPS, ceil(sum(spell.stop - spell.start for spell in spells) / DRAWS)))
    following = sorted(spells, key=lambda spell: -spell.start)
    active: list[Spell] = []
    for start in range(0, count, step):
        stop = min(count, start + step)
        while following and following[-1].start < stop:
            active.append(following.pop())
        rates = {spell.place: spell.rate * (min(stop, spell.stop) - max(start, spell.start)) for spell in active}
        total = sum(rates.values())
        yield stop, total, {place: rate / total for place, rate in rates.items()}
        active = [spell for spell in active if spell.stop > stop]


def _region_shares(table: SimulatedTable, weights: Weights) -> dict[Region, float]:
    """The share of new rows that each region takes."""
    shares: dict[Region, float] = {}
    for place, weight in weights.items():
        region = table.region_of(place)
        shares[region] = shares.get(region, 0) + weight
    return shares


def draw(chance: random.Random, weights: Weights, rows: int) -> Iterator[tuple[int, int]]:
    """Draws the place of each of so many rows; yields the places that have any, with their numbers."""
    if rows <= EXACTLY * len(weights):
        yield from Counter(chance.choices([*weights], [*weights.values()], k=rows)).items()
        return
    left, weight_left = rows, 1.0
    last = len(weights) - 1
    for number, (place, weight) in enumerate(weights.items()):
        share = min(1.0, weight / weight_left) if number < last else 1.0
        drawn = round(chance.gauss(left * share, sqrt(left * share * (1 - share))))
        drawn = min(left, max(0, drawn))
        left, weight_left = left - drawn, weight_left - weight
        if drawn:
            yield place, drawn


@attrs.define
class _Tenth:
    """What a tenth of the load does, step by step."""

    rows: int = 0
    in_busiest_region: float = 0
    in_busiest_server: float = 0
    ranges: list[int] = attrs.field(factory=lambda: [0] * TENTHS)

    def add(self, rows: int, shares: Mapping[Region, float]) -> None:
        """Adds the rows of a step, of which each region takes its share."""
        servers: dict[int, float] = {}
        for region, share in shares.items():
            servers[region.server] = servers.get(region.server, 0) + share
        self.rows += rows
        self.in_busiest_region += rows * max(shares.values())
        self.in_busiest_server += rows * max(servers.values())

    def moment(self, table: SimulatedTable) -> Moment:
        """What it was, at its end."""
        return Moment(
            table.rows,
            len(table.regions),
            table.splits,
            table.half_full,
            len(table.idle(table.rows - self.rows)),
            self.in_busiest_region / max(1, self.rows),
            self.in_busiest_server / max(1, self.rows),
            tuple(self.ranges),
        )
