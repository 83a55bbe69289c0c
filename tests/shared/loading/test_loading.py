"""Records from files: what is taken, what is refused, and with which words."""

import contextlib
import csv
import gc
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.loading import Format, UnknownField, UnknownUnit, UnreadableFile, read_lines, read_records, read_value
from shared.loading.csv_format import CSV

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared" / "data" / "orders" / "punks_sales_first5000.csv"


def positive(_record, _field, value):
    if value < 0:
        raise ValueError(f"Sale.amount: must be 0 or more (got {value})")


@attrs.frozen
class Sale:
    number: str
    sold_ms: int
    amount: int = attrs.field(validator=positive)
    state: Literal["open", "done"] = "open"
    note: str | None = None


HEADER = "number,sold_ms,amount\n"
LINE = "n-1,2020-01-01,7\n"
SALE = Sale("n-1", 1_577_836_800_000, 7)
OBJECT = {"number": "n-1", "sold_ms": "2020-01-01", "amount": 7}


@pytest.fixture
def written(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="sales"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(path, **options):
    return [(line.number, line.record or line.reason) for line in read_lines(path, Sale, **options)]


def refusal(path, **options):
    with pytest.raises(UnreadableFile) as caught:
        read_lines(path, Sale, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


# CSV


@pytest.mark.parametrize(
    "content",
    [
        HEADER + LINE,
        (HEADER + LINE).removesuffix("\n"),
        (HEADER + LINE).replace("\n", "\r\n"),
        "\ufeff" + HEADER + LINE,
        "number, sold_ms,  amount \nn-1, 2020-01-01,  7\n",
        'number, "sold_ms", amount\n"n-1", "2020-01-01", 7\n',
        "block,amount,sold_ms,number,state\n17,+7,1577836800000,n-1,open\n",
    ],
)
def test_a_csv_line_is_a_record(written, content):
    assert list(read_records(written(content), Sale)) == [SALE]


def test_a_field_that_the_file_lacks_takes_its_default_and_one_that_it_has_does_not(written):
    assert lines(written("number,sold_ms,amount,state\nn-1,0,7,done\n")) == [(2, Sale("n-1", 0, 7, "done"))]


def test_only_the_blanks_behind_commas_go_and_only_where_the_header_has_them(written):
    assert lines(written("number, sold_ms, amount\n n 1 , 0, 7\n")) == [(2, Sale("n 1 ", 0, 7))]
    assert lines(written("amount,sold_ms,number\n7,0, n 1 \n")) == [(2, Sale(" n 1 ", 0, 7))]


def test_quoted_fields_may_hold_commas_quotes_and_lines(written):
    content = HEADER + '"a, ""b""\nc\n\nd",0,7\n' + "\n" + LINE + '"e\nf",0,x\n'
    assert lines(written(content)) == [
        (2, Sale('a, "b"\nc\n\nd', 0, 7)),
        (7, SALE),
        (8, "Sale.amount: must be an int (got 'x')"),
    ]


def test_blank_lines_before_the_header_and_between_records_count_but_are_no_records(written):
    assert lines(written("\n\n" + HEADER + "\n" + LINE)) == [(5, SALE)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("n-1,0\n", "must have 3 fields, as the header (got 2)"),
        ("n-1,0,7,8\n", "must have 3 fields, as the header (got 4)"),
        ("n-1,0,7,\n", "must have 3 fields, as the header (got 4)"),
        ("   \n", "must have 3 fields, as the header (got 1)"),
        ('"n-1"x,0,7\n', """is not valid CSV: ',' expected after '"'"""),
        ("n-1,0,\n", "Sale.amount: must be an int (got '')"),
        ("n-1,0,12x\n", "Sale.amount: must be an int (got '12x')"),
        ("n-1,0,1_0\n", "Sale.amount: must be an int (got '1_0')"),
        ("n-1,0,1.0\n", "Sale.amount: must be an int (got '1.0')"),
        ("n-1,0, 1\n", "Sale.amount: must be an int (got ' 1')"),
        ("n-1,0,٣\n", "Sale.amount: must be an int (got '٣')"),
        ("n-1,0,-1\n", "Sale.amount: must be 0 or more (got -1)"),
    ],
)
def test_a_bad_line_has_its_reason_and_the_next_one_is_read(written, line, reason):
    assert lines(written(HEADER + line + LINE)) == [(2, reason), (3, SALE)]


def test_a_time_that_is_none_names_record_and_field(written):
    ((_, reason),) = lines(written(HEADER + "n-1,yesterday,7\n"))
    assert reason.startswith("Sale.sold_ms: must be a time such as ")
    assert reason.endswith("(got 'yesterday')")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (['"n-2,0,7'], "is not valid CSV: the quote opened in line 3, character 1, is never closed"),
        (['n-2,"0,7'], "is not valid CSV: the quote opened in line 3, character 5, is never closed"),
        (['n-2,0,"7 ""big""'], "is not valid CSV: the quote opened in line 3, character 7, is never closed"),
        (['"n-2', 'a",0,"7'], "is not valid CSV: the quote opened in line 4, character 6, is never closed"),
        (
            ['"n-2,0,7', "x" * 9, '"n-3",0,7'],
            """is not valid CSV: ',' expected after '"' in line 5, after the quote opened in line 3, character 1""",
        ),
        (
            ['n-2,"0,7', "n-3,0,7", 'n-4,0,7"'],
            "must have 3 fields, as the header (got 2 up to line 5, after the quote opened in line 3, character 5)",
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
    kept = '"' + "x" * 86 + '\nyyyy",0,7\n'
    assert len(kept) == 100 - 2
    for record, is_taken in {
        kept: True,
        kept.replace("yyyy", "yyyyyy"): True,
        kept.replace("yyyy", "yyyyyyy"): False,
        '"a\n\n\nb",0,7\n': True,
        '"a\n\n\n\nb",0,7\n': False,
    }.items():
        first, *others = lines(written(HEADER + record + LINE))
        assert (first[1] == given_up) is not is_taken
        assert others[-1] == (record.count("\n") + 2, SALE)


def test_a_line_that_ends_the_reading_does_so_only_after_the_lines_before_it(written, monkeypatch):
    monkeypatch.setattr("shared.loading.text_files.MAX_LINE_CHARACTERS", 40)
    path = written(HEADER + '"n-2,0,7\n' + LINE + "x" * 100 + "\n")
    file_lines = iter(read_lines(path, Sale))
    assert next(file_lines).reason.endswith("is never closed")
    assert next(file_lines).record == SALE
    with pytest.raises(UnreadableFile, match=":4: must have fewer than"):
        next(file_lines)


@pytest.mark.parametrize(
    "content",
    [
        'x",y,"z\n' * 60_000,
        'x",y,"z\n' * 30_000 + LINE * 30_000 + 'n,"\n',
        '"n\n' * 60_000,
        '"n\n' + LINE * 60_000,
        ('"n\n' + LINE * 1000) * 60,
        '"n\n' + "\n" * 200_000,
    ],
    ids=["reopened", "reopened-far-away", "opened", "once", "now-and-then", "blank-lines"],
)
def test_stray_quotes_cost_time_that_grows_with_the_file_only(written, content):
    begin = time.perf_counter()
    count = sum(1 for _ in read_lines(written(HEADER + content), Sale))
    assert count
    assert time.perf_counter() - begin < 20  # two seconds; for ever, if each quote read up to the end of the file


def test_a_record_over_several_lines_says_which(written):
    content = HEADER + '"a\nb",0,x\n' + "n-1,0,x\n" + '"n-1\n'
    assert [(line.number, line.last_number, line.count, line.span) for line in read_lines(written(content), Sale)] == [
        (2, 3, 2, " (lines 2 to 3)"),
        (4, 4, 1, ""),
        (5, 5, 1, ""),
    ]
    with pytest.raises(UnreadableFile, match=r":2: Sale.amount: must be an int \(got 'x'\) \(lines 2 to 3\)$"):
        next(read_records(written(content), Sale))


@pytest.mark.parametrize("characters", [131_072, 131_073, 9_000_000])
def test_a_csv_field_may_be_as_long_as_a_line(written, characters):
    for field in ("x" * characters, f'"{"x" * characters}"'):
        ((_, record),) = lines(written(f"number,sold_ms,amount\n{field},0,7\n"))
        assert len(record.number) == characters


@given(st.lists(st.sampled_from(['"', '""', ",", "a", "\n", "\r\n", " "]), max_size=40).map("".join))
def test_what_python_reads_as_csv_in_lines_is_read_alike(text):
    text = f"a,b\n{text}"
    with contextlib.suppress(csv.Error):
        expected = [cells for cells in csv.reader(io.StringIO(text, newline=""), strict=True) if cells][1:]
        if all(len(cells) == 2 for cells in expected):
            rows = list(CSV.read(io.StringIO(text, newline=""), Path("a.csv")))
            assert [list(values.values()) for _first, _last, values in rows] == expected
            assert [first for first, *_ in rows] == sorted({first for first, *_ in rows})


def test_ints_have_up_to_4300_digits(written):
    content = HEADER + f"n-1,0,{10**21}\nn-2,0,+{'9' * 4300}\nn-3,0,{'9' * 4301}\n"
    assert [line.record.amount if line.record else line.reason for line in read_lines(written(content), Sale)] == [
        10**21,
        10**4300 - 1,
        "Sale.amount: an int must have at most 4300 digits (got 4301)",
    ]


def test_a_byte_that_is_not_utf8_spoils_its_own_line_only(written):
    content = (HEADER + "x" * 20_000 + ",0,7\n").encode() + b"caf\xe9,0,7\n" + LINE.encode()
    assert lines(written(content))[1:] == [(3, "number: is not UTF-8 (byte e9)"), (4, SALE)]


def test_a_first_line_that_is_text_makes_the_file_text(written):
    assert lines(written(HEADER.encode() + b"caf\xe9,0,7\n" + LINE.encode())) == [
        (2, "number: is not UTF-8 (byte e9)"),
        (3, SALE),
    ]
    assert lines(written(b'{"number": "caf\xe9"}\n' + json.dumps(OBJECT).encode())) == [
        (1, "number: is not UTF-8 (byte e9)"),
        (2, SALE),
    ]


def test_a_column_that_no_field_takes_must_be_utf8_too(written):
    content = b"number,sold_ms,amount,other\nn-1,0,7,caf\xe9\n"
    assert lines(written(content)) == [(2, "other: is not UTF-8 (byte e9)")]


def test_a_csv_may_end_its_lines_with_carriage_returns(written):
    assert lines(written((HEADER + LINE + '"a\rb",0,x\n').replace("\n", "\r"))) == [
        (2, SALE),
        (3, "Sale.amount: must be an int (got 'x')"),
    ]


@pytest.mark.parametrize("blanks", ["\n" * 9000, "\r\n" * 9000, "\ufeff" + " \n" * 9000, "\n" + " " * 9000 + "\n"])
def test_a_file_may_begin_with_any_number_of_blank_lines(written, blanks):
    count = blanks.count("\n")
    assert lines(written(blanks + HEADER + LINE)) == [(count + 2, SALE)]
    assert lines(written(blanks + json.dumps(OBJECT))) == [(count + 1, SALE)]


def test_a_csv_with_a_header_alone_has_no_records(written):
    assert lines(written(HEADER)) == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1))
