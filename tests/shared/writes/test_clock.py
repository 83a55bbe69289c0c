"""The writer's clock never stands still and never goes back, whatever the system's clock does."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.writes import WriterClock

START_MS = 1_700_000_000_000
READINGS = {
    "it is the system's time": [(0, 0, 0)],
    "it does not stand still within a millisecond": [(0, 0, 0), (0, 0, 1), (0, 0, 2)],
    "it does not go back with the system's clock": [(0, 0, 0), (-3_600_000, 0, 1), (-3_600_000, 0, 2)],
    "it follows the system's clock once that is ahead again": [(0, 0, 0), (10, 0, 10)],
    "it is above the timestamp of what is overwritten": [(0, START_MS - 1, 0), (0, START_MS, 1)],
    "a row from the future does not move it": [(0, 0, 0), (0, START_MS + 5000, 5001), (0, 0, 2)],
}
"""The system's time, the timestamp of the cell to overwrite, and the reading; times in milliseconds from START_MS."""


@pytest.mark.parametrize("steps", READINGS.values(), ids=READINGS)
def test_each_reading_is_a_date_for_a_change(monkeypatch, steps):
    clock = WriterClock()
    for system_ms, above_ms, reading_ms in steps:
        system_ns = (START_MS + system_ms) * 1_000_000 + 999_999
        monkeypatch.setattr(time, "time_ns", lambda system_ns=system_ns: system_ns)
        assert clock.now_ms(above_ms) - START_MS == reading_ms


def test_no_two_threads_get_the_same_reading():
    clock = WriterClock()
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(lambda _: [clock.now_ms() for _ in range(500)], range(4)))
    assert len({reading for thread_readings in readings for reading in thread_readings}) == 2000
    assert all(sorted(thread_readings) == thread_readings for thread_readings in readings)
