"""Columns, mappings and units: which column a field is read from, and what the integers of a time count."""

import json

import attrs
import pytest

from shared.loading import UnknownField, UnknownUnit, read_lines
from tests.shared.loading.sales import HEADER, LINE, NOTES, OBJECT, SALE, Sale, described, lines, refusal

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
        ("s", 20170623, 20_170_623_000),
        ("ms", SECONDS, SECONDS),
        ("us", MICROSECONDS, MICROSECONDS // 1000),
        ("us", -5000, -5),
    ],
)
def test_a_time_is_read_in_the_unit_that_is_named(written, unit, number, sold_ms):
    for content in files_of(number):
        assert lines(written(content), units={"sold_ms": unit})[0][1].sold_ms == sold_ms


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_unit_is_that_of_numbers_only(written, unit):
    for text, wanted in (("2020-01-01", SALE), ("1.5e3", "Sale.sold_ms: must be a time such")):
        for content in files_of(text):
            ((_, read),) = lines(written(content), units={"sold_ms": unit})
            assert read == wanted or str(read).startswith(str(wanted))


def test_milliseconds_that_a_plus_sign_or_the_format_says_are_taken_as_they_are(written):
    assert lines(written(f"{HEADER}n-1,+{SECONDS},7\n"))[0][1].sold_ms == SECONDS
    plain = attrs.evolve(NOTES, read=lambda rows, _: ((1, 1, {**OBJECT, "sold_ms": SECONDS}) for _ in rows))
    path, converting = written("@n-1\n"), attrs.evolve(plain, has_milliseconds=True)
    assert lines(path, formats=[converting])[0][1].sold_ms == SECONDS
    assert lines(path, formats=[converting], units={"sold_ms": "s"})[0][1].sold_ms == SECONDS
    assert "most likely" in lines(path, formats=[plain])[0][1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"units": {"price": "s"}}, UnknownField, "Sale.price: no such field ("),
        ({"mapping": {"price": "amount"}}, UnknownField, "Sale.price: no such field ("),
        ({"units": {"amount": "s"}}, UnknownUnit, "Sale.amount: is not a time, so it has no unit (times: sold_ms)"),
        ({"units": {"sold_ms": "ns"}}, UnknownUnit, "Sale.sold_ms: its unit must be s, ms or us (got 'ns')"),
    ],
)
def test_an_option_that_does_not_fit_the_fields_is_refused(tmp_path, options, error, message):
    with pytest.raises(error) as refused:
        read_lines(tmp_path / "none.csv", Sale, description=described(**options))
    assert str(refused.value).startswith(message)


MAPPING = {"number": "tx", "sold_ms": "when", "amount": "price (in wei)"}


@pytest.mark.parametrize(
    ("content", "mapping", "wanted"),
    [
        ("tx, when, price (in wei)\nn-1, 2020-01-01 00:00:00 UTC, 7\n", MAPPING, (2, SALE)),
        (json.dumps({"tx": "n-1", "when": 1_577_836_800_000, "price (in wei)": 7}), MAPPING, (1, SALE)),
        (
            json.dumps({"sale": {"tx": "n-1"}, "sold_ms": 1_577_836_800_000, "amount": 7}),
            {"number": "sale.tx"},
            (1, SALE),
        ),
        ("sold_ms,amount\n0,7\n", {"number": "amount"}, (2, Sale("7", 0, 7))),  # two fields take one column
        ("x,x,number,sold_ms,amount\n1,2,n-1,2020-01-01,7\n", {}, (2, SALE)),  # one that is there twice is not needed
    ],
    ids=["csv", "json", "nested", "one for two", "twice"],
)
def test_a_field_can_take_another_column(written, content, mapping, wanted):
    assert lines(written(content), mapping=mapping) == [wanted]


@pytest.mark.parametrize(
    ("content", "mapping", "reason"),
    [
        (
            "number,when,\x1b[31m\nn-1,0,7\n",
            {},
            "no column sold_ms, amount for Sale; map a field to one of: number, when, '\\x1b[31m'",
        ),
        ("when,price\n0,7\n", {}, "no column number, nor any other of Sale; map a field to one of: when, price"),
        # Even for a field with a default.
        (HEADER + LINE, {"state": "stat"}, "no column stat for Sale.state; map a field to one of: "),
        ("number,sold_ms,amount,amount\nn-1,0,7,8\n", {}, "column amount occurs 2 times"),
    ],
)
def test_a_file_without_a_needed_column_is_refused_with_the_columns_seen(written, content, mapping, reason):
    assert refusal(written(content), mapping=mapping).startswith(reason)


def test_a_line_without_a_mapped_column_has_the_default_and_is_bad_if_there_is_none(written):
    ((_, reason),) = lines(written(json.dumps(OBJECT)), mapping={"number": "no"})
    assert reason.startswith("no column no for Sale.number;")
    path = written("".join(json.dumps(OBJECT | more) + "\n" for more in ({"stat": "done"}, {}, {"stat": None})))
    read = read_lines(path, Sale, description=described(mapping={"state": "stat", "note": "text"}))
    assert [line.record.state for line in read] == ["done", "open", "open"]
    assert read.notes == ["no line has text, so Sale.note has its default"]


def test_a_line_that_is_refused_has_its_columns_too(written):
    path = written('{"number": "n", "sold_ms": 5, "amount": 7}\n{"number": "n", "text": "t"}\n')
    read = read_lines(path, Sale, description=described(mapping={"note": "text"}))
    assert [line.record is None for line in read] == [False, True]
    assert read.notes == []


def test_many_columns_are_not_all_listed(written):
    assert len(refusal(written(",".join(f"column {number}" for number in range(1000))))) < 700