def test_text_that_csv_can_write_is_read_as_it_is(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["number", "sold_ms", "amount"], *([text, 0, 7] for text in texts)])
    assert [record.number for record in read_records(path, Sale)] == texts


# JSON lines


def test_a_json_line_is_a_record(written):
    path = written(json.dumps(OBJECT) + "\n\n" + json.dumps({**OBJECT, "other": [1], "amount": "7"}))
    assert lines(path) == [(1, SALE), (3, SALE)]


@pytest.mark.parametrize("start", ["\ufeff", "\n \n", "  ", " " * 9000, "\n" * 9000])
def test_json_lines_are_told_by_their_first_character(written, start):
    file_lines = read_lines(written(start + json.dumps(OBJECT)), Sale)
    assert file_lines.format == "jsonl"
    assert [line.record for line in file_lines] == [SALE]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"amount": True}, "Sale.amount: must be an int (got True)"),
        ({"amount": 7.0}, "Sale.amount: must be an int (got 7.0)"),
        ({"amount": None}, "Sale.amount: must be an int (got None)"),
        ({"amount": "7.0"}, "Sale.amount: must be an int (got '7.0')"),
        ({"amount": [7]}, "Sale.amount: must be an int (got [7])"),
        ({"amount": -7}, "Sale.amount: must be 0 or more (got -7)"),
        ({"number": 1}, "Sale.number: must be text (got 1)"),
        ({"sold_ms": 1.5e12}, "Sale.sold_ms: must be an int (got 1500000000000.0)"),
        ({"sold_ms": False}, "Sale.sold_ms: must be an int (got False)"),
        ({"state": "gone"}, "Sale.state: must be one of open, done (got 'gone')"),
        ({"state": None}, "Sale.state: must be one of open, done (got None)"),
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
        ("7", "must be a JSON object (got '7')"),
        ('{"number": "a", "number": "b"}', "is not valid JSON: 'number' occurs 2 times"),
        ('{"a": ' + "9" * 5000 + "}", "is not valid JSON: an int must have at most 4300 digits (got 5000)"),
        ('{"a": ' + "[" * 100_000 + "}", "is not valid JSON: maximum recursion depth"),
        ("{}", "no column number, sold_ms, amount for Sale.number, sold_ms, amount; map a field to one of: "),
        ('{"number": "a", "amount": 1}', "no column sold_ms for Sale.sold_ms; map a field to one of: number, amount"),
    ],
)
def test_a_line_that_is_no_such_object_says_why(written, line, reason):
    first, second = lines(written(line + "\n" + json.dumps(OBJECT)), format="jsonl")
    assert first[0] == 1
    assert first[1].startswith(reason)
    assert "\n" not in first[1]
    assert second == (2, SALE)


