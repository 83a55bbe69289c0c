"""The rows of the tables beside bytes written by hand; `fixtures/feeds/keys.json` has more of each."""

import pytest

from domains.feeds.keys import (
    TABLES,
    AuthorOfReader,
    AuthorWithStream,
    LineOfTimeline,
    PostOfAuthor,
    ReaderOfAuthor,
)

POSTED_MS = 1_580_976_517_000


@pytest.mark.parametrize(
    ("table", "key", "row"),
    [
        (TABLES.following, AuthorOfReader("ada", "dan"), "616461 0001  64616e 0001"),
        (TABLES.followers, ReaderOfAuthor("dan", "ada"), "64616e 0001  616461 0001"),
        (TABLES.posts, PostOfAuthor("dan", POSTED_MS, 7), "64616e 0001  7ffffe8fe674d077  0000000000000007"),
        (TABLES.posts, PostOfAuthor("a\0b", 0, 2**64 - 1), "61 00ff 62 0001  7fffffffffffffff  ffffffffffffffff"),
        (TABLES.unfinished, PostOfAuthor("é", 0, 2**53 + 1), "c3a9 0001  7fffffffffffffff  0020000000000001"),
        (
            TABLES.timelines,
            LineOfTimeline("ada", POSTED_MS, "dan", 7),
            "616461 0001  7ffffe8fe674d077  64616e 0001  0000000000000007",
        ),
        (TABLES.timelines, LineOfTimeline("@d", 0, "d", 0), "4064 0001  7fffffffffffffff  64 0001  0000000000000000"),
        (TABLES.streams, AuthorWithStream("dan"), "64616e"),
    ],
)
def test_a_row_is_the_bytes_of_its_parts(table, key, row):
    assert table.key.encode(key) == bytes.fromhex(row)
