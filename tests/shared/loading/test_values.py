"""Values: read exactly as they are written, or refused."""

import enum
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import attrs
import pytest

from shared.loading import read_value


class Status(enum.Enum):
    OPEN = "open"
    PAID = "paid"


class Word(enum.StrEnum):
    YES = "y"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


LOW = Level.LOW


@attrs.frozen
class Place:
    city: str
    seen_ms: int = 0
    levels: tuple[Level, ...] = attrs.field(default=(), alias="of")


ID = UUID("00112233-4455-6677-8899-aabbccddeeff")
AT = datetime(2020, 2, 6, 8, 8, 37, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wanted", "given", "value"),
    [
        (float, "1.5", 1.5),
        (float, 7, 7.0),
        (float, "0" * 5000 + ".5", 0.5),
        (int | float, 9_007_199_254_740_993, 9_007_199_254_740_993),
        (int | float, "1.5", 1.5),
        (int | float, "7", 7),
        (bool, "true", True),
        (bool, "false", False),
        (bool, True, True),
        (bytes, "00ff", b"\x00\xff"),
        (Mapping[str, str | None], {"a": "b", "": None}, {"a": "b", "": None}),
        (datetime, "2020-02-06T08:08:37.123456Z", AT),
        (datetime, "2020-02-06 10:08:37.123456+02:00", AT),
        (datetime | None, "2020-02-06T08:08:37.123456", AT),
        (datetime, "2020-02-06", datetime(2020, 2, 6, tzinfo=UTC)),
        (datetime | None, None, None),
        (date, "2020-02-06", date(2020, 2, 6)),
        (Status, "paid", Status.PAID),
        (Status | None, "paid", Status.PAID),
        (Word, "y", Word.YES),
        (Level, "2", Level.HIGH),
        (Level, 2, Level.HIGH),
        (UUID, "00112233-4455-6677-8899-AABBCCDDEEFF", ID),
        (Decimal, "1.50", Decimal("1.50")),
        (Decimal | None, 7, Decimal(7)),
        (tuple[date, ...], ["2020-02-06"], (date(2020, 2, 6),)),
        (tuple[Status, int], ["open", 5], (Status.OPEN, 5)),
        (list[UUID], [str(ID)], [ID]),
        (Mapping[str, Decimal], {"a": "1.0"}, {"a": Decimal("1.0")}),
        (Mapping[str, str | None], '{"a": 5, "": null}', {"a": "5", "": None}),
        (Mapping[str, Any], '{"a": [1.5, {"b": null}]}', {"a": [1.5, {"b": None}]}),
        (list[UUID], f'["{ID}"]', [ID]),
        (tuple[str, ...], '["a", "7"]', ("a", "7")),
        (tuple[tuple[str, str], ...], '[["a", "b=c,d"], ["a", ""]]', (("a", "b=c,d"), ("a", ""))),
        (tuple[tuple[str, str], ...], '{"a": "b"}', (("a", "b"),)),
        (Place, '{"city": "b"}', Place("b")),
        (int, "-1000.0", -1000),
        (int, 1e15, 10**15),
        (Place, {"city": "b", "other": 1}, Place("b")),
        (
            Place | None,
            {"city": "b", "seen_ms": "1970-01-01T00:00:01Z", "levels": ["1"]},
            Place("b", 1000, (Level.LOW,)),
        ),
    ],
)
def test_other_types_are_read_as_they_are_written(wanted, given, value):
    read = read_value("field", wanted, given)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        *((wanted, given) for wanted in (float, int | float) for given in ("nan", "1_0", True, "x")),
        *((bool, "no"), (bool, 1), (bytes, "0"), (bytes, 3)),
        *(
            (datetime, given)
            for given in (1_580_976_517, "20200206", "2020-02-06T08:08:37.1234567Z", "0001-01-01T00+01", "x")
        ),
        *((date, given) for given in (5, "20200206", "2020-02-30", "2020-02-06T00:00Z", "\u0662020-02-06")),
        *((Status, given) for given in ("PAID", "OPEN", 1, None)),
        *((Level, given) for given in ("LOW", "3", "+", True, 1.0)),
        *((Word, given) for given in ("YES", 1)),
        *((UUID, given) for given in (ID.hex, f"{{{ID}}}", 5, "x")),
        *((Decimal, given) for given in (1.5, "1_0", "NaN", "inf", True, "")),
        *((list[int], given) for given in ("12", 5, {"a": 1})),
        *((tuple[int, str], given) for given in ([1], [1, "a", 2], "12")),
        *((Place, given) for given in ("b", {}, {"city": 5.5}, {"city": "b", "levels": [9]})),
        *((Mapping[str, str], given) for given in ("{", [["a", "b"]], None, {"a": 5.5}, {"a": None})),
        *((Mapping[str, Any], given) for given in ("[]", {"a": "\ud800"}, {"\udfff": 1}, {"a": [{"b": "\ud800"}]})),
        *((tuple[str, ...], given) for given in ("a", '["a"', "[1.5]", ["\ud800"])),
    ],
)
def test_other_types_are_never_guessed(wanted, given):
    with pytest.raises(ValueError, match="must be "):
        read_value("field", wanted, given)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("1e999", "'1e999'"),
        ("9" * 5000, f"'{'9' * 99}..."),
        (10**400, "an int of 1329 bits"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_that_no_float_holds_is_refused(given, shown):
    with pytest.raises(ValueError, match=r"^must be a number") as refused:
        read_value("field", float, given)
    assert str(refused.value) == f"must be a number in the range of a float (got {shown})"


def test_an_int_of_thousands_of_digits_is_refused_as_other_types_in_one_line():
    for wanted in (float, str, bool, bytes):
        with pytest.raises(ValueError, match=r"^must be .* \(got an int of 16610 bits\)$"):
            read_value("field", wanted, 10**5000)
