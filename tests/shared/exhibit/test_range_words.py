"""The rows of a range in words: what binds them, as a person reads it."""

from typing import Any

import pytest

from shared.exhibit.range_words import range_words
from shared.keys import (
    Descending,
    EscapedText,
    HashPrefix,
    Int64,
    KeyLayout,
    Modulo,
    Salt,
    TimeBucket,
    TrailingBytes,
    any_of,
    between,
    starting_with,
)
from shared.keys.ranges import RowRange
from tests.shared.specimens import key_class

Visit = key_class("Visit", user=EscapedText, at_ms=Int64, page=EscapedText)
VisitNewestFirst = key_class("VisitNewestFirst", user=EscapedText, at_ms=Descending(Int64))
Digest = key_class("Digest", digest=TrailingBytes)

VISITS = KeyLayout(Visit)
HOUR_MS = 3_600_000
NOON, ONE, TWO = (hour * HOUR_MS for hour in (12, 13, 14))


def words(layout: KeyLayout[Any], **question: Any) -> list[str]:
    """What is said of each range of a question."""
    return [range_words(rows, layout) for rows in layout.plan(**question).ranges]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ({"user": "ada"}, "user ada"),
        ({"user": ""}, "user ''"),
        ({"user": "a b\n"}, r"user 'a b\n'"),
        ({"user": starting_with("a")}, "user starting with a"),
        ({"user": between("a", "b")}, "user a up to b"),
        (
            {"user": "ada", "at_ms": between(NOON, ONE)},
            "user ada, at_ms 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z",
        ),
        ({"user": "ada", "at_ms": between(NOON, None)}, "user ada, at_ms from 1970-01-01T12:00:00.000Z"),
        ({"user": "ada", "at_ms": between(None, NOON)}, "user ada, at_ms up to 1970-01-01T12:00:00.000Z"),
        ({"user": "ada", "at_ms": between()}, "user ada"),
        ({"user": "ada", "at_ms": 0, "page": "/"}, "user ada, at_ms 1970-01-01T00:00:00.000Z, page /"),
        ({"user": "x" * 81}, f"user {'x' * 80}... (81 characters)"),
        ({"user": starting_with("x" * 200)}, f"user starting with {'x' * 80}... (200 characters)"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_range_has_the_values_that_its_question_binds(question, wanted):
    assert words(VISITS, **question) == [wanted]
    assert [range_words(rows) for rows in VISITS.plan(**question).ranges] == [wanted]


def test_a_range_of_which_nothing_is_known_has_no_words_unless_it_is_all_rows():
    assert range_words(RowRange(b"a", b"b")) == ""
    assert range_words(RowRange(b"a", b"b"), VISITS) == ""
    assert range_words(RowRange(b"", None)) == range_words(RowRange(b"", None), VISITS) == "all rows"
    assert range_words(RowRange(b"a", None, (("user", between()),)), VISITS) == ""


# ---- ranges that no question bound ---------------------------------------------------------------


def test_the_layout_tells_the_values_of_a_single_row():
    row = VISITS.encode(Visit("ada", NOON, "/"))
    one_row = RowRange(row, row + b"\0")
    assert range_words(one_row, VISITS) == "user ada, at_ms 1970-01-01T12:00:00.000Z, page /"
    assert range_words(one_row) == ""
    assert range_words(RowRange(b"ada", b"ada\0"), VISITS) == ""  # not a key of the layout


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ({"user": "ada"}, "user ada"),
        (
            {"user": "ada", "at_ms": between(NOON, ONE)},
            "user ada, at_ms 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z",
        ),
        ({"user": starting_with("a")}, ""),
    ],
    ids=str,
)
def test_the_layout_tells_the_values_of_a_range_whose_ends_are_whole_parts(question, wanted):
    (rows,) = VISITS.plan(**question).ranges
    assert range_words(RowRange(rows.start, rows.stop), VISITS) == wanted


def test_the_ends_of_a_descending_range_are_not_told():
    layout = KeyLayout(VisitNewestFirst)
    (rows,) = layout.plan(user="ada", at_ms=between(NOON, ONE)).ranges
    assert range_words(rows, layout) == "user ada, at_ms 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z"
    assert range_words(RowRange(rows.start, rows.stop), layout) == ""


# ---- prefixes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "question", "wanted"),
    [
        (VISITS, {"user": any_of(["b", "a"])}, ["user a", "user b"]),
        (KeyLayout(Digest), {"digest": starting_with(b"ab")}, ["digest starting with 61 62"]),
        (KeyLayout(Visit, Modulo(of="at_ms", by=2)), {"user": "ada"}, ["bucket 00, user ada", "bucket 01, user ada"]),
        # The md5 of ada is 8c 8d 35 7b .., that of u40 starts with two bytes that are letters or digits.
        (KeyLayout(Visit, HashPrefix(of="user", bytes=2)), {"user": "ada"}, ["hash 8c 8d, user ada"]),
        (
            KeyLayout(Visit, HashPrefix(of="user", bytes=4, hex=True, separator="_")),
            {"user": "ada"},
            ["hash 8c8d_, user ada"],
        ),
        (KeyLayout(Visit, HashPrefix(of="user", bytes=2)), {"user": "u40"}, ["hash 30 65, user u40"]),
        (
            KeyLayout(Visit, TimeBucket(of="at_ms", every_ms=HOUR_MS)),
            {"user": "ada", "at_ms": between(NOON, ONE)},
            ["slice 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z, user ada"],
        ),
        (
            KeyLayout(Visit, TimeBucket(of="at_ms", every_ms=HOUR_MS)),
            {"at_ms": between(NOON, TWO)},
            ["slice 1970-01-01T12:00:00.000Z up to 1970-01-01T14:00:00.000Z"],
        ),
    ],
    ids=str,
)
def test_each_range_has_its_prefix_and_its_values(layout, question, wanted):
    assert words(layout, **question) == wanted


def test_a_bucket_is_in_hex_although_its_number_is_that_of_a_digit():
    salted = KeyLayout(Visit, Salt(of="page", buckets=60))
    assert words(salted, user="ada")[0x30] == "bucket 30, user ada"
    row = salted.encode(Visit("ada", NOON, "/"))
    said = f"bucket {row[0]:02x}, user ada, at_ms 1970-01-01T12:00:00.000Z, page /"
    assert range_words(RowRange(row, row + b"\0"), salted) == said