def test_an_optional_field_may_be_null(written):
    assert lines(written(json.dumps(OBJECT | {"note": None}))) == [(1, SALE)]
    assert lines(written(json.dumps(OBJECT | {"note": "x"}))) == [(1, attrs.evolve(SALE, note="x"))]


@attrs.frozen
class Checked:
    """A record with validators of attrs' own, and with types that cattrs reads."""

    code: Literal[1, 2] = 1
    kind: str = attrs.field(default="a", validator=attrs.validators.in_(["a"]))
    size: Any = attrs.field(default=1, validator=attrs.validators.instance_of(int))
    tags: list[int] = attrs.field(factory=list)
    note: dict[str, int] = attrs.field(factory=dict)
    part: Sale | None = None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"code": true}', "Checked.code: must be one of 1, 2 (got True)"),
        ('{"code": 1.0}', "Checked.code: must be one of 1, 2 (got 1.0)"),
        ('{"kind": "b"}', "'kind' must be in ['a'] (got 'b')"),
        ('{"size": "1"}', "'size' must be <class 'int'> (got '1' that is a <class 'str'>)."),
        ('{"tags": 1}', "Checked.tags: must be list[int] (got 1)"),
        ('{"note": 1}', "Checked.note: must be dict[str, int] (got 1)"),
        ('{"part": 1}', "Checked.part: must be tests.shared.loading.test_loading.Sale | None (got 1)"),
    ],
)
def test_whatever_a_record_refuses_is_the_reason_of_a_bad_line(written, content, reason):
    path = written(content + '\n{"code": 2}\n')
    first, second = read_lines(path, Checked)
    assert (first.record, second.record) == (None, Checked(2))
    assert first.reason == reason


