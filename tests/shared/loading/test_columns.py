"""Columns, mappings and units: which column a field is read from, and what the integers of a time count."""

import json

import attrs
import pytest

from shared.loading import UnknownField, UnknownUnit, read_lines
from tests.shared.loading.sales import HEADER, LINE, NOTES, OBJECT, SALE, Sale, lines, refusal

SECONDS, MICROSECONDS, NANOSECONDS = 1_740_823_200, 1_740_823_200_123_000, 1_740_823_200_123_000_000
OTHER_UNITS = {
    SECONDS: "is most likely in seconds, 2025-03-01T10:00:00.000Z: give --unit sold_ms=s",
    MICROSECONDS: "is most likely in microseconds, 2025-03-01T10:00:00.123Z: give --unit sold_ms=us",
    NANOSECONDS: "is most likely in nanoseconds, 2025-03-01T10:00:00.123Z: write milliseconds",
}


def files_of(number):
    """A CSV and two JSON lines, all with this time."""
    yield f"{HEADER}n-1,{number},7\n"
    yield as_json(number)
    yield as_json(str(number))


def as_json(sold_ms):
    return json.dumps(OBJECT | {"sold_ms": sold_ms}) + "\n"


@pytest.mark.parametrize(("number", "reason"), OTHER_UNITS.items())
def test_a_time_that_is_most_likely_in_another_unit_is_refused(written, number, reason):
    for content in files_of(number):
        ((_, refused),) = lines(written(content))
        assert refused == f"Sale.sold_ms: {reason}; if it counts milliseconds, give --unit sold_ms=ms (got {number})"


@pytest.mark.parametrize(
    ("unit", "number", "sold_ms"),
    [
        ("s", SECONDS, SECONDS * 1000),
        ("s", -1, -1000),
        ("s", 20170623, 20_170_623_000),
        ("ms", SECONDS, SECONDS),
        ("ms", MICROSECONDS, MICROSECONDS),
        ("ms", 20170623, 20_170_623),
        ("us", MICROSECONDS, MICROSECONDS // 1000),
        ("us", -5000, -5),
    ],
)
def test_a_time_is_read_in_the_unit_that_is_named(written, unit, number, sold_ms):
    for content in files_of(number):
        assert lines(written(content), units={"sold_ms": unit})[0][1].sold_ms == sold_ms


def test_microseconds_that_are_not_whole_milliseconds_are_refused(written):
    for content in files_of(MICROSECONDS + 1):
        assert lines(written(content), units={"sold_ms": "us"})[0][1] == (
            f"Sale.sold_ms: must be a time in whole milliseconds (got {MICROSECONDS + 1} microseconds)"
        )


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_unit_is_that_of_numbers_only(written, unit):
    for content in files_of("2020-01-01"):
        assert lines(written(content), units={"sold_ms": unit})[0][1] == SALE
    for content in files_of("1.5e3"):
        assert lines(written(content), units={"sold_ms": unit})[0][1].startswith("Sale.sold_ms: must be a time such")


def test_milliseconds_with_a_plus_sign_are_taken_as_they_are(written):
    assert lines(written(f"{HEADER}n-1,+{SECONDS},7\n"))[0][1].sold_ms == SECONDS


def test_times_that_a_format_reads_itself_are_in_milliseconds_whatever_the_unit(written):
    plain = attrs.evolve(NOTES, read=lambda rows, _: ((1, 1, {**OBJECT, "sold_ms": SECONDS}) for _ in rows))
    path = written("@n-1\n")
    converting = attrs.evolve(plain, has_milliseconds=True)
    assert lines(path, formats=[converting])[0][1].sold_ms == SECONDS
    assert lines(path, formats=[converting], units={"sold_ms": "s"})[0][1].sold_ms == SECONDS
    assert "most likely" in lines(path, formats=[plain])[0][1]


@pytest.mark.parametrize(
    ("units", "error", "message"),
    [
        ({"price": "s"}, UnknownField, "Sale.price: no such field (fields: number, sold_ms, amount, state, note)"),
        ({"sold": "s"}, UnknownField, "Sale.sold: no such field (fields: number, sold_ms, amount, state, note)"),
        ({"amount": "s"}, UnknownUnit, "Sale.amount: is not a time, so it has no unit (times: sold_ms)"),
        ({"sold_ms": "ns"}, UnknownUnit, "Sale.sold_ms: its unit must be s, ms or us (got 'ns')"),
        ({"sold_ms": ""}, UnknownUnit, "Sale.sold_ms: its unit must be s, ms or us (got '')"),
    ],
)
def test_a_unit_that_does_not_exist_or_fit_the_field_is_refused(tmp_path, units, error, message):
    with pytest.raises(error) as refused:
        read_lines(tmp_path / "none.csv", Sale, units=units)
    assert str(refused.value) == message


def test_a_field_can_take_another_column(written):
    path = written("tx, when, price (in wei)\nn-1, 2020-01-01 00:00:00 UTC, 7\n")
    mapping = {"number": "tx", "sold_ms": "when", "amount": "price (in wei)"}
    assert lines(path, mapping=mapping) == [(2, SALE)]
    path = written(json.dumps({"tx": "n-1", "when": 1_577_836_800_000, "price (in wei)": 7}))
    assert lines(path, mapping=mapping) == [(1, SALE)]


def test_two_fields_can_take_one_column(written):
    path = written("sold_ms,amount\n0,7\n")
    assert lines(path, mapping={"number": "amount"}) == [(2, Sale("7", 0, 7))]


def test_a_file_without_a_needed_column_is_refused_with_the_columns_seen(written):
    assert refusal(written("number,when,\x1b[31m\nn-1,0,7\n")) == (
        "no column sold_ms, amount for Sale.sold_ms, amount; map a field to one of: number, when, '\\x1b[31m'"
    )


def test_a_mapping_to_a_column_that_is_not_there_is_refused_even_for_a_field_with_a_default(written):
    assert refusal(written(HEADER + LINE), mapping={"state": "stat"}).startswith("no column stat for Sale.state;")
    ((_, reason),) = lines(written(json.dumps(OBJECT)), mapping={"state": "stat"})
    assert reason.startswith("no column stat for Sale.state;")


def test_a_column_that_is_there_twice_is_refused_where_it_is_needed(written):
    assert refusal(written("number,sold_ms,amount,amount\nn-1,0,7,8\n")) == "column amount occurs 2 times"
    assert lines(written("x,x,number,sold_ms,amount\n1,2,n-1,2020-01-01,7\n")) == [(2, SALE)]


def test_many_columns_are_not_all_listed(written):
    assert len(refusal(written(",".join(f"column {number}" for number in range(1000))))) < 700


def test_a_mapping_of_a_field_that_the_record_does_not_have_is_wrong_usage(written):
    with pytest.raises(UnknownField, match=r"^Sale.price: no such field \(fields: number, sold_ms, amount, "):
        read_lines(written(HEADER), Sale, mapping={"price": "amount"})
