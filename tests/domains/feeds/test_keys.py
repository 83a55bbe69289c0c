"""The rows of all tables, byte for byte, and the order in which they come."""

import pytest

from domains.feeds.keys import (
    FOLLOWERS,
    FOLLOWING,
    POSTS,
    TIMELINES,
    AuthorOfReader,
    LineOfTimeline,
    PostOfAuthor,
    ReaderOfAuthor,
)

POSTED_MS = 1_580_976_517_000


@pytest.mark.parametrize(
    ("author", "posted_ms", "post_id", "row"),
    [
        ("dan", POSTED_MS, 7, "64616e 0001  7ffffe8fe674d077  0000000000000007"),
        ("dan", 0, 0, "64616e 0001  7fffffffffffffff  0000000000000000"),
        ("dan", 0, 2**53 + 1, "64616e 0001  7fffffffffffffff  0020000000000001"),
        ("dan", 0, 2**64 - 1, "64616e 0001  7fffffffffffffff  ffffffffffffffff"),
        ("a\0b", 0, 0, "61 00ff 62 0001  7fffffffffffffff  0000000000000000"),
        ("é", 0, 0, "c3a9 0001  7fffffffffffffff  0000000000000000"),
    ],
)
def test_a_post_is_author_terminator_inverted_time_id(author, posted_ms, post_id, row):
    assert POSTS.key.encode(PostOfAuthor(author, posted_ms, post_id)) == bytes.fromhex(row)


@pytest.mark.parametrize(
    ("owner", "row"),
    [
        ("ada", "616461 0001  7ffffe8fe674d077  64616e 0001  0000000000000007"),
        ("@dan", "4064616e 0001  7ffffe8fe674d077  64616e 0001  0000000000000007"),
    ],
)
def test_a_line_is_owner_terminator_inverted_time_author_terminator_id(owner, row):
    assert TIMELINES.key.encode(LineOfTimeline(owner, POSTED_MS, "dan", 7)) == bytes.fromhex(row)


def test_a_follow_has_the_reader_first_and_a_follower_the_author():
    assert FOLLOWING.key.encode(AuthorOfReader("ada", "dan")) == bytes.fromhex("616461 0001  64616e 0001")
    assert FOLLOWERS.key.encode(ReaderOfAuthor("dan", "ada")) == bytes.fromhex("64616e 0001  616461 0001")


def test_newer_posts_of_a_timeline_sort_first_and_those_of_one_millisecond_by_author_and_id():
    lines = [
        LineOfTimeline("ada", POSTED_MS + 1, "zoe", 9),
        LineOfTimeline("ada", POSTED_MS, "dan", 1),
        LineOfTimeline("ada", POSTED_MS, "dan", 2**63),
        LineOfTimeline("ada", POSTED_MS, "dan_1", 0),
        LineOfTimeline("ada_1", POSTED_MS + 2, "dan", 1),
    ]
    rows = [TIMELINES.key.encode(line) for line in lines]
    assert rows == sorted(rows)


def test_the_followers_of_an_author_end_before_those_of_a_longer_name_begin():
    ranges = FOLLOWERS.plan(author="HLIG").ranges
    assert FOLLOWERS.key.encode(ReaderOfAuthor("HLIG", "z")) in ranges[0]
    assert FOLLOWERS.key.encode(ReaderOfAuthor("HLIG01", "a")) not in ranges[0]
