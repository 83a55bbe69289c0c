"""Filters beyond the cases of tests/conformance: what they leave of a few rows, when a scan is done, patterns."""

import json
import re
from contextlib import closing

import happybase
import pytest

from shared.designs import metered
from shared.stores import connect
from shared.stores.filters.comparators import Comparison
from shared.stores.thrift1.errors import UncheckedError
from tests.programs.claims.filters import SCANS, TABLE, fill
from tests.programs.pages.claim_blocks import RECORDED
from tests.shared.stores.conftest import rows_read

# One row per line: its key, then column@timestamp=value, newest version first.
ROWS = """
a  d:x@1=1 d:y@1=1
ab d:x@2=2 m:z@2=9
b  d:y@1=3
c  d:x@3=3 d:x@2=1 d:y@2=1 m:x@3=3 m:z@1=1
"""


def filled(connection: happybase.Connection, rows: str = ROWS) -> happybase.Table:
    """A table of these rows."""
    connection.create_table("t", {family: {} for family in ("c", "cf", "cf1", "d", "m")})
    table = connection.table("t")
    for line in rows.strip().splitlines():
        row, *cells = line.split()
        for column, timestamp, value in (re.split("[@=]", cell) for cell in cells):
            table.put(row, {column: value}, timestamp=int(timestamp))
    return table


def shown(table: happybase.Table, row: bytes, column: bytes, value: bytes, timestamp: int) -> str:
    """The column; its timestamp and value only where they are not those of the newest version."""
    newest = table.cells(row, column, versions=1, include_timestamp=True) == [(value, timestamp)]
    return column.decode() if newest else f"{column.decode()}@{timestamp}={value.decode()}"


UNNAMED = "a d:@3=1 d:@2=1 d:@1=9"
VERSIONS = "a d:x@3=1 d:x@2=1 d:x@1=9\nb d:x@3=1 d:x@2=9 d:x@1=1"
TWO_FAMILIES = "a cf:z@1=1 cf1:a@1=1"
SPARSE = "a m:z@1=1\nb d:y@1=1 m:z@1=1"
JOINED = "a d:x@1=1\nb c:y@1=1 d:x@1=1 m:z@1=1"

# What no case of tests/conformance has: the filter, what the scan leaves, and what it scans.
LEFT = [
    # after a version that passed one more is seen, and no third
    ("SKIP ValueFilter(=,'binary:1')", "a d:x", {"rows": VERSIONS}),
    ("WHILE ValueFilter(=,'binary:1')", "a d:x; b d:x", {"rows": VERSIONS}),
    ("WHILE ValueFilter(=,'regexstring:[1239]')", "a d:x d:y; ab d:x m:z; b d:y; c d:x d:y m:x m:z", {}),
    # of the column without a qualifier every version is seen, unless it is asked for by name
    ("SKIP ValueFilter(=,'binary:1')", "", {"rows": UNNAMED}),
    ("SKIP ValueFilter(=,'binary:1')", "a d:", {"rows": UNNAMED, "columns": "d:"}),
    ("ColumnPaginationFilter(1,1)", "a d:@2=1", {"rows": UNNAMED}),
    ("ColumnPaginationFilter(1,1)", "", {"rows": UNNAMED, "columns": "d:"}),
    # a column that the scan does not ask for is missing
    ("DependentColumnFilter('d','y')", "", {"columns": "d:x"}),
    # families are in the order of their names
    ("FirstKeyOnlyFilter()", "a cf:z", {"rows": TWO_FAMILIES, "columns": "cf cf1"}),
    ("ColumnPaginationFilter(1,1)", "a cf1:a", {"rows": TWO_FAMILIES, "columns": "cf cf1"}),
    # a row without the family of the column is not even looked at
    ("SKIP SingleColumnValueFilter('d','x',=,'binary:1',true,true)", "b d:y m:z", {"rows": SPARSE}),
    # families that are read later bring back a row from which the only column was excluded
    (
        "SingleColumnValueExcludeFilter('d','x',=,'binary:1',true,true)",
        "b c:y m:z",
        {"rows": JOINED, "columns": "c d m"},
    ),
    # the key of a row in which the scan sees nothing can end it
    ("WHILE RowFilter(!=,'binary:b')", "a d:x; ab d:x", {"columns": "d:x"}),
    ("WHILE RowFilter(!=,'binary:b')", "ab m:z; c m:x m:z", {"columns": "m"}),
    # a row ruled out by its key is still shown to WHILE, but not in a reversed scan
    ("WHILE ValueFilter(!=,'binary:3') AND RowFilter(!=,'binary:b')", "a d:x d:y; ab d:x m:z", {}),
    ("WHILE ValueFilter(!=,'binary:3') AND RowFilter(<,'binary:b')", "ab d:x m:z; a d:x d:y", {"reverse": True}),
    # WHILE does not pass the direction on: to the filter below, c is past the stop row
    ("WHILE InclusiveStopFilter('b')", "", {"reverse": True}),
    # a hint leads forwards, so that a reversed OR passes over the filter behind it
    ("ColumnPrefixFilter('y') OR ColumnPrefixFilter('z')", "b d:y", {"reverse": True}),
    # OR takes away what one of its parts trims
    ("SingleColumnValueExcludeFilter('d','x',=,'binary:1') OR FirstKeyOnlyFilter()", "a d:y; b d:y", {}),
    # offset and limit may not pass 32 bits
    ("ColumnPaginationFilter(2147483647,1)", "", {}),
    # what SKIP and a page make of rows
    ("SKIP DependentColumnFilter('d','x')", "a d:x d:y; ab d:x m:z; b d:y; c d:x d:y m:x m:z", {}),
    ("PageFilter(1) AND SingleColumnValueFilter('d','y',=,'binary:3',true,true)", "", {}),
    # A filter that wants one version of each column leaves out older ones, also if the next filter skips the newest.
    ("RowFilter(=,'binary:c') AND ValueFilter(=,'binary:1')", "c d:x@2=1 d:y m:z", {}),
    ("ColumnPaginationFilter(9,0) AND ValueFilter(=,'binary:1')", "a d:x d:y; c d:y m:z", {}),
    ("SingleColumnValueFilter('d','y',=,'binary:3',true,true) AND PageFilter(1)", "b d:y", {}),
]


@pytest.mark.parametrize(("filter", "left", "scanned"), LEFT)
def test_what_a_filter_leaves(connection, filter, left, scanned):
    table = filled(connection, scanned.get("rows", ROWS))
    columns, reverse = scanned.get("columns", "d m").split(), scanned.get("reverse", False)
    rows = [
        " ".join([row.decode(), *(shown(table, row, column, *cell) for column, cell in cells.items())])
        for row, cells in table.scan(filter=filter, columns=columns, reverse=reverse, include_timestamp=True)
    ]
    assert "; ".join(rows) == left


@pytest.mark.parametrize(
    ("filter", "values"),
    [
        ("KeyOnlyFilter(true)", [b"\0\0\0\2", b"\0\0\0\0"]),
        ("ValueFilter(=,'binary:ab') OR KeyOnlyFilter()", [b"", b""]),
        ("KeyOnlyFilter(true) AND KeyOnlyFilter(true)", [b"\0\0\0\4", b"\0\0\0\4"]),
        ("(ColumnPrefixFilter('x') AND KeyOnlyFilter()) OR ColumnPrefixFilter('y')", [b"", b""]),
        ("(ColumnPrefixFilter('y') AND KeyOnlyFilter()) OR ColumnPrefixFilter('x')", [b"ab", b""]),
    ],
)
def test_key_only_takes_values_from_what_is_returned_not_from_what_is_judged(connection, filter, values):
    ((_, cells),) = filled(connection, "r d:x@1=ab d:y@1=").scan(filter=filter)
    assert [*cells.values()] == values


