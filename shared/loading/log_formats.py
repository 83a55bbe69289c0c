"""Formats of logs that every design reads, in addition to CSV and JSON lines."""

import re

import attrs

from .journald import JOURNALD
from .json_lines import JSONL
from .syslog import SYSLOG
from .zeek import ZEEK

_EVE_TIME = re.compile(
    r'"timestamp"\s*:\s*"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}(?:[+-][0-9]{4})?"'
)


def _is_eve(line: str) -> bool:
    return line.lstrip().startswith("{") and '"event_type"' in line and bool(_EVE_TIME.search(line))


EVE = attrs.evolve(
    JSONL,
    name="eve",
    title="EVE log",
    recognizes=_is_eve,
    time_column="timestamp",
)
"""Suricata's eve.json: JSON lines with `timestamp` and `event_type`; `alert.signature` is a column, too."""

LOG_FORMATS = (SYSLOG, ZEEK, EVE, JOURNALD)
"""Each recognizes only lines that its programs write, and reads JSON as `JSONL` does."""
