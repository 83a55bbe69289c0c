"""CSV: what is a record, and that a stray quote costs one line."""

import contextlib
import csv
import io
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.loading import UnreadableFile, read_lines, read_records
from shared.loading.csv_format import CSV
from tests.shared.loading.sales import HEADER, LINE, SALE, Sale, lines

BAD_AMOUNT = "Sale.amount: must be an int (got 'x')"


@pytest.mark.parametrize(
    "content",
    [
        HEADER + LINE,
        (HEADER + LINE).removesuffix("\n"),
        "\ufeff" + HEADER + LINE,
        "number, sold_ms,  amount \nn-1, 2020-01-01,  7\n",
        'number, "sold_ms", amount\n"n-1", "2020-01-01", 7\n',
        "block,amount,sold_ms,number,state\n17,+7,1577836800000,n-1,open\n",
    ],
)
def test_a_csv_line_is_a_record(written, content):
    assert list(read_records(written(content), Sale)) == [SALE]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        # A field that the file lacks takes its default, one that it has does not.
        ("number,sold_ms,amount,state\nn-1,0,7,done\n", [(2, Sale("n-1", 0, 7, "done"))]),
        # Only blanks after commas are dropped, and only if the header has them.
        ("number, sold_ms, amount\n n 1 , 0, 7\n", [(2, Sale("n 1 ", 0, 7))]),
        ("amount,sold_ms,number\n7,0, n 1 \n", [(2, Sale(" n 1 ", 0, 7))]),
        # Quoted fields may hold commas, quotes and lines; blank lines are counted.
        (
            HEADER + '"a, ""b""\nc\n\nd",0,7\n' + "\n" + LINE + '"e\nf",0,x\n',
            [(2, Sale('a, "b"\nc\n\nd', 0, 7)), (7, SALE), (8, BAD_AMOUNT)],
        ),
        ("\n\n" + HEADER + "\n" + LINE, [(5, SALE)]),
        ((HEADER + LINE + '"a\rb",0,x\n').replace("\n", "\r"), [(2, SALE), (3, BAD_AMOUNT)]),
    ],
)
def test_a_csv_is_read_field_by_field_with_the_numbers_of_its_lines(written, content, wanted):
    assert lines(written(content)) == wanted


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("n-1,0\n", "must have 3 fields, like the header (got 2)"),
        ("n-1,0,7,8\n", "must have 3 fields, like the header (got 4)"),
        ("   \n", "must have 3 fields, like the header (got 1)"),
        ('"n-1"x,0,7\n', """is not valid CSV: ',' expected after '"'"""),
        ("n-1,0,1_0\n", "Sale.amount: must be an int (got '1_0')"),
        (
            "n-1,0, 1\n",
            "Sale.amount: must be an int (got ' 1'); --pattern with groups that leave out its blanks reads it",
        ),
        ("n-1,0,٣\n", "Sale.amount: must be an int (got '٣')"),
        ("n-1,0,-1\n", "Sale.amount: must be 0 or more (got -1)"),
        (f"n-1,0,{'9' * 4301}\n", "Sale.amount: an int must have at most 4300 digits (got 4301)"),
    ],
)
def test_a_bad_line_has_its_reason_and_the_next_one_is_read(written, line, reason):
    assert lines(written(HEADER + line + LINE)) == [(2, reason), (3, SALE)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (['"n-2,0,7'], "is not valid CSV: the quote opened in line 3, character 1, is never closed"),
        (['n-2,0,"7 ""big""'], "is not valid CSV: the quote opened in line 3, character 7, is never closed"),
        (['"n-2', 'a",0,"7'], "is not valid CSV: the quote opened in line 4, character 6, is never closed"),
        (
            ['"n-2,0,7', "x" * 9, '"n-3",0,7'],
            """is not valid CSV: ',' expected after '"' in line 5, after the quote opened in line 3, character 1""",
        ),
        (
            ['n-2,"0,7', "n-3,0,7", 'n-4,0,7"'],
            "must have 3 fields, like the header (got 2 up to line 5, after the quote opened in line 3, character 5)",
        ),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_after_a_stray_quote_reading_goes_on_at_the_next_line(written, bad, reason, ends):
    several = '"e, ""f""\ng",2020-01-01,7\n'
    content = HEADER + LINE + "".join(f"{line}\n" for line in bad) + LINE * 3
    opened = not reason.endswith("closed")
    content += several * opened
    numbered = lines(written(content.replace("\n", ends)))
    assert numbered[:2] == [(2, SALE), (3, reason)]
    after = 3 + len(bad)
    assert [line for line in numbered if line[0] >= after][: 3 + opened] == [
        *((number, SALE) for number in range(after, after + 3)),
        *[(after + 3, attrs.evolve(SALE, number=f'e, "f"{ends}g'))] * opened,
    ]


def test_a_quote_is_given_up_after_as_much_as_a_record_may_have(written, monkeypatch):
    monkeypatch.setattr("shared.loading.csv_format.MAX_LINE_CHARACTERS", 100)
    monkeypatch.setattr("shared.loading.csv_format.MAX_RECORD_LINES", 4)
    given_up = (
        "is not valid CSV: the quote opened in line 2, character 1, is not closed within 100 characters and 4 lines"
    )
    longest = '"' + "x" * 86 + '\nyyyy",0,7\n'
    assert len(longest) == 100 - 2
    for record, is_read in {
        longest: True,
        longest.replace("yyyy", "yyyyyy"): True,
        longest.replace("yyyy", "yyyyyyy"): False,
        '"a\n\n\nb",0,7\n': True,
        '"a\n\n\n\nb",0,7\n': False,
    }.items():
        first, *others = lines(written(HEADER + record + LINE))
        assert (first[1] == given_up) is not is_read
        assert others[-1] == (record.count("\n") + 2, SALE)


@pytest.mark.parametrize(
    "content",
    [
        'x",y,"z\n' * 15_000,
        pytest.param('x",y,"z\n' * 8_000 + LINE * 8_000 + 'n,"\n', marks=pytest.mark.long),
        '"n\n' * 15_000,
        *(
            pytest.param(content, marks=pytest.mark.long)
            for content in ('"n\n' + LINE * 15_000, ('"n\n' + LINE * 500) * 30, '"n\n' + "\n" * 50_000)
        ),
    ],
    ids=["reopened", "reopened-far-away", "opened", "once", "now-and-then", "blank-lines"],
)
def test_stray_quotes_cost_time_that_grows_with_the_file_only(written, content):
    # It takes a second; if each quote read up to the end of the file, it would never end.
    assert sum(1 for _ in read_lines(written(HEADER + content), Sale))


def test_a_record_over_several_lines_says_which(written):
    content = HEADER + '"a\nb",0,x\n' + "n-1,0,x\n" + '"n-1\n'
    assert [(line.number, line.last_number, line.count, line.span) for line in read_lines(written(content), Sale)] == [
        (2, 3, 2, " (lines 2 to 3)"),
        (4, 4, 1, ""),
        (5, 5, 1, ""),
    ]
    with pytest.raises(UnreadableFile, match=r":2: Sale.amount: must be an int \(got 'x'\) \(lines 2 to 3\)$"):
        next(read_records(written(content), Sale))


def test_a_csv_field_may_be_longer_than_python_reads_by_default(written):
    field = "x" * (131_072 + 1)
    for shown in (field, f'"{field}"'):
        assert lines(written(f"{HEADER}{shown},0,7\n")) == [(2, Sale(field, 0, 7))]


@settings(max_examples=40)
@given(st.lists(st.sampled_from(['"', '""', ",", "a", "\n", "\r\n", " "]), max_size=40).map("".join))
def test_what_python_reads_as_csv_in_lines_is_read_alike(text):
    text = f"a,b\n{text}"
    with contextlib.suppress(csv.Error):
        expected = [cells for cells in csv.reader(io.StringIO(text, newline=""), strict=True) if cells][1:]
        if all(len(cells) == 2 for cells in expected):
            rows = list(CSV.read(io.StringIO(text, newline=""), Path("a.csv")))
            assert [list(values.values()) for _first, _last, values in rows] == expected
            assert [first for first, *_ in rows] == sorted({first for first, *_ in rows})
