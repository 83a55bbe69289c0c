"""The sample events, for the story, for the traps and for their tests."""

from pathlib import Path

from shared.loading import read_records

from .records import LogEvent, Repeats

SAMPLES = Path(__file__).parents[2] / "fixtures" / "logs" / "logs.jsonl"
LAST_MINUTE_MS = 60_000
"""The last minute of the samples is a busy one; its writes show where new rows go."""


def sample_events() -> list[LogEvent]:
    """All of them, equal ones told apart as `load` does."""
    return list(map(Repeats(), read_records(SAMPLES, LogEvent)))
