"""Ranges of rows as the HBase shell takes them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.exhibit.shell import MAX_LINE, quoted, statement
from shared.keys.ranges import RowRange

ROW, ROWS = RowRange(b"a", b"a\0"), RowRange(b"a", b"b")
FROM_A, UP_TO_B = RowRange(b"a", None), RowRange(b"", b"b")


@pytest.mark.parametrize(
    ("rows", "options", "wanted"),
    [
        (RowRange(b"n-42", b"n-42\0"), {}, "get 't', \"n-42\""),
        (RowRange(b"", None), {}, "scan 't'"),
        (FROM_A, {}, "scan 't', {STARTROW => \"a\"}"),
        (UP_TO_B, {}, "scan 't', {STOPROW => \"b\"}"),
        (ROWS, {}, """scan 't', {STARTROW => "a", STOPROW => "b"}"""),
        (RowRange(b'"#{a}\\', b"\xff~"), {}, r"""scan 't', {STARTROW => "\x22\x23{a}\x5C", STOPROW => "\xFF~"}"""),
        (
            ROWS,
            {"reverse": True, "filter": b"F('\xff')", "limit": 11},
            r"""scan 't', {STARTROW => "b", STOPROW => "a", REVERSED => true, FILTER => "F('\xFF')", LIMIT => 11}""",
        ),
        (UP_TO_B, {"reverse": True}, "scan 't', {STARTROW => \"b\", REVERSED => true}"),
        (FROM_A, {"reverse": True}, "scan 't', {STOPROW => \"a\", REVERSED => true}"),
        (ROW, {"before_ms": 6}, "get 't', \"a\", {TIMERANGE => [0, 6]}"),
        (ROW, {"column": b"d:b", "versions": 3}, 'get \'t\', "a", {COLUMN => "d:b", VERSIONS => 3}'),
        (
            ROWS,
            {"before_ms": 6, "limit": 2},
            """scan 't', {STARTROW => "a", STOPROW => "b", TIMERANGE => [0, 6], LIMIT => 2}""",
        ),
        (FROM_A, {"families": ("f", "p")}, """scan 't', {STARTROW => "a", COLUMNS => ['f', 'p']}"""),
        # A get has no limit; with a filter it is a scan.
        (ROW, {"limit": 2}, "get 't', \"a\""),
        (ROW, {"filter": b"F()"}, r"""scan 't', {STARTROW => "a", STOPROW => "a\x00", FILTER => "F()"}"""),
    ],
)
def test_a_range_is_a_get_or_a_scan_with_the_options_of_its_read(rows, options, wanted):
    assert wanted == statement("t", rows, **options)


def test_a_long_statement_is_broken_between_its_options():
    first, second = statement("t", RowRange(b"\0" * 20, b"\1" * 20)).split("\n")
    assert first == "scan 't', {STARTROW => " + quoted(b"\0" * 20) + ","
    assert second == "           STOPROW => " + quoted(b"\1" * 20) + "}"
    assert len(first + second) > MAX_LINE


@given(st.binary(max_size=40))
def test_quoted_bytes_read_as_ruby_reads_them_are_the_bytes_again(row):
    inner = quoted(row).removeprefix('"').removesuffix('"')
    assert not re.search(r'["#]', inner)
    assert re.sub(r"\\x([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), inner).encode("latin-1") == row
