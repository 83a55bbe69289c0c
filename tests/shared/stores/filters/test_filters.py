"""Each filter, what it leaves of a few rows, and the traps, all as HBase 2.6.1 was seen to answer."""

import pytest
from Hbase_thrift import IOError

from shared.stores.filters.comparators import Comparison
from shared.stores.filters.filtered_rows import FilteredRows
from shared.stores.filters.language import parse_filter
from shared.stores.thrift1.errors import UncheckedError

# One row per line: its key, then column@timestamp=value, newest version first.
ROWS = """
a  d:x@1=1 d:y@1=1
ab d:x@2=2 m:z@2=9
b  d:y@1=3
c  d:x@3=3 d:x@2=1 d:y@2=1 m:x@3=3 m:z@1=1
"""


def read(text: str) -> list[tuple[bytes, list[tuple[bytes, int, bytes]]]]:
    rows = []
    for line in text.strip().splitlines():
        row, *cells = line.encode().split()
        rows.append((row, [read_cell(cell) for cell in cells]))
    return rows


def read_cell(text: bytes) -> tuple[bytes, int, bytes]:
    name, _, value = text.partition(b"=")
    column, _, timestamp = name.partition(b"@")
    return column, int(timestamp), value


def scan(filter: str, rows: str = ROWS, *, reverse: bool = False, columns: str = "d m") -> str:
    """What a scan of the columns (families or single ones) gives, as `row column column=value@timestamp ...`."""
    families = {
        column.split(":")[0].encode(): {column.encode()} if ":" in column else None for column in columns.split()
    }
    filtered = FilteredRows(parse_filter(filter.encode()), reverse=reverse, families=families)
    lines = []
    for row, stored in reversed(read(rows)) if reverse else read(rows):
        if filtered.done:
            break
        cells = [cell for cell in stored if is_asked_for(cell[0], families)]
        kept = filtered.cells_of(row, cells, [column for column, _, _ in stored])
        if kept:
            lines.append(" ".join([row.decode(), *(show(cell, stored) for cell in kept)]))
    return "; ".join(lines)


def is_asked_for(column: bytes, families) -> bool:
    family = column.partition(b":")[0]
    return family in families and (families[family] is None or column in families[family])


def show(cell, stored) -> str:
    """The column; its timestamp and value only where they are not those of the newest version."""
    column, timestamp, value = cell
    newest = next(cell for cell in stored if cell[0] == column)
    return column.decode() if cell == newest else f"{column.decode()}@{timestamp}={value.decode()}"


ALL = "a d:x d:y; ab d:x m:z; b d:y; c d:x d:y m:x m:z"

