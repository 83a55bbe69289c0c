"""The rows of a range in words: what binds them, as a person reads it."""

from typing import Any

import pytest

from shared.designs.range_words import range_words
from shared.keys import (
    Descending,
    EscapedText,
    HashPrefix,
    Int64,
    KeyLayout,
    Modulo,
    RowRange,
    Salt,
    TimeBucket,
    TrailingBytes,
    any_of,
    between,
    starting_with,
)
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
        ({"user": "ada", "at_ms": NOON}, "user ada, at_ms 1970-01-01T12:00:00.000Z"),
        (
            {"user": "ada", "at_ms": between(NOON, ONE)},
            "user ada, at_ms 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z",
        ),
        ({"user": "ada", "at_ms": between(NOON, None)}, "user ada, at_ms from 1970-01-01T12:00:00.000Z"),
        ({"user": "ada", "at_ms": between(None, NOON)}, "user ada, at_ms up to 1970-01-01T12:00:00.000Z"),
        ({"user": "ada", "at_ms": between()}, "user ada"),
        ({"user": "ada", "at_ms": 0, "page": "/"}, "user ada, at_ms 1970-01-01T00:00:00.000Z, page /"),
        ({"user": "x" * 80}, f"user {'x' * 80}"),
        ({"user": "x" * 81}, f"user {'x' * 80}... (81 characters)"),
        ({"user": starting_with("x" * 200)}, f"user starting with {'x' * 80}... (200 characters)"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_range_has_the_values_that_its_question_binds(question, wanted):
    assert words(VISITS, **question) == [wanted]
    assert [range_words(rows) for rows in VISITS.plan(**question).ranges] == [wanted]


def test_each_of_several_values_is_a_range_of_its_own():
    assert words(VISITS, user=any_of(["b", "a"])) == ["user a", "user b"]


def test_bytes_are_shown_in_hex():
    assert words(KeyLayout(Digest), digest=starting_with(b"ab")) == ["digest starting with 61 62"]


def test_a_range_without_ends_is_all_rows():
    assert range_words(RowRange(b"", None)) == range_words(RowRange(b"", None), VISITS) == "all rows"
    assert words(KeyLayout(Visit, HashPrefix(of="user", bytes=4)), user="ada") != ["all rows"]


def test_the_buckets_of_a_whole_table_are_shown():
    salted = KeyLayout(Visit, Salt(of="user", buckets=2))
    assert [range_words(rows, salted) for rows in salted.whole_table().ranges] == ["bucket 00", "bucket 01"]


def test_a_range_of_which_nothing_is_known_has_no_words():
    assert range_words(RowRange(b"a", b"b")) == ""
    assert range_words(RowRange(b"a", b"b"), VISITS) == ""
    assert range_words(RowRange(b"", b"b"), VISITS) == ""
    assert range_words(RowRange(b"a", None, (("user", between()),)), VISITS) == ""


# ---- ranges that no question bound ---------------------------------------------------------------


def test_the_layout_tells_the_values_of_a_single_row():
    row = VISITS.encode(Visit("ada", NOON, "/"))
    one_row = RowRange(row, row + b"\0")
    assert range_words(one_row, VISITS) == "user ada, at_ms 1970-01-01T12:00:00.000Z, page /"
    assert range_words(one_row) == ""
    assert range_words(RowRange(b"ada", b"ada\0"), VISITS) == ""  # not a key of the layout


def test_the_layout_tells_the_bucket_of_a_single_row():
    salted = KeyLayout(Visit, Salt(of="user", buckets=8))
    row = salted.encode(Visit("ada", NOON, "/"))
    said = f"bucket {row[0]:02x}, user ada, at_ms 1970-01-01T12:00:00.000Z, page /"
    assert range_words(RowRange(row, row + b"\0"), salted) == said


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


def test_a_bucket_is_in_hex_whatever_its_number():
    salted = KeyLayout(Visit, Salt(of="page", buckets=60))
    said = words(salted, user="ada")
    # The byte 30 is also the digit 0.
    assert [said[0x05], said[0x30]] == ["bucket 05, user ada", "bucket 30, user ada"]
    by_time = KeyLayout(Visit, Modulo(of="at_ms", by=2))
    assert words(by_time, user="ada") == ["bucket 00, user ada", "bucket 01, user ada"]


@pytest.mark.parametrize(
    ("user", "prefix", "wanted"),
    [
        # The md5 of ada is 8c 8d 35 7b .., that of u40 starts with two bytes that are letters or digits.
        ("ada", HashPrefix(of="user", bytes=2), "hash 8c 8d, user ada"),
        ("ada", HashPrefix(of="user", bytes=4, hex=True), "hash 8c8d, user ada"),
        ("ada", HashPrefix(of="user", bytes=4, hex=True, separator="_"), "hash 8c8d_, user ada"),
        ("u40", HashPrefix(of="user", bytes=2), "hash 30 65, user u40"),
    ],
    ids=str,
)
def test_a_hash_is_in_hex_or_the_digits_that_are_stored(user, prefix, wanted):
    assert words(KeyLayout(Visit, prefix), user=user) == [wanted]


def test_slices_are_the_time_that_they_hold():
    layout = KeyLayout(Visit, TimeBucket(of="at_ms", every_ms=HOUR_MS))
    assert words(layout, user="ada", at_ms=between(NOON, TWO)) == [
        "slice 1970-01-01T12:00:00.000Z up to 1970-01-01T13:00:00.000Z, user ada",
        "slice 1970-01-01T13:00:00.000Z up to 1970-01-01T14:00:00.000Z, user ada",
    ]
    assert words(layout, at_ms=between(NOON, TWO)) == ["slice 1970-01-01T12:00:00.000Z up to 1970-01-01T14:00:00.000Z"]
