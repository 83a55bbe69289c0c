"""Values of Python's own types as text and JSON show them."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import attrs
import pytest

from shared.records.plain_values import json_of, plain_scalar
from shared.records.times import parse_date, parse_datetime, show_datetime
from tests.shared.specimens import NOON, Level


@attrs.frozen
class Address:
    city: str
    since: date


ID = UUID(int=7)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (NOON, "2020-02-06T12:00:00Z"),
        (NOON.astimezone(timezone(timedelta(hours=2))) + timedelta(microseconds=1), "2020-02-06T12:00:00.000001Z"),
        (date(2020, 2, 6), "2020-02-06"),
        (Level.LOW, "low"),
        (ID, "00000000-0000-0000-0000-000000000007"),
        (Decimal("1.50"), "1.50"),
        (b"\0\xff", "00ff"),
        ((1, "a", None, True), [1, "a", None, True]),
        ([Address("b", date(2020, 2, 6))], [{"city": "b", "since": "2020-02-06"}]),
        ({date(2020, 2, 6): {ID: (Level.HIGH,)}}, {"2020-02-06": {"00000000-0000-0000-0000-000000000007": ["high"]}}),
    ],
)
def test_json_shows_them_as_they_are_read(value, plain):
    assert json.loads(json_of(value)) == plain


def test_json_is_on_one_line_and_in_ascii_if_wanted():
    assert json_of({"a": "\u00e9"}) == '{"a": "\u00e9"}'
    assert json_of({"a": "\u00e9"}, ascii_only=True) == '{"a": "\\u00e9"}'
    with pytest.raises(TypeError, match=r"^must be a value that JSON can show"):
        json_of([object()])


def test_a_single_value_of_other_types_is_as_it_was():
    for value in (5, "a", b"a", 1.5, None, [Level.LOW]):
        assert plain_scalar(value) is value


@pytest.mark.parametrize("moment", [NOON, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_a_time_is_read_as_it_is_shown(moment):
    assert parse_datetime(show_datetime(moment)) == moment
    assert parse_datetime(show_datetime(moment)).tzinfo is UTC
    assert parse_date(str(moment.date())) == moment.date()
