"""The filter language: which texts HBase takes, what they mean, and what is refused with which words."""

import pytest

from shared.stores.filters.combined import And, Or, Skip, While
from shared.stores.filters.comparators import Comparison
from shared.stores.filters.filters import (
    ColumnCountGetFilter,
    ColumnPaginationFilter,
    ColumnPrefixFilter,
    ColumnRangeFilter,
    ColumnValueFilter,
    DependentColumnFilter,
    FamilyFilter,
    FirstKeyOnlyFilter,
    InclusiveStopFilter,
    KeyOnlyFilter,
    MultipleColumnPrefixFilter,
    PageFilter,
    PrefixFilter,
    QualifierFilter,
    RowFilter,
    SingleColumnValueExcludeFilter,
    SingleColumnValueFilter,
    TimestampsFilter,
    ValueFilter,
)
from shared.stores.filters.language import MAX_FILTER_DEPTH, parse_filter
from shared.stores.thrift1.errors import UncheckedError

IS_V = Comparison(b"=", b"binary:v")
A, B, C, D = (PageFilter(number) for number in (1, 2, 3, 4))


def parse_pages(text: str):
    """The filter of a text in which A, B, C, D stand for filters."""
    for number, name in enumerate("ABCD", start=1):
        text = text.replace(f"{name}()", f"PageFilter({number})")
    return parse_filter(text.encode())


FILTERS = [
    (b"KeyOnlyFilter()", KeyOnlyFilter()),
    (b"KeyOnlyFilter(true)", KeyOnlyFilter(True)),
    (b"FirstKeyOnlyFilter()", FirstKeyOnlyFilter()),
    (b"PrefixFilter('p')", PrefixFilter(b"p")),
    (b"ColumnPrefixFilter('p')", ColumnPrefixFilter(b"p")),
    (b"MultipleColumnPrefixFilter()", MultipleColumnPrefixFilter([])),
    (b"MultipleColumnPrefixFilter('b','a')", MultipleColumnPrefixFilter([b"b", b"a"])),
    (b"ColumnCountGetFilter(4)", ColumnCountGetFilter(4)),
    (b"PageFilter(9223372036854775807)", PageFilter(2**63 - 1)),
    (b"ColumnPaginationFilter(2, 1)", ColumnPaginationFilter(2, 1)),
    (b"InclusiveStopFilter('r')", InclusiveStopFilter(b"r")),
    (b"TimestampsFilter()", TimestampsFilter([])),
    (b"TimestampsFilter(3, 1)", TimestampsFilter([3, 1])),
    (b"RowFilter(=, 'binary:v')", RowFilter(IS_V)),
    (b"FamilyFilter(=, 'binary:v')", FamilyFilter(IS_V)),
    (b"QualifierFilter(=, 'binary:v')", QualifierFilter(IS_V)),
    (b"ValueFilter(=, 'binary:v')", ValueFilter(IS_V)),
    (b"ColumnRangeFilter('a', true, '', FALSE)", ColumnRangeFilter(b"a", True, b"", False)),
    (b"SingleColumnValueFilter('d','q',=,'binary:v')", SingleColumnValueFilter(b"d:q", IS_V, False, True)),
    (b"SingleColumnValueFilter('d','q',=,'binary:v',true,false)", SingleColumnValueFilter(b"d:q", IS_V, True, False)),
    (b"SingleColumnValueExcludeFilter('d','',=,'binary:v')", SingleColumnValueExcludeFilter(b"d:", IS_V)),
    (b"DependentColumnFilter('d','q')", DependentColumnFilter(b"d:q")),
    (b"DependentColumnFilter('d','q',true)", DependentColumnFilter(b"d:q", True)),
    (b"DependentColumnFilter('d','q',false,=,'binary:v')", DependentColumnFilter(b"d:q", False, IS_V)),
    (b"ColumnValueFilter('d','q',=,'binary:v')", ColumnValueFilter(b"d:q", IS_V)),
]


@pytest.mark.parametrize(("text", "expected"), FILTERS)
def test_each_filter_and_its_arguments(text, expected):
    assert parse_filter(text) == expected


