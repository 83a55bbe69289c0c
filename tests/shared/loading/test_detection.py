"""Formats: the one that is named, or the one that recognizes the first line; and what is not text."""

import json
import os
import threading
import time

import attrs
import pytest

from shared.loading import Format, read_lines, read_records
from shared.loading.text_files import OTHER_ENCODING
from tests.shared.loading.sales import (
    HEADER,
    LINE,
    NOTES,
    OBJECT,
    OWN,
    SALE,
    TABBED,
    Sale,
    described,
    lines,
    noted,
    read_notes,
    refusal,
)

EACH = "CSV or JSON lines"


@pytest.mark.parametrize("start", ["\ufeff", "\n \n", "  ", " " * 9000, "\n" * 9000])
def test_json_lines_are_recognized_by_their_first_character(written, start):
    file_lines = read_lines(written(start + json.dumps(OBJECT)), Sale)
    assert file_lines.format == "jsonl"
    assert [line.record for line in file_lines] == [SALE]


def test_a_file_is_of_the_format_that_its_first_line_starts(written):
    for content, format in {"@n-1": "notes", "a\tb": "tabbed", json.dumps(OBJECT): "jsonl", HEADER: "csv"}.items():
        assert read_lines(written(content), Sale, **OWN).format == format


def test_a_designs_own_formats_come_first_and_csv_last(written):
    all_of_it = Format("all", "all", lambda _: True, read_notes)
    assert read_lines(written(json.dumps(OBJECT)), Sale, formats=[all_of_it]).format == "all"
    assert read_lines(written(HEADER + LINE), Sale, formats=[all_of_it]).format == "all"


def test_a_format_that_is_named_is_read_whatever_the_first_line(written):
    path = written("cut off\n@n-1\n")
    assert lines(path, format="notes", **OWN) == [(1, "must start with @"), (2, noted("n-1"))]
    assert list(read_records(written("@n-1"), Sale, OWN["formats"])) == [noted("n-1")]


def test_a_file_of_an_unknown_format_is_read_as_csv_and_the_refusal_says_so(written):
    no_csv = "is not CSV: must begin with the columns number, sold_ms, amount (got "
    untried = f"its first line does not look like notes, tabbed text {EACH.removeprefix('CSV ')}"
    tried = f"; read as CSV because {untried}"
    for first in ("[2016-12-19 16:31] x", "<13>x"):
        log = "; if it is a log, describe its lines by --layout or --pattern"
        assert refusal(written(first), **OWN) == f"{no_csv}'{first}'); {untried}{log}"
    assert refusal(written("#1"), **OWN) == f"{no_csv}'#1'); {untried}"
    no_columns = "no column number, nor any other of Sale; map a field to one of: a, b"
    assert refusal(written("a,b"), **OWN) == f"{no_columns}{tried}"
    assert refusal(written('x,"'), **OWN) == f"the header in line 1 is not valid CSV: unexpected end of data{tried}"
    assert refusal(written("x"), format="csv", **OWN) == f"{no_csv}'x')"
    assert refusal(written('[\n{"number": 1}]'), **OWN) == "is a JSON array; write one object a line (jq -c '.[]')"


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ("# rowbook", "Markdown"),
        ("# a page, a comma", "Markdown"),
        ("#!/bin/sh", "a script"),
        ("<!doctype html>", "HTML or XML"),
        ("---", "YAML"),
        ("%PDF-1.7", "PDF"),
    ],
)
def test_a_text_that_is_not_csv_is_said_to_look_like_what_it_is(written, first, kind):
    assert f"(got '{first}', which looks like {kind})" in refusal(written(first))


@pytest.mark.parametrize(
    ("format", "wanted"),
    [("auto", f"notes, tabbed text, {EACH}"), ("notes", "notes"), ("jsonl", "JSON lines"), ("csv", "CSV")],
)
def test_a_file_that_is_not_text_is_refused_with_the_formats_that_could_be_read(written, format, wanted):
    refused = refusal(written(b"\n\x7fELF\0"), format=format, **OWN)
    assert refused == f"is not text (byte 00 at offset 5); must be {wanted}"
    refused = refusal(written(b"\xef\xbb\xbf\n\xc3\xa9\xff"), format=format, **OWN)
    assert refused == f"is not UTF-8 text (byte ff at offset 6); must be {wanted}{OTHER_ENCODING}"


def test_an_unknown_format_names_those_of_the_design_too(written):
    wanted = r"^format: must be auto, notes, tabbed, syslog, zeek, eve, journald, csv, jsonl or parquet \(got 'xml'\)$"
    with pytest.raises(ValueError, match=wanted):
        read_lines(written(HEADER), Sale, description=described(format="xml"), **OWN)


@pytest.mark.parametrize(("name", "count"), [("auto", 2), ("csv", 2), ("notes", 2)])
def test_formats_have_names_of_their_own(written, name, count):
    with pytest.raises(ValueError, match=f"^formats: the name '{name}' occurs {count} times$"):
        read_lines(written(HEADER), Sale, formats=[NOTES, attrs.evolve(TABBED, name=name)])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\n" * 9000, "is empty"),
        (
            b"\n" * 9000 + b"\x1f\x8b\x08",
            f"is not text (byte 8b at offset 9001); must be {EACH}",
        ),
        ("number".encode("utf-16-le"), f"is not text (byte 00 at offset 1); must be {EACH}"),
    ],
)
def test_a_file_that_holds_no_records_is_refused_in_one_line(written, content, reason):
    assert refusal(written(content)) == reason


def test_a_format_is_recognized_though_a_pipe_brings_the_first_line_in_pieces(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with path.open("wb", buffering=0) as pipe:
            for piece in (b"\xef", b"\xbb\xbf", b"\n\n a", b"\t", b"b"):
                pipe.write(piece)
                time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    file_lines = read_lines(path, Sale, **OWN)
    assert (file_lines.format, file_lines.size_bytes, [*file_lines]) == ("tabbed", None, [])
    writer.join()