@pytest.mark.parametrize(
    ("filter", "count"),
    [
        *(("PageFilter(2)", 2), ("PrefixFilter('a')", 3), ("WHILE RowFilter(!=,'binary:ab')", 2)),
        *(("PageFilter(1) OR PageFilter(2)", 3), ("PageFilter(1) AND PageFilter(3)", 1)),
    ],
)
def test_a_scan_reads_no_row_when_nothing_more_can_come(connection, filter, count):
    table = filled(connection)
    assert rows_read(connection, lambda: list(table.scan(filter=filter))) == count


# Comparators


@pytest.mark.parametrize(
    ("operator", "if_found", "if_not_found"),
    [("<", False, True), ("<=", True, True), ("=", True, False), ("!=", False, True), (">=", True, False)],
)
def test_a_search_counts_as_0_if_found_and_else_as_an_operand_above_the_cell(operator, if_found, if_not_found):
    holds = Comparison(operator.encode(), b"substring:b").holds
    assert (holds(b"b"), holds(b"a")) == (if_found, if_not_found)


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("a.b", ["a\nb", "xa-b"], ["ab"]),
        ("a$", ["a", "ba\n", "a\r\n", "a\u2028"], ["a\n\n", "ab"]),
        (r"a\z", ["a"], ["a\n"]),
        (r"a\Z", ["a\n"], ["a\n\n"]),
        (r"\d\w\s", ["1a\t"], ["\u06611 ", "1\u00f6 "]),
        (r"\bd", ["a d"], ["\u00f6d"]),
        (r"^\p{Alpha}\P{Digit}$", ["a-"], ["a1", "\u00f6-"]),
        (r"^[\p{Upper}\d]+$", ["A1"], ["a"]),
        (r"^\h\v$", ["\u00a0\u2028"], ["aa"]),
        (r"^\Qa.b\E.$", ["a.bc"], ["axbc"]),
        (r"^\x{1F600}\x41\u00f6$", ["\U0001f600A\u00f6"], ["A"]),
        (r"(?<first>.)\k<first>", ["aa"], ["ab"]),
        ("(?:a(?i)b|c)", ["aB", "C"], ["AB"]),
        ("a(?i)b", ["AB"], ["ac"]),  # HBase: outside of groups it holds for the whole pattern
        ("(?i)\u00f6a", ["\u00f6A"], ["\u00d6a"]),
        ("[]a]", ["]"], ["b"]),
        ("^a++b", ["aab"], ["b"]),
        ("a{2}", ["aa"], ["a{2}"]),
    ],
)
def test_patterns_are_java_s(pattern, matching, other):
    holds = Comparison(b"=", b"regexstring:" + pattern.encode()).holds
    assert [text for text in [*matching, *other] if holds(text.encode())] == matching


@pytest.mark.parametrize(
    "pattern",
    ["(", "[a", "*a", "a{", "a{,2}", r"\q", "(?P<n>a)", r"\p{L}", "[a-z&&[^b]]", "(?m)^a", r"\G", "(?<=a+)b", r"\01"],
)
def test_what_java_refuses_and_what_is_not_carried_over(pattern):
    with pytest.raises(UncheckedError, match="wants a Java regular expression"):
        Comparison(b"=", b"regexstring:" + pattern.encode())


def test_an_encoded_surrogate_is_one_character_to_java():
    holds = Comparison(b"=", b"regexstring:^.$").holds
    one = [b"\xed\xa0\x80", b"\xed\xa0", b"\xff", b"\xe2\x82"]
    assert [cell for cell in [*one, b"\xff\xff"] if holds(cell)] == one


def test_a_filter_reads_the_rows_that_a_region_server_read_as_recorded():
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["early ends"]["figures"]
    with closing(connect("embedded:")) as connection:
        fill(connection)
        found = []
        for start, words in SCANS:
            with metered(connection) as cost:
                returned = len(list(connection.table(TABLE).scan(start.encode() or None, filter=words)))
            # The server does not count a row that tells a filter that the scan is over.
            ends = words.startswith(("PrefixFilter", "InclusiveStopFilter"))
            found.append({"from": start, "filter": words, "read": cost.rows_read - ends, "returned": returned})
    assert found == recorded["scans"]
