"""What the region servers of an HBase count, read from the master's page: rows written, region by region."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import happybase

_WRITTEN = re.compile(r"_region_([0-9a-f]{32})_metric_writeRequestCount$")
_COUNTED_S = 240
"""A server caches its counters for ten seconds unless told otherwise, and has none for a moment when a region opens.

While other tests create tables, that moment may last for minutes."""


class NotCounted(Exception):
    """Counters that are not those of the rows that were written."""


def rows_written(connection: happybase.Connection, info_url: str, wanted: Mapping[str, int]) -> dict[str, list[int]]:
    """For each table how many rows every region took, in key order, once they are as many as were `wanted` of it.

    A row counts as often as it is put or deleted. Regions that moved count from 0 again, and regions of servers in
    other processes than the master's are not on its page: then they never are so many, and NotCounted says so.
    """
    regions = {
        table: [region["name"].split(b".")[-2].decode() for region in connection.table(table).regions()]
        for table in wanted
    }
    latest_s = time.monotonic() + _COUNTED_S
    while True:
        counters = _counters(info_url)
        counts = {table: [counters.get(region, 0) for region in those] for table, those in regions.items()}
        if all(sum(counts[table]) == rows for table, rows in wanted.items()):
            return counts
        if time.monotonic() > latest_s:
            others = ", ".join(f"{table} {sum(counts[table])} of {rows}" for table, rows in wanted.items())
            raise NotCounted(f"{info_url}: must have counted all rows written within {_COUNTED_S} s (has {others})")
        time.sleep(0.5)


def _counters(info_url: str) -> dict[str, int]:
    """Rows written since a region was opened, by the region's encoded name."""
    counters = (counter for bean in _beans(info_url, "Regions") for counter in bean.items())
    return {match[1]: count for name, count in counters if (match := _WRITTEN.search(name))}


def server_counters(info_url: str) -> dict[str, Any]:
    """What the region servers of the master's process have counted since they started."""
    (counters,) = _beans(info_url, "Server")
    return counters


def _beans(info_url: str, of: str) -> list[dict[str, Any]]:
    """The counters of regions or of the server, as JMX has them."""
    bean = f"Hadoop:service=HBase,name=RegionServer,sub={of}"
    with urlopen(f"{info_url}/jmx?qry={quote(bean)}", timeout=10) as answer:
        beans: list[dict[str, Any]] = json.load(answer)["beans"]
    return beans


def version(info_url: str) -> str:
    """The version of HBase, as the master's page says it."""
    with urlopen(f"{info_url}/master-status", timeout=10) as answer:
        match = re.search(r"HBase Version</td>\s*<td>([^,<]+)", answer.read().decode())
    return match[1] if match else "of unknown version"
