"""Text files as lines: UTF-8, line ends, lengths, pipes, and when a file is closed."""

import contextlib
import gc
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from shared.loading import UnreadableFile, read_lines, read_records
from shared.loading.text_files import OTHER_ENCODING
from tests.shared.loading.sales import HEADER, LINE, NOTES, OBJECT, OWN, SALE, Sale, lines, noted, refusal

ROOT = Path(__file__).parents[3]


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
        HEADER.encode() + b"caf\xe9,0,7\n" + LINE.encode(),
        b'\n{"number": "caf\xe9"}\n' + json.dumps(OBJECT).encode(),
        HEADER.encode() + b"caf\xe9,0,7\n" + LINE.encode() + b"x" * 20_000,
    ],
)
def test_a_byte_that_is_not_utf8_spoils_its_own_line_only(written, content):
    assert lines(written(content))[:2] == [
        (2, f"number: is not UTF-8 (byte e9){OTHER_ENCODING}"),
        (3, SALE),
    ]


def test_a_column_that_no_field_takes_must_be_utf8_too(written):
    content = b"number,sold_ms,amount,other\nn-1,0,7,caf\xe9\n"
    assert lines(written(content)) == [(2, f"other: is not UTF-8 (byte e9){OTHER_ENCODING}")]


@pytest.mark.parametrize("blanks", ["\n" * 9000, "\r\n" * 9000, "\ufeff" + " \n" * 9000, "\n" + " " * 9000 + "\n"])
def test_a_file_may_begin_with_any_number_of_blank_lines(written, blanks):
    count = blanks.count("\n")
    assert lines(written(blanks + HEADER + LINE)) == [(count + 2, SALE)]
    assert lines(written(blanks + json.dumps(OBJECT))) == [(count + 1, SALE)]


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
print(*(sum(1 for _ in read_lines(path, LogEvent, formats=FORMATS)) for path in sys.argv[1:]))
"""


@pytest.mark.long
def test_lone_carriage_returns_in_a_log_cost_time_that_grows_with_their_number_only(written):
    # In a process of its own: once Python has optimized the code for strings that grow, any code is fast.
    hit = '10.0.0.1 - - [12/Jan/2026:08:07:31 +0000] "GET / HTTP/1.1" 200 12'
    paths = [written(hit + piece * 700_000 + "\n" + hit, f"{len(piece)}.log") for piece in ("\r", "é\r\r")]
    command = [sys.executable, "-c", FRESH, *paths]
    done = subprocess.run(command, cwd=ROOT, timeout=30, check=True, capture_output=True, text=True)
    assert done.stdout == "2 2\n"


@pytest.mark.parametrize("bad", range(1, 8))
def test_a_byte_that_is_not_utf8_spoils_the_record_whose_line_it_is_in(written, bad):
    good = ["@n-1", "a", "b", "@n-2", "@n-3", "c", ""]
    expected = {1: noted("n-1", "a|b"), 4: noted("n-2"), 5: noted("n-3", "c|")}
    first = max(number for number in expected if number <= bad)
    expected[first] = f"{'number' if first == bad else 'note'}: is not UTF-8 (byte e9){OTHER_ENCODING}"
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


def test_a_file_must_have_more_lines_than_are_skipped_each_of_limited_length(written, monkeypatch):
    path = written(f"a\n{HEADER}n-1,5,7\n")
    assert lines(path, skip=1) == [(3, attrs.evolve(SALE, sold_ms=5))]
    assert refusal(path, skip=4) == "must have more lines than are skipped, 4 (got 3)"
    assert refusal(path, skip=3) == "is empty"
    monkeypatch.setattr("shared.loading.text_files.MAX_LINE_CHARACTERS", 20)
    too_long = "line 2, which is skipped, must have fewer than "
    assert refusal(written(f"a\n{'b' * 20}\n{HEADER}"), skip=2).startswith(too_long)


def test_a_character_that_two_reads_of_the_file_share_is_not_an_error(written):
    for blanks in range(4):
        content = "number,sold_ms,amount\n" + "é" * 10_000 + "🐘" * blanks + ",0,7\n"
        ((_, record),) = lines(written("x" * blanks + content), mapping={"number": "x" * blanks + "number"})
        assert record.amount == 7


def test_a_file_that_is_not_there_or_not_a_file_is_refused(tmp_path):
    assert refusal(tmp_path / "none.csv") == "No such file or directory"
    assert refusal(tmp_path) == "Is a directory"
    with pytest.raises(UnreadableFile, match="null byte"):
        read_lines("a\0b", Sale)


def test_a_compressed_file_is_read_as_the_one_in_it_and_a_damaged_one_is_refused_with_the_last_line(tmp_path):
    path = tmp_path / "sales.csv.gz"
    whole = gzip.compress((HEADER + LINE * 5000).encode())
    path.write_bytes(whole)
    file_lines = read_lines(path, Sale)
    read_bytes = [file_lines.read_bytes for line in file_lines if line.record == SALE]
    assert len(read_bytes) == 5000
    assert read_bytes == sorted(read_bytes)
    assert read_bytes[0] <= file_lines.size_bytes == read_bytes[-1] == len(whole)
    for content, reason in (
        (whole[:-20], r"end-of-stream.*, after line \d+$"),
        (whole[:99] + b"x" + whole[100:], "CRC|Error|invalid"),
        (b"x", "gzip"),
    ):
        path.write_bytes(content)
        with pytest.raises(UnreadableFile, match=reason):
            list(read_records(path, Sale))


def test_a_minus_is_the_standard_input(written):
    stdin = os.dup(0)
    with written(HEADER + LINE).open() as file:
        os.dup2(file.fileno(), 0)
    try:
        assert lines("-") == [(2, SALE)]
    finally:
        os.dup2(stdin, 0)


@pytest.mark.filterwarnings("error")
def test_a_file_is_closed_when_it_is_read_or_refused(written, recwarn):
    gc.collect()  # what other tests left open
    recwarn.clear()
    for content in (HEADER + LINE, json.dumps(OBJECT), HEADER + "n-1,0,x\n", "number\n", "[1]"):
        with contextlib.suppress(UnreadableFile):
            list(read_records(written(content), Sale))
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []
