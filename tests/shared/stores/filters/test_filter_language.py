"""The filter language beyond the cases of tests/conformance: odd texts, and the words of refusals."""

import pytest

from shared.stores.filters.cell_filters import KeyOnlyFilter
from shared.stores.filters.combined import Or
from shared.stores.filters.counting_filters import PageFilter
from shared.stores.filters.language import MAX_FILTER_DEPTH, parse_filter
from shared.stores.filters.row_filters import PrefixFilter
from shared.stores.thrift1.errors import UncheckedError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"PrefixFilter of rows ('a')", PrefixFilter(b"a")),
        (b"KeyOnlyFilter OR PageFilter(true)", KeyOnlyFilter(True)),
        (b"PrefixFilter('\x00\t\xff\xc3')", PrefixFilter(b"\x00\t\xff\xc3")),
        # what 64 bits keep of a number
        (b"PageFilter(007)", PageFilter(7)),
        (b"PageFilter(-0)", PageFilter(0)),
        (b"PageFilter(-)", PageFilter(0)),
        (b"PageFilter(18446744073709551617)", PageFilter(1)),
        # tabs before and after a filter, and an operator after both of its filters
        (b" \tPageFilter(1)\t \t", PageFilter(1)),
        (b"PageFilter(1) PageFilter(2) OR ", Or([PageFilter(1), PageFilter(2)])),
    ],
)
def test_what_stands_around_and_inside_arguments(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"Prefix('a')", "filterString: at byte 0: wants one of the filters KeyOnlyFilter, .* (got 'Prefix')"),
        (b"PrefixFilter\t('a')", r"filterString: at byte 0: wants one of the filters .* (got 'PrefixFilter\t')"),
        (b"KeyOnlyFilter", "filterString: at byte 0: wants NAME(arguments) (got 'KeyOnlyFilter')"),
        (b"PrefixFilter('a)", """filterString: at byte 0: wants NAME(arguments) (got "PrefixFilter('a)")"""),
        (b"PageFilter(1) AND PrefixFilter()", "at byte 18: PrefixFilter wants 1 arguments (got 0)"),
        (b"SingleColumnValueFilter('d','q',=,'binary:v',true)", "wants 4 or 6 arguments (got 5)"),
        (b"DependentColumnFilter('d','q',true,=)", "DependentColumnFilter wants 2 or 3 or 5 arguments (got 4)"),
        *(
            (b"PageFilter(%s)" % number, "wants a whole number from 0 to 9223372036854775807 (got ")
            for number in (b"-1", b"1_0", b"--1")
        ),
        (b"PrefixFilter(\t'a')", r"wants a text in quotes (got \t'a')"),
        (b"PrefixFilter(a' ')", """wants a closing quote (got "')")"""),
        (b"KeyOnlyFilter('true')", "wants true or false (got 'true')"),
        (b"MultipleColumnPrefixFilter('a','a')", "wants prefixes that differ (got a, a)"),
        (b"ColumnPaginationFilter(2147483648, 0)", "wants a whole number from 0 to 2147483647 (got 2147483648)"),
        (b"ValueFilter('=','binary:v')", "wants an operator, without quotes (got '=')"),
        (b"ValueFilter(==,'binary:v')", "wants an operator, one of < <= = != >= > (got '==')"),
        (b"ValueFilter(=,'Binary:v')", "wants a comparator 'TYPE:VALUE' of type binary, .* (got 'Binary:v')"),
        (b"ValueFilter(>=,'regexstring:v')", "wants = or != before 'regexstring:v' (got >=)"),
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


def test_filters_nest_to_a_depth_that_can_be_asked():
    deepest = b"SKIP " * MAX_FILTER_DEPTH + b"PageFilter(1)"
    assert parse_filter(deepest).judge((b"d:a", 1, b""))
    with pytest.raises(UncheckedError, match=f"wants at most {MAX_FILTER_DEPTH} of"):
        parse_filter(b"SKIP " + deepest)
    assert len(parse_filter(b" OR ".join([b"PageFilter(1)"] * 1000)).filters) == 1000
