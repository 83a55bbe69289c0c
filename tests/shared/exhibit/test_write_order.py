"""When records are written is read from their values, whatever a field is called and however a file is sorted."""

from datetime import UTC, date, datetime
from typing import Any

import attrs
import pytest

from shared.exhibit.write_order import are_ids, time_field, time_format

MOMENT_MS = 1_768_212_900_250
"""2026-01-12T10:15:00.250Z"""
SECOND_MS, DAY_MS = MOMENT_MS - 250, 1_768_176_000_000


@pytest.mark.parametrize(
    ("value", "time_ms"),
    [
        (1_768_212_900, SECOND_MS),
        (1_768_212_900.25, MOMENT_MS),
        (MOMENT_MS, MOMENT_MS),
        (1000 * MOMENT_MS, MOMENT_MS),
        (1_000_000 * MOMENT_MS, MOMENT_MS),
        ("1768212900250", MOMENT_MS),
        ("2026-01-12", DAY_MS),
        ("2026/01/12 10:15", SECOND_MS),
        ("2026-01-12T10:15:00.250Z", MOMENT_MS),
        ("20260112", DAY_MS),
        ("20260112101500", SECOND_MS),
        ("INV-20260112-0042", DAY_MS),
        (date(2026, 1, 12), DAY_MS),
        (datetime(2026, 1, 12, 10, 15, tzinfo=UTC), SECOND_MS),
        ("01KERV7ACTMCY5NCBFQ3ZR8WTX", MOMENT_MS),
        ("evt_01KERV7ACTMCY5NCBFQ3ZR8WTX", MOMENT_MS),
        ("019bb1b3-a99a-7abc-8123-0123456789ab", MOMENT_MS),
        (bytes.fromhex("019bb1b3a99a7abc81230123456789ab"), MOMENT_MS),
        ("6964c9a40123456789abcdef", SECOND_MS),
    ],
)
def test_times_are_recognised_by_their_values(value: Any, time_ms: int) -> None:
    to_ms = time_format([value])
    assert to_ms is not None
    assert abs(to_ms(value) - time_ms) < 1


@pytest.mark.parametrize(
    "values",
    [[250, 1_900], [0, 1_768_212_900], ["a", "b"], ["10", "9"], [True], [None], [-315_619_200_000], [b"12345678"], []],
)
def test_other_values_are_no_times(values: list[Any]) -> None:
    assert time_format(values) is None


def test_an_id_that_holds_a_time_differs_from_another_one_of_its_moment() -> None:
    assert are_ids(["01KERV7ACTMCY5NCBFQ3ZR8WTX"])
    assert not are_ids([MOMENT_MS])


@attrs.frozen
class Visit:
    name: str
    latency_ms: int
    born_ms: int
    at: int


def visits(count: int = 40) -> list[Visit]:
    """Visits in the order of names; each person was born in another year."""
    return [
        Visit(
            f"n-{number:03}",
            number * 37 % 900,
            946_684_800_000 + number * 7 % count * 31_556_952_000,
            1_768_212_900 + number * 13 % count,
        )
        for number in range(count)
    ]


def test_records_are_written_in_the_order_of_the_time_that_spans_the_shortest_period() -> None:
    field = time_field(visits())
    assert field is not None
    assert (field.name, field.time_ms(visits()[0])) == ("at", SECOND_MS)


def test_a_time_that_one_record_does_not_have_tells_nothing() -> None:
    @attrs.frozen
    class Stay:
        until_s: int | None

    stays = [Stay(1_768_212_900 + number) for number in range(5_000)]
    assert time_field(stays) is not None
    assert time_field([*stays[:4_321], Stay(None), *stays[4_321:]]) is None


def test_a_date_of_birth_does_not_tell_when_a_record_is_written() -> None:
    @attrs.frozen
    class Person:
        name: str
        born_ms: int

    assert time_field([Person(visit.name, visit.born_ms) for visit in visits()]) is None
    assert time_field([]) is None
