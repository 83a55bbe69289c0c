"""The timestamps that HBase gives cells, and the events that overwrite each other without a tie-breaker."""

import time
from typing import Any

from domains.logs.shown.published import published_row
from shared.exhibit import LONG_MAX
from tests.designs import design_named
from tests.programs.hbase.server import HBase

TABLE = "cells"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def default_version(connection: Any, _hbase: HBase) -> list[dict[str, object]]:
    """For a put without a timestamp and one with Long.MAX_VALUE: how long after it was sent the cell is dated."""
    connection.create_table(TABLE, {"f": {"max_versions": 1}})
    table = connection.table(TABLE)
    found: list[dict[str, object]] = []
    for put_ms in (None, LONG_MAX):
        sent_ms = _now_ms()
        table.put(b"r", {b"f:v": str(put_ms).encode()}, timestamp=put_ms)
        answered_ms = _now_ms()
        ((value, stamp),) = table.cells(b"r", b"f:v", include_timestamp=True)
        assert value == str(put_ms).encode()
        found.append({"given": put_ms, "read": stamp, "sent": sent_ms, "answered": answered_ms})
    connection.delete_table(TABLE, disable=True)
    return found


def lost_without_a_tie(connection: Any, _hbase: HBase) -> dict[str, int]:
    """The sample events that are put under the published key, and the rows that are then in the table."""
    events = list(design_named("logs").loads[0].sample_records())
    connection.create_table(TABLE, {"f": {}})
    with connection.table(TABLE).batch(batch_size=1000) as batch:
        for event in events:
            batch.put(published_row(event), {b"f:v": b""})
    rows = sum(1 for _ in connection.table(TABLE).scan(batch_size=1000))
    connection.delete_table(TABLE, disable=True)
    return {"events": len(events), "rows": rows}