TABLE = [
    # cells
    ("ValueFilter(=,'binary:3')", "b d:y; c d:x m:x"),
    ("ValueFilter(=,'binary:none')", ""),
    ("TimestampsFilter(1, 2)", "a d:x d:y; ab d:x m:z; b d:y; c d:x@2=1 d:y m:z"),
    ("TimestampsFilter()", ""),
    ("FamilyFilter(=,'binary:m')", "ab m:z; c m:x m:z"),
    ("QualifierFilter(>,'binary:x')", "a d:y; ab m:z; b d:y; c d:y m:z"),
    ("ColumnPrefixFilter('x')", "a d:x; ab d:x; c d:x m:x"),
    ("ColumnPrefixFilter('')", ALL),
    ("MultipleColumnPrefixFilter('z','x')", "a d:x; ab d:x m:z; c d:x m:x m:z"),
    ("MultipleColumnPrefixFilter()", ALL),
    ("ColumnRangeFilter('x',false,'z',true)", "a d:y; ab m:z; b d:y; c d:y m:z"),
    ("ColumnRangeFilter('',true,'y',false)", "a d:x; ab d:x; c d:x m:x"),
    ("ColumnRangeFilter('',false,'',false)", ALL),
    ("ColumnValueFilter('d','x',>=,'binary:2')", "ab d:x; c d:x"),
    ("FirstKeyOnlyFilter()", "a d:x; ab d:x; b d:y; c d:x"),
    ("ColumnPaginationFilter(1,1)", "a d:y; ab m:z; c d:y"),
    ("ColumnPaginationFilter(0,0)", ""),
    # rows
    ("RowFilter(=,'substring:A')", "a d:x d:y; ab d:x m:z"),
    ("PrefixFilter('a')", "a d:x d:y; ab d:x m:z"),
    ("PrefixFilter('')", ALL),
    ("InclusiveStopFilter('ab')", "a d:x d:y; ab d:x m:z"),
    ("InclusiveStopFilter('')", ""),
    ("PageFilter(2)", "a d:x d:y; ab d:x m:z"),
    ("PageFilter(0)", ""),
    ("SingleColumnValueFilter('d','y',=,'binary:1')", "a d:x d:y; ab d:x m:z; c d:x d:y m:x m:z"),
    ("SingleColumnValueFilter('d','y',=,'binary:1',true,true)", "a d:x d:y; c d:x d:y m:x m:z"),
    ("SingleColumnValueExcludeFilter('d','y',=,'binary:1',true,true)", "a d:x; c d:x m:x m:z"),
    ("DependentColumnFilter('d','x')", "a d:x d:y; ab d:x m:z; c d:x d:y m:x"),
    ("DependentColumnFilter('d','y',true)", "a d:x"),
    # combined
    ("ColumnPrefixFilter('x') AND FamilyFilter(=,'binary:m')", "c m:x"),
    ("ColumnPrefixFilter('z') OR ValueFilter(=,'binary:3')", "ab m:z; b d:y; c d:x m:x m:z"),
    ("RowFilter(=,'binary:a') OR RowFilter(=,'binary:c')", "a d:x d:y; c d:x d:y m:x m:z"),
    ("SKIP ValueFilter(!=,'binary:9')", "a d:x d:y; b d:y; c d:x d:y m:x m:z"),
    ("WHILE RowFilter(!=,'binary:b')", "a d:x d:y; ab d:x m:z"),
]


@pytest.mark.parametrize(("filter", "expected"), TABLE)
def test_what_a_filter_leaves(filter, expected):
    assert scan(filter) == expected


TRAPS = [
    ("an older version passes where the newest does not", "ValueFilter(=,'binary:1')", "a d:x d:y; c d:x@2=1 d:y m:z"),
    (
        "a row without the column passes",
        "SingleColumnValueFilter('d','x',=,'binary:1')",
        "a d:x d:y; b d:y",
    ),
    (
        "and so does any row when no row can have it",
        "SingleColumnValueFilter('none','x',=,'binary:1')",
        ALL,
    ),
    (
        "a column that is not let through to a filter is missing to it",
        "QualifierFilter(=,'binary:x') AND SingleColumnValueFilter('d','y',=,'binary:1')",
        "a d:x; ab d:x; c d:x m:x",
    ),
    (
        "which has no effect when the order is turned",
        "SingleColumnValueFilter('d','y',=,'binary:1') AND QualifierFilter(=,'binary:x')",
        "a d:x; ab d:x; c d:x m:x",
    ),
    (
        "one of the two newest versions is enough",
        "SingleColumnValueFilter('d','x',=,'binary:1',true,false)",
        "a d:x d:y; c d:x d:y m:x m:z",
    ),
    (
        "an older version of the column can give its timestamp, and is returned",
        "DependentColumnFilter('d','x',false,=,'binary:1')",
        "a d:x d:y; c d:x@2=1 d:y",
    ),
    (
        "both of the column's two newest versions give timestamps",
        "DependentColumnFilter('d','x',true)",
        "a d:y; ab m:z; c d:y m:x",
    ),
    (
        "a search before an ordering operator means found or not found",
        "DependentColumnFilter('d','y',false,<,'substring:3')",
        "a d:x d:y; c d:y",
    ),
    (
        "only the greatest prefix up to the qualifier counts",
        "MultipleColumnPrefixFilter('','x')",
        "a d:x; ab d:x; c d:x m:x",
    ),
    (
        "a page counts rows that a filter after it drops",
        "PageFilter(1) AND SingleColumnValueFilter('d','y',=,'binary:3',true,true)",
        "",
    ),
    (
        "but not when it comes last",
        "SingleColumnValueFilter('d','y',=,'binary:3',true,true) AND PageFilter(1)",
        "b d:y",
    ),
    ("offset and limit may not pass 32 bits", "ColumnPaginationFilter(2147483647,1)", ""),
    ("in a scan, a family that came out over the limit is closed", "ColumnCountGetFilter(1)", "a d:x; ab m:z; c m:x"),
    ("but not the families before it", "ColumnCountGetFilter(2)", "a d:x d:y; ab d:x m:z; b d:y; c d:x d:y"),
    ("SKIP does not look at keys", "SKIP RowFilter(=,'binary:b')", ALL),
    ("SKIP does not count rows", "SKIP PageFilter(1)", ALL),
    ("SKIP knows no end", "SKIP InclusiveStopFilter('a')", ALL),
    ("SKIP never learns that a prefix matched", "SKIP PrefixFilter('a')", ""),
    ("SKIP takes a step for a refusal", "SKIP ColumnPaginationFilter(5,0)", ""),
    ("SKIP keeps rows of one cell here", "SKIP FirstKeyOnlyFilter()", "b d:y"),
    (
        "SKIP sees the version after the one that passed",
        "SKIP ValueFilter(=,'binary:3')",
        "b d:y",
    ),
    ("SKIP forgets to trim", "SKIP DependentColumnFilter('d','x')", ALL),
    ("WHILE returns part of a row", "WHILE ValueFilter(<,'binary:9')", "a d:x d:y; ab d:x"),
    ("WHILE takes a step for an end", "WHILE ColumnPaginationFilter(2,0)", "a d:x"),
    ("WHILE sees the version after the one that passed", "WHILE ValueFilter(=,'regexstring:[1239]')", ALL),
    (
        "OR takes away what one of its parts trims",
        "SingleColumnValueExcludeFilter('d','x',=,'binary:1') OR FirstKeyOnlyFilter()",
        "a d:y; b d:y",
    ),
    (
        "a row ruled out by its key is still shown to WHILE",
        "WHILE ValueFilter(!=,'binary:3') AND RowFilter(!=,'binary:b')",
        "a d:x d:y; ab d:x m:z",
    ),
]


@pytest.mark.parametrize(("filter", "expected"), [trap[1:] for trap in TRAPS], ids=[trap[0] for trap in TRAPS])
def test_traps(filter, expected):
    assert scan(filter) == expected


def test_after_a_version_that_passed_one_more_is_seen_and_no_third():
    rows = "a d:x@3=1 d:x@2=1 d:x@1=9\nb d:x@3=1 d:x@2=9 d:x@1=1"
    assert scan("SKIP ValueFilter(=,'binary:1')", rows) == "a d:x"
    assert scan("WHILE ValueFilter(=,'binary:1')", rows) == "a d:x; b d:x"
    assert scan("SingleColumnValueFilter('d','x',=,'binary:9',true,false)", rows) == "b d:x"


def test_of_the_column_without_a_qualifier_every_version_is_seen_unless_it_is_asked_for_by_name():
    rows = "a d:@3=1 d:@2=1 d:@1=9"
    assert scan("SKIP ValueFilter(=,'binary:1')", rows) == ""
    assert scan("SKIP ValueFilter(=,'binary:1')", rows, columns="d:") == "a d:"
    assert scan("ColumnPaginationFilter(1,1)", rows) == "a d:@2=1"
    assert scan("ColumnPaginationFilter(1,1)", rows, columns="d:") == ""


def test_a_column_that_the_scan_does_not_ask_for_is_missing():
    assert scan("SingleColumnValueFilter('d','y',=,'binary:1')", columns="d:x") == "a d:x; ab d:x; c d:x"
    assert scan("SingleColumnValueFilter('d','y',=,'binary:1',true,true)", columns="d:x") == ""
    assert scan("DependentColumnFilter('d','y')", columns="d:x") == ""