def test_json_bytes_that_are_not_utf8_spoil_their_own_line_only(written):
    first, bad = json.dumps(OBJECT | {"state": "done"}) + " " * 20_000, b'{"number": "caf\xe9"}'
    assert lines(written(first.encode() + b"\n" + bad))[1] == (2, "number: is not UTF-8 (byte e9)")


# A design's own formats


def read_notes(lines, _path):
    """`@n-1`, then the lines of a note up to the next such line."""
    first, note = 0, []
    for number, line in enumerate(lines, start=1):
        if line.startswith("@") and note:
            yield first, number - 1, note_of(note)
            note = []
        if note or line.strip():
            first = first if note else number
            note.append(line.rstrip("\r\n"))
    if note:
        yield first, first + len(note) - 1, note_of(note)


def note_of(note):
    values = {"number": note[0][1:], "sold_ms": 0, "amount": 7, "note": "|".join(note[1:])}
    return values if note[0].startswith("@") else "must start with @"


NOTES = Format("notes", "notes", lambda line: line.startswith("@"), read_notes)
TABBED = Format("tabbed", "tabbed text", lambda line: "\t" in line, lambda lines, path: iter([]))
OWN = {"formats": (NOTES, TABBED)}


def noted(number, note=""):
    return Sale(number, 0, 7, note=note)


def test_a_file_is_of_the_format_that_its_first_line_starts(written):
    for content, format in {"@n-1": "notes", "a\tb": "tabbed", json.dumps(OBJECT): "jsonl", HEADER: "csv"}.items():
        assert read_lines(written(content), Sale, **OWN).format == format


def test_json_lines_come_first_and_csv_last(written):
    all_of_it = Format("all", "all", lambda _: True, read_notes)
    assert read_lines(written(json.dumps(OBJECT)), Sale, formats=[all_of_it]).format == "jsonl"
    assert read_lines(written(HEADER + LINE), Sale, formats=[all_of_it]).format == "all"


@pytest.mark.parametrize(
    "content",
    [
        "@n-1\nx\n\ny\n@n-2\n",
        "@n-1\nx\n\ny\n@n-2",
        "@n-1\r\nx\r\n\r\ny\r\n@n-2\r\n",
        "\ufeff@n-1\nx\n\ny\n@n-2\n",
    ],
)
def test_a_record_of_several_lines_has_the_number_of_its_first(written, content):
    expected = [(1, noted("n-1", "x||y")), (5, noted("n-2"))]
    assert lines(written(content), **OWN) == expected
    blank = content[0] + "\n \n" + content[1:] if content[0] == "\ufeff" else "\n \n" + content
    assert lines(written(blank), **OWN) == [(number + 2, record) for number, record in expected]


def test_a_format_that_is_named_is_taken_whatever_the_first_line(written):
    path = written("cut off\n@n-1\n")
    assert lines(path, format="notes", **OWN) == [(1, "must start with @"), (2, noted("n-1"))]
    assert list(read_records(written("@n-1"), Sale, OWN["formats"])) == [noted("n-1")]


def test_in_a_format_of_its_own_a_carriage_return_ends_no_line(written):
    content = "@n-1\na\rb\r\n\rc\n@n-2\r\r\n@n-3\r"
    file_lines = read_lines(
        written(content), Sale, formats=[attrs.evolve(NOTES, read=lambda rows, _: as_reasons(rows))]
    )
    assert [line.reason for line in file_lines] == ["@n-1\n", "a\rb\r\n", "\rc\n", "@n-2\r\r\n", "@n-3\r"]


def as_reasons(lines):
    return ((number, number, line) for number, line in enumerate(lines, start=1))


