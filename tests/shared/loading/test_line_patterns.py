"""Lines of a regular expression: its named groups are the columns, and a refusal says where a line stops to match."""

import sys
import time
from pathlib import Path

import pytest

from shared.loading import pattern_format

ACCESS = (
    r'(?P<host>\S+) \S+ (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<request>[^"]*)" (?P<status>\d+)(?: (?P<bytes>\d+))?'
)
LINE = '83.149.9.216 - ada [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200'


def rows(pattern, *lines):
    return [values for _, _, values in pattern_format(pattern).read(iter(lines), Path("any.log"))]


def test_the_named_groups_of_a_line_are_its_columns_and_one_that_takes_no_part_is_none():
    values = {"host": "83.149.9.216", "user": "ada", "time": "17/May/2015:10:05:03 +0000"}
    values |= {"request": "GET / HTTP/1.1", "status": "200"}
    assert rows(ACCESS, LINE + "\n", "\n", LINE + " 17\r\n") == [values | {"bytes": None}, values | {"bytes": "17"}]
    assert pattern_format(ACCESS).header("") == [*values, "bytes"]


def test_a_group_may_be_named_as_java_and_fluentd_name_it():
    assert rows(r"(?<a>\w+)=(?<b>\w+)", "x=y\n") == [{"a": "x", "b": "y"}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (LINE.replace("] ", "] x"), ", but does only up to character 48, where request is wanted"),
        (LINE.replace(" 200", " -"), ", but does only up to character 65, where status is wanted"),
        (LINE + " x", ", but does only up to character 69, where bytes is wanted"),
        (LINE[:50], ", and ends where request is wanted"),
        ("", ""),
    ],
)
def test_a_line_that_does_not_match_is_refused_with_where_it_stops(line, reason):
    if line:
        (said,) = rows(ACCESS, line + "\n")
        assert said.startswith(f"must match the pattern{reason} (got '")
        assert not pattern_format(ACCESS).recognizes(line)


def test_a_whole_line_must_match():
    assert rows(r"(?P<a>\d+)", "17 \n", " 17\n", "17\n") == [
        "must match the pattern, but does only up to character 2 (got '17 ')",
        "must match the pattern (got ' 17')",
        {"a": "17"},
    ]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"\S+ x", r"must name the columns as groups, such as (?P<host>\S+) (got '\\S+ x')"),
        ("(?P<a>x", "must be a regular expression: missing ) at position 7 (got '(?P<a>x')"),
        ("(?P<a>x)|(?<a>y)", "must name a group once (got 2 groups a)"),
        ("(?P<a>x{1000}){1000}", "its counts must multiply to 10000 at most (got '(?P<a>x{1000}){1000}')"),
        ("(?P<a>x){99999999}", "its counts must multiply to 10000 at most (got '(?P<a>x){99999999}')"),
    ],
)
def test_a_wrong_pattern_is_an_error_of_one_line(pattern, reason):
    with pytest.raises(ValueError, match=r"^pattern: ") as caught:
        pattern_format(pattern)
    assert str(caught.value) == f"pattern: {reason}"


def test_a_pattern_that_would_need_hours_costs_a_reason(monkeypatch):
    monkeypatch.setattr("shared.loading.line_patterns.MATCH_S", 0.05)
    began = time.process_time()
    (said, after) = rows("(?P<a>(a|aa)+)b", "a" * 100 + "\n", "aab\n")
    assert time.process_time() - began < 5
    assert said.startswith(
        "the pattern needs more than 0 s, because it can match parts of a line in many ways: let each"
    )
    assert after == {"a": "aa"}


def test_the_longest_line_is_read():
    (values,) = rows("(?P<a>[^ ]+) (?P<b>.*)", "a b" + "x" * 10 * 1024 * 1024)
    assert len(values["b"]) == 10 * 1024 * 1024 + 1


def test_without_the_package_a_pattern_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ValueError, match=r"^pattern: needs the package regex: pip install 'rowbook\[store\]'$"):
        pattern_format("(?P<a>x)")