COMBINED = [
    # SKIP and WHILE bind tightest, then AND, and then OR
    ("A() AND B() AND C()", And([A, B, C])),
    ("A() OR B() AND C() OR D()", Or([A, And([B, C]), D])),
    ("A() AND B() OR C() AND D()", Or([And([A, B]), And([C, D])])),
    ("(A() OR B()) AND C()", And([Or([A, B]), C])),
    ("SKIP A() AND WHILE B()", And([Skip(A), While(B)])),
    ("SKIP WHILE A()", Skip(While(A))),
    ("SKIP (A() OR B())", Skip(Or([A, B]))),
    ("(SKIP A() AND B())", And([Skip(A), B])),
    ("A() AND (B() AND C())", And([A, And([B, C])])),
    ("((A()))", A),
    # a parenthesis need not be closed
    ("(A() OR B()", Or([A, B])),
    ("(A() OR (B() AND C()", Or([A, And([B, C])])),
    # operators wait for filters wherever these stand
    ("A() B() OR ", Or([A, B])),
    ("A()AND(B())", And([A, B])),
    ("A() AND B()OR C()", Or([And([A, B]), C])),
    ("SKIP(A())", Skip(A)),
    (" \tA()\t \t", A),
]


@pytest.mark.parametrize(("text", "expected"), COMBINED)
def test_how_operators_and_parentheses_combine_filters(text, expected):
    assert parse_pages(text) == expected


REFUSED = """
(A() OR B() AND C()) | A() AND (B() OR C() AND D()) | (A() AND SKIP B()) | (SKIP A() OR SKIP B()) | (SKIP WHILE A())
A()) | (A() OR B()) )
() | A() B() | A() AND | AND A() | OR A() | SKIP | A() and B() | A() ANDB() | SKIPA()
"""  # within parentheses nothing may bind tighter than an operator before it; an operator needs filters and spaces
BLANKS = ["", " ", "A() AND ", "SKIP ", "A()\tAND B()", "A() AND\tB()", "A()\nAND B()", "SKIP\tA()"]


@pytest.mark.parametrize(
    "text", [*BLANKS, *(text.strip() for line in REFUSED.strip().splitlines() for text in line.split("|"))]
)
def test_an_operator_without_its_filters_or_its_spaces_is_refused(text):
    with pytest.raises(UncheckedError, match=r"filterString: at byte \d+: wants "):
        parse_pages(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"PrefixFilter ('a')", PrefixFilter(b"a")),
        (b"PrefixFilter( 'a' )", PrefixFilter(b"a")),
        (b"PrefixFilter of rows ('a')", PrefixFilter(b"a")),
        (b"KeyOnlyFilter OR PageFilter(true)", KeyOnlyFilter(True)),
        (b"PrefixFilter('a'b)", PrefixFilter(b"a")),
        (b"PrefixFilter('a'\n)", PrefixFilter(b"a")),
        (b"MultipleColumnPrefixFilter('a'x'b')", MultipleColumnPrefixFilter([b"a", b"b"])),
        (b"MultipleColumnPrefixFilter('a' 'b',,'c',)", MultipleColumnPrefixFilter([b"a", b"b", b"c"])),
        (b"ColumnPaginationFilter(1 0)", ColumnPaginationFilter(1, 0)),
        (b"ValueFilter(= 'binary:v')", ValueFilter(IS_V)),
        (b"PrefixFilter('')", PrefixFilter(b"")),
        (b"PrefixFilter('''')", PrefixFilter(b"'")),
        (b"PrefixFilter('it''s')", PrefixFilter(b"it's")),
        (b"PrefixFilter('a) AND (b, c')", PrefixFilter(b"a) AND (b, c")),
        (b"PrefixFilter('\x00\t\xff\xc3')", PrefixFilter(b"\x00\t\xff\xc3")),
        (b"ValueFilter(=,'binary:a:b')", ValueFilter(Comparison(b"=", b"binary:a:b"))),
        (b"KeyOnlyFilter(TrUe)", KeyOnlyFilter(True)),
    ],
)
def test_what_stands_around_and_inside_arguments(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (b"0", 0),
        (b"007", 7),
        (b"-0", 0),
        (b"-", 0),
        (b"9223372036854775807", 2**63 - 1),
        (b"18446744073709551617", 1),
    ],
)
def test_a_number_is_what_64_bits_keep_of_it(number, expected):
    assert parse_filter(b"PageFilter(%s)" % number) == PageFilter(expected)


