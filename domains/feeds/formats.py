"""File formats of feeds: a graph of who follows whom, and an export of tweets, both CSV under columns of their own.

follower,followee,rank,party,title
C001087,HLIG,1,majority,Chairman
reader C001087 follows author HLIG

"created_at","emojis","id","link","retweeted","screen_name","text"
"2017-08-27 00:05:34","True","901656910939770881","https://...","False","aaLiysr","..."
author aaLiysr, post 901656910939770881, posted at 2017-08-27T04:05:34.200Z: the id holds the time
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from shared.loading import FORMATS as OF_EVERY_DESIGN
from shared.loading import Format, FormatRows

_CSV = next(format for format in OF_EVERY_DESIGN if format.name == "csv")

_EDGES_HEADER = "follower,followee,"
_TWEETS_HEADER = '"created_at","emojis","id","link","retweeted","screen_name","text"'
TWEET_EPOCH_MS = 1_288_834_974_657
"""The time of a tweet's id is its upper 42 bits, in milliseconds after this moment, 2010-11-04T01:42:54.657Z."""
TWEET_TIME_SHIFT = 22


def _rows(values_of: Callable[[dict[str, Any]], dict[str, Any] | str], lines: Iterable[str], path: Path) -> FormatRows:
    """The rows of a CSV file, each as `values_of` makes it of the row's columns."""
    for first, last, row in _CSV.read(lines, path):
        yield first, last, values_of(row) if isinstance(row, dict) else row


def _header(fields_of: Mapping[str, tuple[str, ...]], line: str) -> list[str]:
    """The fields that the columns of a header give. Raises ValueError if one of these columns is missing."""
    columns = _CSV.header(line) if _CSV.header else []
    if missing := [column for column in fields_of if column not in columns]:
        raise ValueError(f"has no column {', '.join(missing)}")
    return [field for fields in fields_of.values() for field in fields]


def _follow(row: dict[str, Any]) -> dict[str, Any]:
    return {"reader": row["follower"], "author": row["followee"]}


def _tweet(row: dict[str, Any]) -> dict[str, Any] | str:
    tweet_id = row["id"]
    if not (tweet_id.isascii() and tweet_id.isdigit()):
        return f"Post.post_id: must be a number (got {tweet_id!r:.100})"
    posted_ms = (int(tweet_id) >> TWEET_TIME_SHIFT) + TWEET_EPOCH_MS
    return {"author": row["screen_name"], "posted_ms": posted_ms, "post_id": int(tweet_id), "text": row["text"]}


EDGES = Format(
    "edges",
    "edges",
    lambda line: line.startswith(_EDGES_HEADER),
    partial(_rows, _follow),
    partial(_header, {"follower": ("reader",), "followee": ("author",)}),
    line_ends=_CSV.line_ends,
    has_milliseconds=True,
)
"""A CSV file of who follows whom, `follower,followee,...`; the other columns are ignored."""

TWEETS = Format(
    "tweets",
    "tweets",
    lambda line: line.strip() == _TWEETS_HEADER,
    partial(_rows, _tweet),
    partial(_header, {"screen_name": ("author",), "id": ("post_id", "posted_ms"), "text": ("text",)}),
    line_ends=_CSV.line_ends,
    has_milliseconds=True,
)
"""A CSV file of tweets. The time is that of the id, in milliseconds UTC, because `created_at` has no zone."""