FRESH = """
import sys
from domains.logs import LogEvent
from domains.logs.formats import FORMATS
from shared.loading import read_lines
print(sum(1 for _ in read_lines(sys.argv[1], LogEvent, formats=FORMATS)))
"""


@pytest.mark.parametrize("piece", ["\r", "a\r", "é\r\r"])
def test_lone_carriage_returns_in_a_log_cost_time_that_grows_with_their_number_only(written, piece):
    # In a process of its own: once Python has optimized the code for strings that grow, any code is fast.
    hit = '10.0.0.1 - - [12/Jan/2026:08:07:31 +0000] "GET / HTTP/1.1" 200 12'
    path = written(hit + piece * 2_000_000 + "\n" + hit)
    done = subprocess.run(
        [sys.executable, "-c", FRESH, path], cwd=ROOT, timeout=20, check=True, capture_output=True, text=True
    )
    assert done.stdout == "2\n"


@pytest.mark.parametrize("bad", range(1, 8))
def test_a_byte_that_is_not_utf8_spoils_the_record_whose_line_it_is_in(written, bad):
    good = ["@n-1", "a", "b", "@n-2", "@n-3", "c", ""]
    expected = {1: noted("n-1", "a|b"), 4: noted("n-2"), 5: noted("n-3", "c|")}
    first = max(number for number in expected if number <= bad)
    expected[first] = f"{'number' if first == bad else 'note'}: is not UTF-8 (byte e9)"
    content = [line.encode() + b"\xe9" * (number == bad) for number, line in enumerate(good, start=1)]
    assert lines(written(b"\n".join(content) + b"\n"), **OWN) == list(expected.items())


@pytest.mark.parametrize("long", ["x" * 39, "x" * 400, "é" * 39, "x\r" * 20, "x" * 79 + "\r" + "x" * 10])
def test_a_line_without_end_ends_the_reading_of_a_file(written, monkeypatch, long):
    monkeypatch.setattr("shared.loading.text_files.MAX_LINE_CHARACTERS", 40)
    path = written(f"@n-1\n@n-2\n{'x' * 38}\n@n-3\n{long}\n")
    file_lines = iter(read_lines(path, Sale, **OWN))
    assert [next(file_lines).record, next(file_lines).record] == [noted("n-1"), noted("n-2", "x" * 38)]
    with pytest.raises(UnreadableFile, match=rf"^{path}:5: must have fewer than \d+ characters, line end included$"):
        next(file_lines)


def test_a_first_line_without_end_makes_a_file_unreadable(written, monkeypatch):
    monkeypatch.setattr("shared.loading.text_files.MAX_LINE_CHARACTERS", 40)
    assert refusal(written(f"{HEADER.strip()},{'x' * 100}")).startswith("the first line must have fewer than ")


def test_a_file_of_a_form_that_nobody_knows_says_what_it_was_tried_as(written):
    no_columns = "no column number, sold_ms, amount for Sale.number, sold_ms, amount; map a field to one of: "
    tried = "; read as CSV because its first line does not look like JSON lines, notes or tabbed text"
    for first in ("Dec 19 16:31:46 web sshd[1]: x", "[2016-12-19 16:31] x", "<13>x"):
        assert refusal(written(first), **OWN) == f"{no_columns}{first}{tried}"
    assert refusal(written('x,"'), **OWN) == f"the header in line 1 is not valid CSV: unexpected end of data{tried}"
    assert refusal(written("x"), format="csv", **OWN) == f"{no_columns}x"
    assert refusal(written('[\n{"number": 1}]'), **OWN) == "is a JSON array; write one object a line (jq -c '.[]')"


@pytest.mark.parametrize(
    ("format", "wanted"),
    [
        ("auto", "CSV, JSON lines, notes or tabbed text"),
        ("notes", "notes"),
        ("jsonl", "JSON lines"),
        ("csv", "CSV"),
    ],
)
def test_what_is_no_text_says_what_could_be_read(written, format, wanted):
    for content, byte in {
        b"\n\x7fELF\0": "byte 00 at offset 5",
        b"\xef\xbb\xbf\n\xc3\xa9\xff": "byte ff at offset 6",
    }.items():
        reason = refusal(written(content), format=format, **OWN)
        assert reason == f"is not UTF-8 text ({byte}); must be {wanted}"


def test_an_unknown_format_names_those_of_the_design_too(written):
    with pytest.raises(ValueError, match=r"^format: must be auto, csv, jsonl, notes or tabbed \(got 'xml'\)$"):
        read_lines(written(HEADER), Sale, format="xml", **OWN)


@pytest.mark.parametrize(("name", "count"), [("auto", 2), ("csv", 2), ("notes", 2)])
def test_formats_have_names_of_their_own(written, name, count):
    with pytest.raises(ValueError, match=f"^formats: the name '{name}' occurs {count} times$"):
        read_lines(written(HEADER), Sale, formats=[NOTES, attrs.evolve(TABBED, name=name)])


