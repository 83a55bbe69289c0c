"""The records of a period, for plain lists."""

from collections.abc import Iterable
from typing import Any

from shared.keys import between


def in_period(records: Iterable[Any], since_ms: int | None, until_ms: int | None, **wanted: Any) -> list[Any]:
    """The records from `since_ms` to `until_ms` (exclusive) that have these values; None stands for any value."""
    period, given = between(since_ms, until_ms), {name: value for name, value in wanted.items() if value is not None}
    return [
        record
        for record in records
        if record.time_ms in period and all(getattr(record, name) == value for name, value in given.items())
    ]
