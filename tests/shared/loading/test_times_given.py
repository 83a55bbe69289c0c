"""Formats whose lines may lack a time: the caller of `read_lines` gives it."""

import pytest

from shared.loading import Format, Unneeded

from .sales import Sale, lines

SOLD_MS = 1_356_998_400_000
NO_TIME = "Sale.sold_ms: the line has no time: give --at for such lines"


def read_prices(rows, _path):
    """`n-1 7`, or `n-1 7 1356998400000`."""
    for number, row in enumerate(rows, start=1):
        words = dict(zip(("number", "amount", "sold_ms"), row.split(), strict=False))
        yield number, number, words if len(words) > 1 else "must be number and amount"


PRICES = Format(
    "prices", "prices", lambda line: line.startswith("n-"), read_prices, has_milliseconds=True, may_lack_time=True
)


@pytest.mark.parametrize(
    ("content", "options", "wanted"),
    [
        ("n-1 7\nn-2 8 5\n", {"at_ms": SOLD_MS}, [Sale("n-1", SOLD_MS, 7), Sale("n-2", 5, 8)]),
        ("n-1 7 5\n", {"at_ms": SOLD_MS, "mapping": {"sold_ms": "at"}}, [Sale("n-1", SOLD_MS, 7)]),
        ("n-1 7\nn-2 8 5\nn-3\n", {}, [NO_TIME, Sale("n-2", 5, 8), "must be number and amount"]),
    ],
    ids=["given", "of another column", "not given"],
)
def test_a_line_without_a_time_has_the_one_given_and_any_other_its_own(written, content, options, wanted):
    assert [line for _, line in lines(written(content), formats=[PRICES], **options)] == wanted


@pytest.mark.parametrize(
    ("content", "title"), [("number,sold_ms,amount\nn,5,7\n", "CSV"), ('{"number": "n"}\n', "JSON lines")]
)
def test_a_time_for_a_format_whose_lines_have_one_is_refused(written, content, title):
    path = written(content)
    with pytest.raises(Unneeded) as refused:
        lines(path, formats=[PRICES], at_ms=SOLD_MS)
    said = f"is read as {title}, whose lines all have a time: leave out --at (got '+{SOLD_MS}')"
    assert str(refused.value) == f"{path}: {said}"


def test_a_notation_of_times_that_a_format_reads_itself_is_refused(written):
    path = written("n-1 7 5\n")
    with pytest.raises(
        Unneeded, match=r"which defines how times are written: leave out --time-format sold_ms \(got '%Y'\)"
    ):
        lines(path, formats=[PRICES], time_formats={"sold_ms": "%Y"})