# Units

SECONDS, MICROSECONDS, NANOSECONDS = 1_740_823_200, 1_740_823_200_123_000, 1_740_823_200_123_000_000
OTHER_UNITS = {
    SECONDS: "is most likely in seconds, 2025-03-01T10:00:00.000Z: give --unit sold_ms=s",
    MICROSECONDS: "is most likely in microseconds, 2025-03-01T10:00:00.123Z: give --unit sold_ms=us",
    NANOSECONDS: "is most likely in nanoseconds, 2025-03-01T10:00:00.123Z: write milliseconds",
}


def files_of(number):
    """A CSV and two JSON lines, all with this time."""
    yield f"{HEADER}n-1,{number},7\n"
    yield as_json(number)
    yield as_json(str(number))


def as_json(sold_ms):
    return json.dumps(OBJECT | {"sold_ms": sold_ms}) + "\n"


@pytest.mark.parametrize(("number", "reason"), OTHER_UNITS.items())
def test_a_time_that_is_most_likely_in_another_unit_is_refused(written, number, reason):
    for content in files_of(number):
        ((_, refused),) = lines(written(content))
        assert refused == f"Sale.sold_ms: {reason}; if it counts milliseconds, give --unit sold_ms=ms (got {number})"


@pytest.mark.parametrize(
    ("unit", "number", "sold_ms"),
    [
        ("s", SECONDS, SECONDS * 1000),
        ("s", -1, -1000),
        ("s", 20170623, 20_170_623_000),
        ("ms", SECONDS, SECONDS),
        ("ms", MICROSECONDS, MICROSECONDS),
        ("ms", 20170623, 20_170_623),
        ("us", MICROSECONDS, MICROSECONDS // 1000),
        ("us", -5000, -5),
    ],
)
def test_a_time_is_read_in_the_unit_that_is_named(written, unit, number, sold_ms):
    for content in files_of(number):
        assert lines(written(content), units={"sold_ms": unit})[0][1].sold_ms == sold_ms


def test_microseconds_that_are_no_whole_milliseconds_are_refused(written):
    for content in files_of(MICROSECONDS + 1):
        assert lines(written(content), units={"sold_ms": "us"})[0][1] == (
            f"Sale.sold_ms: must be a time in whole milliseconds (got {MICROSECONDS + 1} microseconds)"
        )


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_unit_is_that_of_integers_only(written, unit):
    for content in files_of("2020-01-01"):
        assert lines(written(content), units={"sold_ms": unit})[0][1] == SALE
    for content in files_of("1.5"):
        assert lines(written(content), units={"sold_ms": unit})[0][1].startswith("Sale.sold_ms: must be a time such")


def test_milliseconds_with_a_plus_sign_are_taken_as_they_are(written):
    assert lines(written(f"{HEADER}n-1,+{SECONDS},7\n"))[0][1].sold_ms == SECONDS


def test_times_that_a_format_reads_itself_are_in_milliseconds_whatever_the_unit(written):
    plain = attrs.evolve(NOTES, read=lambda rows, _: ((1, 1, {**OBJECT, "sold_ms": SECONDS}) for _ in rows))
    path = written("@n-1\n")
    converting = attrs.evolve(plain, has_milliseconds=True)
    assert lines(path, formats=[converting])[0][1].sold_ms == SECONDS
    assert lines(path, formats=[converting], units={"sold_ms": "s"})[0][1].sold_ms == SECONDS
    assert "most likely" in lines(path, formats=[plain])[0][1]


@pytest.mark.parametrize(
    ("units", "error", "message"),
    [
        ({"price": "s"}, UnknownField, "Sale.price: no such field (fields: number, sold_ms, amount, state, note)"),
        ({"sold": "s"}, UnknownField, "Sale.sold: no such field (fields: number, sold_ms, amount, state, note)"),
        ({"amount": "s"}, UnknownUnit, "Sale.amount: is not a time, so it has no unit (times: sold_ms)"),
        ({"sold_ms": "ns"}, UnknownUnit, "Sale.sold_ms: its unit must be s, ms or us (got 'ns')"),
        ({"sold_ms": ""}, UnknownUnit, "Sale.sold_ms: its unit must be s, ms or us (got '')"),
    ],
)
def test_a_unit_that_is_none_is_wrong_usage(tmp_path, units, error, message):
    with pytest.raises(error) as refused:
        read_lines(tmp_path / "none.csv", Sale, units=units)
    assert str(refused.value) == message


# Mappings and columns


def test_a_field_can_take_another_column(written):
    path = written("tx, when, price (in wei)\nn-1, 2020-01-01 00:00:00 UTC, 7\n")
    mapping = {"number": "tx", "sold_ms": "when", "amount": "price (in wei)"}
    assert lines(path, mapping=mapping) == [(2, SALE)]
    path = written(json.dumps({"tx": "n-1", "when": 1_577_836_800_000, "price (in wei)": 7}))
    assert lines(path, mapping=mapping) == [(1, SALE)]


def test_two_fields_can_take_one_column(written):
    path = written("sold_ms,amount\n0,7\n")
    assert lines(path, mapping={"number": "amount"}) == [(2, Sale("7", 0, 7))]


def test_a_file_without_a_needed_column_is_refused_with_the_columns_seen(written):
    assert refusal(written("number,when,\x1b[31m\nn-1,0,7\n")) == (
        "no column sold_ms, amount for Sale.sold_ms, amount; map a field to one of: number, when, '\\x1b[31m'"
    )


def test_a_mapping_to_a_column_that_is_not_there_is_refused_even_for_a_field_with_a_default(written):
    assert refusal(written(HEADER + LINE), mapping={"state": "stat"}).startswith("no column stat for Sale.state;")
    ((_, reason),) = lines(written(json.dumps(OBJECT)), mapping={"state": "stat"})
    assert reason.startswith("no column stat for Sale.state;")


def test_a_column_that_is_there_twice_is_refused_where_it_is_needed(written):
    assert refusal(written("number,sold_ms,amount,amount\nn-1,0,7,8\n")) == "column amount occurs 2 times"
    assert lines(written("x,x,number,sold_ms,amount\n1,2,n-1,2020-01-01,7\n")) == [(2, SALE)]


def test_many_columns_are_not_all_listed(written):
    assert len(refusal(written(",".join(f"column {number}" for number in range(1000))))) < 700


def test_a_mapping_of_a_field_that_the_record_does_not_have_is_wrong_usage(written):
    with pytest.raises(UnknownField, match=r"^Sale.price: no such field \(fields: number, sold_ms, amount, "):
        read_lines(written(HEADER), Sale, mapping={"price": "amount"})


def test_an_unknown_format_is_wrong_usage(written):
    with pytest.raises(ValueError, match=r"format: must be auto, csv or jsonl \(got 'xml'\)"):
        read_lines(written(HEADER), Sale, format="xml")


# Files


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b" \n\n", "is empty"),
        (b"\n" * 9000, "is empty"),
        (b"\n" * 9000 + b"\x1f\x8b\x08", "is not UTF-8 text (byte 8b at offset 9001); must be CSV or JSON lines"),
        (b"\x7fELF\x02\x01\x01\x00", "is not UTF-8 text (byte 00 at offset 7); must be CSV or JSON lines"),
        (b"\x1f\x8b\x08", "is not UTF-8 text (byte 8b at offset 1); must be CSV or JSON lines"),
        ("number".encode("utf-16"), "is not UTF-8 text (byte 00 at offset 3); must be CSV or JSON lines"),
        (b'[{"number": 1}]', "is a JSON array; write one object a line (jq -c '.[]')"),
        (b'number,"sold\n', "the header in line 1 is not valid CSV: unexpected end of data"),
    ],
)
def test_a_file_that_holds_no_records_is_refused_in_one_line(written, content, reason):
    assert refusal(written(content)) == reason


