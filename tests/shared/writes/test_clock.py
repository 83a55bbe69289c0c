"""The writer's clock never stands still and never goes back, whatever the system's clock does."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.writes import WriterClock


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The system's clock in milliseconds: a list of one that a test sets."""
    now_ms = [1_700_000_000_000]
    monkeypatch.setattr(time, "time_ns", lambda: now_ms[0] * 1_000_000 + 999_999)
    return now_ms


def test_the_time_is_milliseconds_since_1970(system: list[int]) -> None:
    assert WriterClock().now_ms() == 1_700_000_000_000


def test_it_does_not_stand_still_within_a_millisecond(system: list[int]) -> None:
    clock = WriterClock()
    first = system[0]
    assert [first, first + 1, first + 2] == [clock.now_ms() for _ in range(3)]


def test_it_does_not_go_back_with_the_system_clock(system: list[int]) -> None:
    clock = WriterClock()
    first = clock.now_ms()
    system[0] -= 3_600_000
    assert [first + 1, first + 2] == [clock.now_ms() for _ in range(2)]


def test_it_follows_the_system_clock_once_that_is_ahead_again(system: list[int]) -> None:
    clock = WriterClock()
    clock.now_ms()
    system[0] += 10
    assert system[0] == clock.now_ms()


def test_it_is_above_the_timestamp_of_what_is_overwritten(system: list[int]) -> None:
    clock = WriterClock()
    now = system[0]
    assert now == clock.now_ms(above_ms=now - 1)
    assert now + 1 == clock.now_ms(above_ms=now)
    assert now + 5001 == clock.now_ms(above_ms=now + 5000)


def test_a_row_from_the_future_does_not_move_the_clock(system: list[int]) -> None:
    clock = WriterClock()
    now = system[0]
    assert [now, now + 5001, now + 2] == [clock.now_ms(above_ms=above) for above in (0, now + 5000, 0)]


def test_no_two_threads_get_the_same_reading() -> None:
    clock = WriterClock()
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(lambda _: [clock.now_ms() for _ in range(500)], range(4)))
    assert len({reading for thread_readings in readings for reading in thread_readings}) == 2000
    assert all(sorted(thread_readings) == thread_readings for thread_readings in readings)