def test_families_are_in_the_order_of_their_names():
    rows = "a cf:z@1=1 cf1:a@1=1"
    assert scan("FirstKeyOnlyFilter()", rows, columns="cf cf1") == "a cf:z"
    assert scan("ColumnPaginationFilter(1,1)", rows, columns="cf cf1") == "a cf1:a"


@pytest.mark.parametrize(
    ("filter", "values"),
    [
        ("KeyOnlyFilter()", [b"", b""]),
        ("KeyOnlyFilter(true)", [b"\0\0\0\2", b"\0\0\0\0"]),
        ("KeyOnlyFilter() AND ValueFilter(=,'binary:ab')", [b""]),
        ("ValueFilter(=,'binary:ab') AND KeyOnlyFilter()", [b""]),
        ("ValueFilter(=,'binary:ab') OR KeyOnlyFilter()", [b"", b""]),
        ("KeyOnlyFilter(true) AND KeyOnlyFilter(true)", [b"\0\0\0\4", b"\0\0\0\4"]),
        ("SKIP KeyOnlyFilter()", [b"", b""]),
        ("(ColumnPrefixFilter('x') AND KeyOnlyFilter()) OR ColumnPrefixFilter('y')", [b"", b""]),
        ("(ColumnPrefixFilter('y') AND KeyOnlyFilter()) OR ColumnPrefixFilter('x')", [b"ab", b""]),
    ],
)
def test_key_only_takes_values_from_what_is_returned_not_from_what_is_judged(filter, values):
    filtered = FilteredRows(parse_filter(filter.encode()), reverse=False, families={b"d": None})
    kept = filtered.cells_of(b"r", [(b"d:x", 1, b"ab"), (b"d:y", 1, b"")])
    assert [value for _, _, value in kept] == values


# Reversed scans


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("PrefixFilter('a')", "ab d:x m:z; a d:x d:y"),
        ("InclusiveStopFilter('b')", "c d:x d:y m:x m:z; b d:y"),
        ("PageFilter(2)", "c d:x d:y m:x m:z; b d:y"),
        ("ColumnPrefixFilter('z')", "c m:z; ab m:z"),
        ("WHILE ValueFilter(!=,'binary:9')", "c d:x d:y m:x m:z; b d:y; ab d:x"),
        # WHILE and SKIP do not pass the direction on: to the filter below, c is past the stop row.
        ("WHILE InclusiveStopFilter('b')", ""),
        # A row ruled out by its key is not shown to the filter again, as it is forwards.
        ("WHILE ValueFilter(!=,'binary:3') AND RowFilter(<,'binary:b')", "ab d:x m:z; a d:x d:y"),
        # A hint leads forwards, so that OR passes over the filter behind it.
        ("ColumnPrefixFilter('y') OR ColumnPrefixFilter('z')", "b d:y"),
    ],
)
def test_reversed_scans(filter, expected):
    assert scan(filter, reverse=True) == expected


@pytest.mark.parametrize(
    "filter",
    [
        "ColumnValueFilter('d','x',=,'binary:1')",
        "SingleColumnValueFilter('d','x',=,'binary:1',true,true)",
        "SKIP SingleColumnValueExcludeFilter('d','x',=,'binary:1',true,true)",
    ],
)
def test_a_reversed_scan_cannot_load_families_on_demand(filter):
    with pytest.raises(IOError, match="Reverse scan with loading CFs on demand is not supported"):
        scan(filter, reverse=True)
    assert scan(filter, reverse=True, columns="d")


# Families that are read only for rows that pass


def test_a_row_without_the_family_of_the_column_is_not_even_looked_at():
    rows = "a m:z@1=1\nb d:y@1=1 m:z@1=1"
    filter = "SKIP SingleColumnValueFilter('d','x',=,'binary:1',true,true)"
    assert scan(filter, rows) == "b d:y m:z"
    assert scan("SingleColumnValueFilter('d','x',=,'binary:1',false,true)", rows) == "a m:z; b d:y m:z"