def test_a_character_cut_by_the_end_of_the_head_is_no_error(written):
    for blanks in range(4):
        content = "number,sold_ms,amount\n" + "é" * 10_000 + "🐘" * blanks + ",0,7\n"
        ((_, record),) = lines(written("x" * blanks + content), mapping={"number": "x" * blanks + "number"})
        assert record.amount == 7


def test_a_file_that_is_not_there_or_not_a_file_is_refused(tmp_path):
    assert refusal(tmp_path / "none.csv") == "No such file or directory"
    assert refusal(tmp_path) == "Is a directory"
    with pytest.raises(UnreadableFile, match="null byte"):
        read_lines("a\0b", Sale)


def test_a_file_that_fails_while_it_is_read_is_named_with_the_last_line_that_was_read():
    maps = Format("maps", "memory map", lambda _: True, lambda rows, _path: ((n, n, "") for n, _ in enumerate(rows, 1)))
    code = "import ssl; print(flush=True); input()"  # whose libraries make a map of several reads
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        path = f"/proc/{process.pid}/maps"
        file_lines = iter(read_lines(path, Sale, formats=[maps]))
        first = next(file_lines)
        process.kill()
    numbers = [first.number]
    with pytest.raises(UnreadableFile) as caught:
        numbers.extend(line.number for line in file_lines)
    assert re.fullmatch(f"{path}: No such process, after line {numbers[-1]}", str(caught.value))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(written):
    path = written(HEADER)
    path.chmod(0)
    assert refusal(path) == "Permission denied"


def test_the_first_bad_line_ends_read_records(written):
    records = read_records(path := written(HEADER + LINE + "n-2,0,x\n"), Sale)
    assert next(records) == SALE
    with pytest.raises(UnreadableFile) as caught:
        next(records)
    assert str(caught.value) == f"{path}:3: Sale.amount: must be an int (got 'x')"


