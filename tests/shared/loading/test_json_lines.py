"""JSON lines: one object in each line, and the reason for every other line."""

import json

import attrs
import pytest

from tests.shared.loading.sales import OBJECT, SALE, lines


def test_a_json_line_is_a_record(written):
    path = written(json.dumps(OBJECT) + "\n\n" + json.dumps({**OBJECT, "other": [1], "amount": "7"}))
    assert lines(path) == [(1, SALE), (3, SALE)]


@pytest.mark.parametrize(
    ("change", "sale"),
    [
        ({"number": 7}, {"number": "7"}),
        ({"amount": 1000.0}, {"amount": 1000}),
        ({"amount": "1000.00"}, {"amount": 1000}),
        ({"sold_ms": 1.5e12}, {"sold_ms": 1_500_000_000_000}),
        ({"state": None, "note": None}, {}),
        ({"note": ""}, {"note": ""}),
    ],
)
def test_a_number_is_read_as_in_csv_and_null_is_none_or_the_default(written, change, sale):
    assert lines(written(json.dumps(OBJECT | change))) == [(1, attrs.evolve(SALE, **sale))]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"amount": True}, "Sale.amount: must be an int (got True)"),
        (
            {"amount": None},
            "Sale.amount: must be an int (got None); --default amount=VALUE gives a value to lines without one",
        ),
        ({"amount": -7}, "Sale.amount: must be 0 or more (got -7)"),
        ({"amount": 1000.5}, "Sale.amount: must be an int (got 1000.5)"),
        ({"amount": 2.0**53}, "Sale.amount: must be an int (got 9007199254740992.0)"),
        ({"number": 1.5}, "Sale.number: must be text (got 1.5)"),
        ({"number": True}, "Sale.number: must be text (got True)"),
        ({"number": "a\ud800"}, "Sale.number: must be Unicode text (got the lone surrogate \\ud800 at character 2)"),
        ({"sold_ms": 1.5e12 + 0.5}, "Sale.sold_ms: must be an int (got 1500000000000.5)"),
        ({"sold_ms": False}, "Sale.sold_ms: must be an int (got False)"),
        ({"state": "gone"}, "Sale.state: must be one of open, done (got 'gone')"),
        ({"number": "x" * 200, "amount": "x" * 200}, f"Sale.amount: must be an int (got '{'x' * 99}...)"),
    ],
)
def test_a_wrong_value_in_json_names_record_and_field(written, change, reason):
    assert lines(written(json.dumps(OBJECT | change))) == [(1, reason)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not valid JSON: Expecting property name enclosed in double quotes at character 2"),
        ('{"a": 1} x', "is not valid JSON: Extra data at character 10"),
        ("[1, 2]", "must be a JSON object (got '[1, 2]')"),
        ('{"number": "a", "number": "b"}', "is not valid JSON: 'number' occurs 2 times"),
        ('{"a": ' + "9" * 5000 + "}", "is not valid JSON: an int must have at most 4300 digits (got 5000)"),
        ('{"a": ' + "[" * 100_000 + "}", "is not valid JSON: maximum recursion depth"),
        ("{}", "no column number, nor any other of Sale"),
    ],
)
def test_a_line_that_is_not_a_record_has_a_reason(written, line, reason):
    first, second = lines(written(line + "\n" + json.dumps(OBJECT)), format="jsonl")
    assert first[0] == 1
    assert first[1].startswith(reason)
    assert "\n" not in first[1]
    assert second == (2, SALE)


def test_an_optional_field_may_be_null(written):
    assert lines(written(json.dumps(OBJECT | {"note": None}))) == [(1, SALE)]
    assert lines(written(json.dumps(OBJECT | {"note": "x"}))) == [(1, attrs.evolve(SALE, note="x"))]
