"""What the suite shows of `feeds`: its questions, variants and published mistakes. A copy does not need it."""

from functools import partial
from pathlib import Path

from shared.designs import LATE_PUTS, AccessPattern, Design, Load, Variant
from shared.records import parse_time

from . import keys
from .crossing import push_against_pull
from .formats import EDGES, TWEETS
from .keys import ERASURES, UNFINISHED
from .published import PUBLISHED
from .readme_blocks import own_blocks
from .records import Follow, Post
from .repository import FeedRepository
from .traps import TRAPS
from .variants import pull, texts

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
            identified_by=("author", "posted_ms", "post_id"),
        ),
    ),
    patterns=(TIMELINE, WEEK, POSTS, FOLLOWERS, FOLLOWING),
    repository=partial(FeedRepository, pull_above=PULL_ABOVE),
    variants=(
        Variant(
            keys,
            "the design itself",
            unfilled=UNFILLED,
            take_if="no timeline may lose a post, and some authors have a million followers",
            avoid_if="a reader follows hundreds of such authors: every page scans the stream of each",
        ),
        Variant(
            pull,
            "each post in its author's stream, if the author has followers",
            unfilled=UNFILLED,
            take_if="a post must cost the same, however many followers its author has",
            avoid_if=(
                "pages are read much more often than posts are stored: each page scans the streams of all followed "
                "authors"
            ),
        ),
        Variant(
            texts,
            "lines that hold the posts, without intents",
            without_upkeep=(
                "puts a post, then its lines, and no intent, so nothing finds a write that a crash interrupted; "
                "repeat the call, which completes it"
            ),
            take_if="you need a page in one scan and few calls per write, and clients always retry",
            avoid_if=(
                "authors have many followers, for each of whom a post writes a row with its text, or deleted posts "
                "must disappear at once"
            ),
        ),
    ),
    erases="a user",
    accepted=(LATE_PUTS,),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=push_against_pull,
    own_blocks=own_blocks,
)
