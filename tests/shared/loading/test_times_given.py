"""Formats whose lines may lack a time: the caller of `read_lines` gives it."""

import pytest

from shared.loading import Format, UnneededTime

from .sales import Sale, lines

SOLD_MS = 1_356_998_400_000


def read_prices(rows, _path):
    """`n-1 7`, or `n-1 7 1356998400000`."""
    for number, row in enumerate(rows, start=1):
        words = dict(zip(("number", "amount", "sold_ms"), row.split(), strict=False))
        yield number, number, words if len(words) > 1 else "must be number and amount"


PRICES = Format(
    "prices", "prices", lambda line: line.startswith("n-"), read_prices, has_milliseconds=True, may_lack_time=True
)


def test_a_line_without_a_time_has_the_one_given_and_any_other_its_own(written):
    path = written("n-1 7\nn-2 8 5\n")
    assert lines(path, formats=[PRICES], at_ms=SOLD_MS) == [(1, Sale("n-1", SOLD_MS, 7)), (2, Sale("n-2", 5, 8))]


def test_without_one_such_a_line_is_bad_and_the_others_are_not(written):
    path = written("n-1 7\nn-2 8 5\nn-3\n")
    assert lines(path, formats=[PRICES]) == [
        (1, "Sale.sold_ms: the line has no time: give --at for such lines"),
        (2, Sale("n-2", 5, 8)),
        (3, "must be number and amount"),
    ]


def test_a_time_of_another_column_is_given_too_if_the_line_lacks_it(written):
    path = written("n-1 7 5\nn-2 8\n")
    sales = lines(path, formats=[PRICES], mapping={"sold_ms": "at"}, at_ms=SOLD_MS)
    assert sales == [(1, Sale("n-1", SOLD_MS, 7)), (2, Sale("n-2", SOLD_MS, 8))]


@pytest.mark.parametrize(
    ("content", "title"), [("number,sold_ms,amount\nn,5,7\n", "CSV"), ('{"number": "n"}\n', "JSON lines")]
)
def test_a_time_for_a_format_whose_lines_have_one_is_refused(written, content, title):
    path = written(content)
    with pytest.raises(UnneededTime) as refused:
        lines(path, formats=[PRICES], at_ms=SOLD_MS)
    said = f"is read as {title}, whose lines all have a time: leave out --at (got 2013-01-01T00:00:00.000Z)"
    assert str(refused.value) == f"{path}: {said}"
