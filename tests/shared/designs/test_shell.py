"""Ranges of rows as the HBase shell takes them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.designs.shell import MAX_LINE, quoted, statement
from shared.keys import RowRange


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (RowRange(b"n-42", b"n-42\0"), "get 't', \"n-42\""),
        (RowRange(b"", None), "scan 't'"),
        (RowRange(b"a", None), "scan 't', {STARTROW => \"a\"}"),
        (RowRange(b"", b"a"), "scan 't', {STOPROW => \"a\"}"),
        (RowRange(b"s-17\0\1", b"s-17\0\2"), r"""scan 't', {STARTROW => "s-17\x00\x01", STOPROW => "s-17\x00\x02"}"""),
        (RowRange(b'"#{a}\\', b"\xff~"), r"""scan 't', {STARTROW => "\x22\x23{a}\x5C", STOPROW => "\xFF~"}"""),
    ],
)
def test_a_range_is_a_get_or_a_scan(rows, wanted):
    assert wanted == statement("t", rows)


def test_a_long_statement_is_broken_between_its_options():
    first, second = statement("t", RowRange(b"\0" * 20, b"\1" * 20)).split("\n")
    assert first == "scan 't', {STARTROW => " + quoted(b"\0" * 20) + ","
    assert second == "           STOPROW => " + quoted(b"\1" * 20) + "}"
    assert len(first + second) > MAX_LINE


def test_a_scan_has_the_options_of_its_read():
    printed = statement("t", RowRange(b"a", b"b"), reverse=True, filter=b"F('\xff')", limit=11)
    assert printed == (
        r"""scan 't', {STARTROW => "b", STOPROW => "a", REVERSED => true, FILTER => "F('\xFF')", LIMIT => 11}"""
    )
    assert statement("t", RowRange(b"", b"b"), reverse=True) == "scan 't', {STARTROW => \"b\", REVERSED => true}"
    assert statement("t", RowRange(b"a", None), reverse=True) == "scan 't', {STOPROW => \"a\", REVERSED => true}"


def test_cells_before_a_time_versions_of_a_column_and_families_are_asked_for():
    row, rows = RowRange(b"a", b"a\0"), RowRange(b"a", b"b")
    assert statement("t", row, before_ms=6) == "get 't', \"a\", {TIMERANGE => [0, 6]}"
    assert statement("t", row, column=b"d:b", versions=3) == 'get \'t\', "a", {COLUMN => "d:b", VERSIONS => 3}'
    assert statement("t", rows, before_ms=6, limit=2) == (
        """scan 't', {STARTROW => "a", STOPROW => "b", TIMERANGE => [0, 6], LIMIT => 2}"""
    )
    from_a = RowRange(b"a", None)
    assert statement("t", from_a, families=("f", "p")) == """scan 't', {STARTROW => "a", COLUMNS => ['f', 'p']}"""


def test_a_get_has_no_limit_and_with_a_filter_it_is_a_scan():
    row = RowRange(b"a", b"a\0")
    assert statement("t", row, limit=2) == "get 't', \"a\""
    assert statement("t", row, filter=b"F()") == (
        r"""scan 't', {STARTROW => "a", STOPROW => "a\x00", FILTER => "F()"}"""
    )


@given(st.binary(max_size=40))
def test_quoted_bytes_read_as_ruby_reads_them_are_the_bytes_again(row):
    inner = quoted(row).removeprefix('"').removesuffix('"')
    assert not re.search(r'["#]', inner)
    assert re.sub(r"\\x([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), inner).encode("latin-1") == row
