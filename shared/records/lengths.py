"""Lengths of time as text, as users type and read them; arguments hold milliseconds."""

import re

from ..keys.errors import shown

LENGTH = "every_ms"
"""The argument that is a length of time; all others whose names end in `_ms` are points in time."""
_DAY_MS = 86_400_000
UNIT_LENGTHS_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": _DAY_MS,
    "w": 7 * _DAY_MS,
    "n": 30 * _DAY_MS,
    "y": 365 * _DAY_MS,
}
"""Milliseconds of one of each unit, by OpenTSDB's letters; months (n) and years (y) have 30 and 365 days."""
_UNITS_MS = {unit: UNIT_LENGTHS_MS[unit] for unit in ("w", "d", "h", "m", "s", "ms")} | {"": 1}


def parse_length(text: str) -> int:
    """Milliseconds of a length such as `10m`, `6h` or `14d`, or of a number of milliseconds. Raises ValueError."""
    match = re.fullmatch(r"([0-9]{1,15})(ms|[smhdw]?)", text, re.ASCII)
    if not match:
        raise ValueError(f"must be a length such as 10m, 6h or 14d, or milliseconds (got {shown(text)})")
    return int(match[1]) * _UNITS_MS[match[2]]


def show_length(length_ms: int) -> str:
    """`10m`, in the largest unit that divides it."""
    unit, unit_ms = next((unit, unit_ms) for unit, unit_ms in _UNITS_MS.items() if length_ms % unit_ms == 0)
    return f"{length_ms // unit_ms}{unit}"
