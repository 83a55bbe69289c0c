"""A simulated table whose regions split as those of HBase 2 do, at the middle of their data, over some servers.

Keys are places in key order, 0 to `places - 1`: each stands for one key, or for a range of keys that hold equally many
rows. A region is a range of places, and is never split within one.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import attrs

FLUSH_BYTES = 128 * 2**20
"""`hbase.hregion.memstore.flush.size` of HBase 2.6."""
MAX_BYTES = 10 * 2**30
"""`hbase.hregion.max.filesize` of HBase 2.6."""
HALF_FULL = 0.625
"""A region is half full if it holds at most so much of the maximum: it is nearer to a half than to three quarters."""


@attrs.frozen
class SplitPolicy:
    """HBase 2's default, `SteppingSplitPolicy`: a region splits when it is larger than a limit."""

    flush_bytes: float = FLUSH_BYTES
    max_bytes: float = MAX_BYTES

    def limit_bytes(self, regions_on_server: int) -> float:
        """The limit of a region whose server has so many regions of the table.

        The only one splits early, at twice the flush size, so that a new table soon has regions on all servers.
        """
        return 2 * self.flush_bytes if regions_on_server == 1 else self.max_bytes


@attrs.define(eq=False)
class Region:
    """A range of places of a table, on one server."""

    start: int
    stop: int
    server: int
    rows: int = 0
    written_at: int = 0
    """The number of rows that the table had when the region was last written to, or split off."""


@attrs.define
class SimulatedTable:
    """A table that splits; it starts with one region, or with those that split points make.

    A new region goes to the server with the fewest regions of the table, as HBase's balancer would move it.
    """

    places: int
    row_bytes: float
    """Bytes of each row in the table's files."""
    policy: SplitPolicy = attrs.field(factory=SplitPolicy)
    servers: int = 1
    split_points: Sequence[int] = ()
    """The first place of each region but the first one; the order of keys."""
    rows: int = attrs.field(init=False, default=0)
    splits: int = attrs.field(init=False, default=0)
    stored: list[int] = attrs.field(init=False)
    """The rows at each place."""
    regions: list[Region] = attrs.field(init=False)
    """In key order."""
    _starts: list[int] = attrs.field(init=False)
    _on_server: list[int] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.stored = [0] * self.places
        self._starts = [0, *self.split_points]
        self._on_server = [0] * self.servers
        stops = [*self.split_points, self.places]
        self.regions = [Region(*range_, self._place()) for range_ in zip(self._starts, stops, strict=True)]

    def region_of(self, place: int) -> Region:
        """The region that has a place."""
        return self.regions[bisect_right(self._starts, place) - 1]

    def put(self, place: int, rows: int = 1) -> Region:
        """Stores rows at a place; returns their region. Nothing splits until `split` is called."""
        region = self.region_of(place)
        self.stored[place] += rows
        self.rows += rows
        region.rows += rows
        region.written_at = self.rows
        return region

    def limit_bytes(self, region: Region) -> float:
        """The size beyond which a region splits."""
        return self.policy.limit_bytes(self._on_server[region.server])

    def split(self, region: Region) -> None:
        """Splits a region, and then its halves, as long as they are larger than their limit and have two places."""
        if region.rows * self.row_bytes <= self.limit_bytes(region):
            return
        middle, before = self._middle(region)
        if not 0 < before < region.rows:
            return
        upper = Region(middle, region.stop, self._place(), region.rows - before, region.written_at)
        region.stop, region.rows = middle, before
        at = bisect_right(self._starts, region.start)
        self.regions.insert(at, upper)
        self._starts.insert(at, middle)
        self.splits += 1
        self.split(region)
        self.split(upper)

    def _middle(self, region: Region) -> tuple[int, int]:
        """The place that divides the rows of a region most evenly, and the rows before it."""
        before, half = 0, region.rows / 2
        for place in range(region.start, region.stop):
            after = before + self.stored[place]
            if after > half:
                if before and half - before <= after - half:
                    return place, before
                stored = (later for later in range(place + 1, region.stop) if self.stored[later])
                return next(stored, region.stop), after
            before = after
        return region.stop, before

    def _place(self) -> int:
        """The server with the fewest regions of the table, which gets one more."""
        server = min(range(self.servers), key=self._on_server.__getitem__)
        self._on_server[server] += 1
        return server

    def fullness(self, region: Region) -> float:
        """The size of a region, as a share of the maximum."""
        return region.rows * self.row_bytes / self.policy.max_bytes

    def idle(self, since_rows: int) -> list[Region]:
        """The regions that nobody has written to since the table had so many rows."""
        return [region for region in self.regions if region.written_at <= since_rows]

    @property
    def half_full(self) -> int:
        """The number of regions that are half full, or less."""
        return count_half_full(map(self.fullness, self.regions))


def count_half_full(fullness: Iterable[float]) -> int:
    """How many regions are half full, or less, of which each is so full."""
    return sum(full <= HALF_FULL for full in fullness)


def regions_of(keys: Sequence[bytes], limit_rows: int, later: Sequence[bytes] = ()) -> list[list[bytes]]:
    """The keys of each region after these keys were stored in a table whose regions hold at most `limit_rows` rows.

    `later` are stored after the table has split, and split nothing.
    """
    ordered = sorted({*keys, *later})
    table = SimulatedTable(len(ordered), 1, SplitPolicy(limit_rows / 2, limit_rows))
    for key in keys:
        table.split(table.put(ordered.index(key)))
    for key in later:
        table.put(ordered.index(key))
    return [
        [
            key
            for key, rows in zip(ordered[region.start : region.stop], table.stored[region.start :], strict=False)
            if rows
        ]
        for region in table.regions
    ]
