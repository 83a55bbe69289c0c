"""A user who is erased, for the tests of erasures: follows and is followed, posts both ways, unfollowed somebody."""

from collections.abc import Callable

from domains.feeds import FeedRepository, Follow, Post
from domains.feeds.shown.design import DESIGN
from shared.testing import ErasedPerson

NOON_MS = 1_768_219_200_000
SOUP = Post("dan", NOON_MS, 1, "soup")
TEA = Post("dan", NOON_MS + 1, 2**64 - 1, "tea")
HELLO, LA_LA = Post("ada", NOON_MS, 1, "hello"), Post("eve", NOON_MS, 1, "la la")


def network(open_repository: Callable[..., FeedRepository]) -> None:
    feeds = open_repository()
    for reader, author in (("ada", "dan"), ("bob", "dan"), ("dan", "ada"), ("dan", "eve"), ("ada", "eve")):
        feeds.follow(Follow(reader, author))
    feeds.unfollow("dan", "eve")
    for post in (SOUP, TEA, HELLO, LA_LA):
        feeds.post(post)
    open_repository(pull_above=0).post(Post("dan", NOON_MS, 3, "pulled"))
    feeds.unfollow("bob", "dan")


def come_back(feeds: FeedRepository, _time_ms: int) -> list[Post]:
    feeds.follow(Follow("zoe", "dan"))
    feeds.post(cake := Post("dan", NOON_MS + 5, 9, "cake"))
    return [cake]


ERASED = ErasedPerson(
    "dan",
    variants=DESIGN.variants[:1],
    before=network,
    seen=lambda feeds: [*feeds.posts("dan"), *feeds.following("dan"), *feeds.timeline("zoe"), *feeds.timeline("dan")],
    others=lambda feeds: [*feeds.timeline("ada"), *feeds.posts("ada"), *feeds.followers("eve")],
    kept=[LA_LA, HELLO, Follow("ada", "eve")],
    comes_back=come_back,
    remaining=8,  # three posts, four follows, and the mark of the stream
    ends_dead=False,
    erasures="feeds_erasures",
)