def test_joined_families_bring_back_a_row_from_which_the_only_column_was_excluded():
    rows = "a d:x@1=1\nb c:y@1=1 d:x@1=1 m:z@1=1"
    filter = "SingleColumnValueExcludeFilter('d','x',=,'binary:1',true,true)"
    assert scan(filter, rows, columns="c d m") == "b c:y m:z"


def test_done_tells_when_nothing_more_can_come():
    def done_after(text: str, row: bytes) -> bool:
        filtered = FilteredRows(parse_filter(text.encode()), reverse=False, families={b"d": None, b"m": None})
        for other, cells in read(ROWS):
            filtered.cells_of(other, cells, [column for column, _, _ in cells])
            if other == row:
                break
        return filtered.done

    assert not done_after("PageFilter(2)", b"a")
    assert done_after("PageFilter(2)", b"ab")
    assert not done_after("PrefixFilter('a')", b"ab")
    assert done_after("PrefixFilter('a')", b"b")
    assert done_after("WHILE RowFilter(!=,'binary:ab')", b"ab")
    assert not done_after("PageFilter(1) OR PageFilter(3)", b"ab")
    assert done_after("PageFilter(1) AND PageFilter(3)", b"a")


def test_the_key_of_a_row_in_which_the_scan_sees_nothing_can_end_it():
    filter = "WHILE RowFilter(!=,'binary:b')"
    assert scan(filter, columns="d:x") == "a d:x; ab d:x"
    assert scan(filter, columns="m") == "ab m:z; c m:x m:z"


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("ValueFilter(=,'binary:1')", False),
        ("PrefixFilter('a') AND KeyOnlyFilter()", False),
        ("ColumnValueFilter('d','x',=,'binary:1')", False),
        ("PageFilter(1)", True),
        ("DependentColumnFilter('d','x')", True),
        ("KeyOnlyFilter() OR SingleColumnValueFilter('d','x',=,'binary:1')", True),
        ("SKIP KeyOnlyFilter()", True),
        ("WHILE KeyOnlyFilter()", True),
    ],
)
def test_filters_that_look_at_whole_rows(filter, expected):
    assert parse_filter(filter.encode()).has_row_filter() is expected


# Comparators


@pytest.mark.parametrize(
    ("operator", "comparator", "passing"),
    [
        ("<", "binary:b", "a ab"),
        ("<=", "binary:b", "a ab b"),
        ("=", "binary:b", "b"),
        ("!=", "binary:b", "a ab ba \xff"),
        (">=", "binary:b", "b ba \xff"),
        (">", "binary:b", "ba \xff"),
        ("=", "binaryprefix:b", "b ba"),
        ("<=", "binaryprefix:b", "a ab b ba"),
        (">", "binaryprefix:a", "b ba \xff"),
        ("=", "substring:B", "ab b ba"),
        ("!=", "substring:b", "a \xff"),
        ("=", "substring:", "a ab b ba \xff"),
        ("=", "regexstring:b$", "ab b"),
        ("=", "regexstring:B", ""),
        ("=", "regexstringnocase:^B", "b ba"),
        ("=", "regexstring:\ufffd", "\xff"),
        ("!=", "regexstring:^.$", "ab ba"),
    ],
)
def test_a_comparison_is_cell_operator_operand(operator, comparator, passing):
    holds = Comparison(operator.encode(), comparator.encode()).holds
    cells = [b"a", b"ab", b"b", b"ba", b"\xff"]
    assert [cell for cell in cells if holds(cell)] == passing.encode("latin-1").split()


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
    with pytest.raises(UncheckedError, match="wants a regular expression of Java's"):
        Comparison(b"=", b"regexstring:" + pattern.encode())


def test_an_encoded_surrogate_is_one_character_to_java():
    holds = Comparison(b"=", b"regexstring:^.$").holds
    assert [cell for cell in (b"\xed\xa0\x80", b"\xed\xa0", b"\xff", b"\xff\xff", b"\xe2\x82") if holds(cell)] == [
        b"\xed\xa0\x80",
        b"\xed\xa0",
        b"\xff",
        b"\xe2\x82",
    ]