def test_a_pipe_is_read_once_and_has_no_size(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(json.dumps(OBJECT) + "\n",))
    writer.start()
    file_lines = read_lines(path, Sale)
    assert (file_lines.format, file_lines.size_bytes) == ("jsonl", None)
    assert [line.record for line in file_lines] == [SALE]
    writer.join()


def test_a_format_is_told_though_a_pipe_brings_the_first_line_in_pieces(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with path.open("wb", buffering=0) as pipe:
            for piece in (b"\xef", b"\xbb\xbf", b"\n\n a", b"\t", b"b"):
                pipe.write(piece)
                time.sleep(0.02)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_lines(path, Sale, **OWN).format == "tabbed"
    writer.join()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("content", [HEADER + LINE, json.dumps(OBJECT), HEADER + "n-1,0,x\n", "number\n", "[1]"])
def test_a_file_is_closed_when_it_is_read_or_refused(written, content, recwarn):
    with contextlib.suppress(UnreadableFile):
        list(read_records(written(content), Sale))
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


def test_how_far_reading_has_come_is_known_between_lines(written):
    file_lines = read_lines(written(HEADER + LINE * 5000), Sale)
    positions = [file_lines.read_bytes for _ in file_lines]
    assert positions == sorted(positions)
    assert positions[0] < file_lines.size_bytes == positions[-1]


@pytest.mark.parametrize(
    ("wanted", "given", "value"),
    [
        (float, "1.5", 1.5),
        (float, "-2e3", -2000.0),
        (float, 7, 7.0),
        (float, "1e308", 1e308),
        (float, "0" * 5000 + ".5", 0.5),
        (bool, "true", True),
        (bool, "false", False),
        (bool, True, True),
        (bytes, "00ff", b"\x00\xff"),
    ],
)
def test_other_types_are_read_as_they_are_written(wanted, given, value):
    assert read_value("field", wanted, given) == value


@pytest.mark.parametrize(
    ("wanted", "given"),
    [(float, "nan"), (float, "1_0"), (float, True), (float, "x"), (bool, "no"), (bool, 1), (bytes, "0"), (bytes, 3)],
)
def test_other_types_are_never_guessed(wanted, given):
    with pytest.raises(ValueError, match="must be "):
        read_value("field", wanted, given)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("1e999", "'1e999'"),
        ("-1e999", "'-1e999'"),
        ("9" * 5000, f"'{'9' * 99}..."),
        (10**400, "an int of 1329 bits"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_that_no_float_holds_is_refused(given, shown):
    with pytest.raises(ValueError, match=r"^must be a number") as refused:
        read_value("field", float, given)
    assert str(refused.value) == f"must be a number in the range of a float (got {shown})"


def test_an_int_of_thousands_of_digits_is_refused_as_other_types_in_one_line():
    for wanted in (float, str, bool, bytes):
        with pytest.raises(ValueError, match=r"^must be .* \(got an int of 16610 bits\)$"):
            read_value("field", wanted, 10**5000)


# Real ones


def test_the_made_file_with_the_quirks_of_a_real_one():
    mapping = {"number": "tx", "sold_ms": "timestamp", "amount": "price (in wei)"}
    records = [line.record for line in read_lines(ROOT / "fixtures" / "orders" / "quirks.csv", Sale, mapping=mapping)]
    assert len(records) == 12
    assert max(record.amount for record in records) == 10**21 + 11
    assert len({record.sold_ms for record in records}) == 8


@pytest.mark.skipif(not REAL.exists(), reason="the real sales are not on this machine")
def test_five_thousand_real_sales_are_read_without_a_bad_line():
    mapping = {"number": "tx", "sold_ms": "timestamp", "amount": "price (in wei)"}
    file_lines = read_lines(REAL, Sale, mapping=mapping)
    records = [line.record for line in file_lines]
    assert file_lines.format == "csv"
    assert len(records) == len({record.number for record in records}) == 5000
    assert sum(record.amount >= 2**64 for record in records) == 22
    assert (records[0].sold_ms, records[-1].sold_ms) == (1_498_251_906_000, 1_600_116_044_000)


@attrs.frozen
class Tweet:
    number: str
    text: str


TWEETS = ROOT.parent / "shared" / "data" / "feed" / "mayweather_tweets_first4000.csv"


@pytest.mark.skipif(not TWEETS.exists(), reason="the real tweets are not on this machine")
def test_four_thousand_real_tweets_with_line_breaks_are_read_as_python_reads_them():
    with TWEETS.open(encoding="utf-8", newline="") as file:
        expected = [(row["id"], row["text"]) for row in csv.DictReader(file)]
    tweets = [line.record for line in read_lines(TWEETS, Tweet, mapping={"number": "id"})]
    assert [(tweet.number, tweet.text) for tweet in tweets] == expected
    assert sum("\n" in tweet.text for tweet in tweets) > 100
