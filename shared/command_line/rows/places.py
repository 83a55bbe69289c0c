"""Where a store has a row: the region of its table, and whether the row is stored."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs
import happybase

from ...keys.ranges import RowRange
from ...records import show_time
from ...tables import TableLayout
from .ranges import shown_range


@attrs.frozen
class Place:
    """The region of a row, of all regions of its table in the order of keys."""

    number: int
    """From 1."""
    regions: int
    rows: RowRange
    server: str
    """HOST:PORT of the region server; empty in an embedded store."""
    is_stored: bool | None
    """Whether the row is there; None if nobody has looked."""
    expires_ms: Mapping[str, int] = attrs.field(factory=dict[str, int], hash=False)
    """When the newest cells of the row expire, by family, if that has a TTL."""

    @property
    def words(self) -> str:
        """`region 2 of 8, row 20 up to row 40, on server-1:16020; the row is stored`."""
        where = f" on {self.server}" if self.server else ""
        row = {True: "; the row is stored", False: "; it has no such row", None: ""}[self.is_stored]
        expiry = "".join(f"; family {name} expires at {show_time(ms)}" for name, ms in self.expires_ms.items())
        return f"region {self.number} of {self.regions}{where}: {shown_range(self.rows)}{row}{expiry}"

    @property
    def as_json(self) -> dict[str, Any]:
        """The place by names."""
        return {
            "region": self.number,
            "regions": self.regions,
            "from": self.rows.start,
            "up_to": self.rows.stop,
            "server": self.server,
            "is_stored": self.is_stored,
            **({"expires_ms": self.expires_ms} if self.expires_ms else {}),
        }


class Places:
    """The regions of a store's tables, each table read once."""

    def __init__(self, connection: happybase.Connection) -> None:
        self._connection = connection
        self.tables = {name.decode() for name in connection.tables()}
        self._regions = cache(self._sorted_regions)

    def _sorted_regions(self, table: str) -> list[dict[str, Any]]:
        return sorted(self._connection.table(table).regions(), key=lambda region: region["start_key"])

    def of(self, table: TableLayout[Any, Any], row: bytes, *, looks: bool = True) -> Place | None:
        """The place of a row, and whether it is stored if `looks`; None if the store lacks the table."""
        if table.name not in self.tables:
            return None
        regions = self._regions(table.name)
        number = bisect_right([region["start_key"] for region in regions], row)
        region = regions[number - 1]
        server = f"{_text(region['server_name'])}:{region['port']}" if region["port"] else ""
        rows = RowRange(region["start_key"], region["end_key"] or None)
        if not looks:
            return Place(number, len(regions), rows, server, None)
        cells = self._connection.table(table.name).row(row, include_timestamp=True)  # also the columns of other layouts
        return Place(number, len(regions), rows, server, bool(cells), _expires_ms(table, cells))


def _expires_ms(table: TableLayout[Any, Any], cells: Mapping[bytes, tuple[bytes, int]]) -> dict[str, int]:
    expires_ms: dict[str, int] = {}
    for column, (_value, time_ms) in cells.items():
        name = column.partition(b":")[0].decode()
        family = table.families.get(name)
        if family is not None and (ttl_s := family.lifetime_s) is not None:
            expires_ms[name] = max(expires_ms.get(name, 0), time_ms + ttl_s * 1000)
    return expires_ms


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
