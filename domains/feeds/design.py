"""The loads and questions of `feeds`, for the command `rowbook` and the tests."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from shared.designs import AccessPattern, Design, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import EDGES, TWEETS
from .keys import ERASURES, UNFINISHED
from .records import Follow, Post, StoredPost
from .repository import FeedRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "feeds"

PULL_ABOVE = 30
"""Low, so that the samples and the real files have authors below and above it."""

UNFILLED = (UNFINISHED.layout, *ERASURES.tables)
"""The tables that are empty once all is written and nobody is being erased."""

TIMELINE = AccessPattern("a reader's latest posts", FeedRepository.timeline, {"reader": "r-1"}, limit=10)
WEEK = AccessPattern(
    "a reader's posts of one week",
    FeedRepository.timeline,
    {"reader": "r-1", "since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")},
)
POSTS = AccessPattern("an author's posts", FeedRepository.posts, {"author": "ann"})
FOLLOWERS = AccessPattern("who follows an author", FeedRepository.followers, {"author": "ann"}, limit=10)
FOLLOWING = AccessPattern("whom a reader follows", FeedRepository.following, {"reader": "r-1"})


def post_in(stored: StoredPost) -> Sequence[Post]:
    """The post that a source holds; none if it was deleted."""
    return [] if stored.state == "deleted" else [stored.post]


DESIGN = Design(
    name="feeds",
    question="How does a post reach the timelines of all followers, even after a crash, and however many they are?",
    loads=(
        Load(
            "follows",
            Follow,
            FeedRepository.follow,
            SAMPLES / "follows.csv",
            (EDGES,),
            store_all=FeedRepository.follow_all,
        ),
        Load(
            "posts",
            Post,
            FeedRepository.post,
            SAMPLES / "posts.csv",
            (TWEETS,),
            store_all=FeedRepository.post_all,
            lines_of={StoredPost: post_in},
            identified_by=("author", "posted_ms", "post_id"),
        ),
    ),
    patterns=(TIMELINE, WEEK, POSTS, FOLLOWERS, FOLLOWING),
    repository=partial(FeedRepository, pull_above=PULL_ABOVE),
    variants=(Variant(keys, "the design itself", unfilled=UNFILLED),),
    erases="a user",
)