@pytest.mark.parametrize(
    "number", [b"'10'", b"+2", b"1.5", b"-1", b"x", b"1_0", b"9223372036854775808", b"2147483648, 0", b"--1"]
)
def test_other_numbers_are_refused(number):
    name = b"ColumnPaginationFilter" if b"," in number else b"PageFilter"
    with pytest.raises(UncheckedError, match=r"wants a whole number from 0 to \d+ \(got "):
        parse_filter(b"%s(%s)" % (name, number))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"Prefix('a')", "filterString: at byte 0: wants one of the filters KeyOnlyFilter, .* (got 'Prefix')"),
        (b"prefixfilter('a')", "filterString: at byte 0: wants one of the filters .* (got 'prefixfilter')"),
        (b"PrefixFilter\t('a')", r"filterString: at byte 0: wants one of the filters .* (got 'PrefixFilter\t')"),
        (b"KeyOnlyFilter", "filterString: at byte 0: wants NAME(arguments) (got 'KeyOnlyFilter')"),
        (b"PrefixFilter('a)", """filterString: at byte 0: wants NAME(arguments) (got "PrefixFilter('a)")"""),
        (b"PageFilter(1) AND PrefixFilter()", "at byte 18: PrefixFilter wants 1 arguments (got 0)"),
        (b"SingleColumnValueFilter('d','q',=,'binary:v',true)", "wants 4 or 6 arguments (got 5)"),
        (b"DependentColumnFilter('d','q',true,=)", "DependentColumnFilter wants 2 or 3 or 5 arguments (got 4)"),
        (b"PrefixFilter(a)", "wants a text in quotes (got a)"),
        (b"PrefixFilter(\t'a')", r"wants a text in quotes (got \t'a')"),
        (b"PrefixFilter(a' ')", """wants a closing quote (got "')")"""),
        (b"KeyOnlyFilter('true')", "wants true or false (got 'true')"),
        (b"KeyOnlyFilter(1)", "wants true or false (got 1)"),
        (b"MultipleColumnPrefixFilter('a','a')", "wants prefixes that differ (got a, a)"),
        (b"ValueFilter('=','binary:v')", "wants an operator, without quotes (got '=')"),
        (b"ValueFilter(==,'binary:v')", "wants an operator, one of < <= = != >= > (got '==')"),
        (b"ValueFilter(=,'v')", "wants a comparator 'TYPE:VALUE' of type binary, .* (got 'v')"),
        (b"ValueFilter(=,'Binary:v')", "wants a comparator 'TYPE:VALUE' of type binary, .* (got 'Binary:v')"),
        (b"ValueFilter(<,'substring:v')", "wants = or != before 'substring:v' (got <)"),
        (b"ValueFilter(>=,'regexstring:v')", "wants = or != before 'regexstring:v' (got >=)"),
        (b"ValueFilter(=,'regexstring:(')", "wants a regular expression of Java's"),
        (b"PageFilter(1) PageFilter(2)", "wants filters joined by AND and OR (got 2 filters without)"),
        (b"PageFilter(1) OR ", "wants 2 filters for OR (got 1)"),
    ],
)
def test_a_refusal_says_what_was_wanted_what_was_given_and_where(text, message):
    with pytest.raises(UncheckedError) as refused:
        parse_filter(text)
    for words in message.split(" .* "):
        assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_dependent_column_filter_takes_any_operator_before_a_search():
    comparison = Comparison(b"<", b"substring:v")
    assert parse_filter(b"DependentColumnFilter('d','q',true,<,'substring:v')") == DependentColumnFilter(
        b"d:q", True, comparison
    )


def test_filters_nest_to_a_depth_that_can_be_asked():
    deepest = b"SKIP " * MAX_FILTER_DEPTH + b"PageFilter(1)"
    assert parse_filter(deepest).judge((b"d:a", 1, b""))
    with pytest.raises(UncheckedError, match=f"wants at most {MAX_FILTER_DEPTH} of"):
        parse_filter(b"SKIP " + deepest)
    many = b" OR ".join([b"PageFilter(1)"] * 1000)
    assert len(parse_filter(many).filters) == 1000
