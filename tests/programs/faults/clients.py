"""The client that is tested: the suite's own, one connection for all threads."""

from functools import partial
from unittest.mock import patch

import happybase

from shared.stores import connect
from shared.stores.hbase import retries

RETRY_MS = 20_000  # much longer than any fault lasts, also on a busy machine


def client(host: str, port: int, timeout_ms: int) -> happybase.Connection:
    return connect(f"hbase://{host}:{port}?timeout_ms={timeout_ms}&retry_ms={RETRY_MS}")


short_pauses = partial(patch.object, retries, "SHORTEST_PAUSE_S", 0.005)
"""Lets the client pause for milliseconds between attempts, since thousands of them would take hours."""
