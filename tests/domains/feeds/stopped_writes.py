"""The writes of feeds over several rows, and what their readers see, for the crash tests."""

from functools import partial
from operator import methodcaller
from typing import Any

import attrs

from domains.feeds import FeedRepository, Follow, Post, PostConflict
from domains.feeds.keys import FOLLOWERS, FOLLOWS, POSTS, STREAMS, TIMELINES, UNFINISHED, LineOfTimeline
from domains.feeds.shown.design import DESIGN
from shared.testing import Contents, StoppedWrites, Store, View, Write, sources, store_at_once

READERS = ("ada", "bob", "cyd")
NOON_MS = 1_768_219_200_000
SOUP = Post("dan", NOON_MS, 1, "soup")
BREAD = Post("dan", NOON_MS, 2, "bread")
"""Another post of the same millisecond, which is there before."""
ROLLS = Post("dan", NOON_MS, 4, "rolls")
"""A post that is stored together with the soup."""
LINE = {b"f:x": b"\xc3"}
"""The cells of any line."""
STEP_ROWS = 2
"""Three followers are two steps."""


post, post_another_text = (methodcaller("post", written) for written in (SOUP, attrs.evolve(SOUP, text="stew")))
delete = methodcaller("delete_post", "dan", NOON_MS, 1)
follow, unfollow = methodcaller("follow", Follow("eve", "dan")), methodcaller("unfollow", "bob", "dan")
post_rolls, follow_fay = methodcaller("post", ROLLS), methodcaller("follow", Follow("eve", "fay"))
trim = methodcaller("trim", "ada", keep=1)


def post_all(feeds: FeedRepository) -> None:
    store_at_once(feeds.post_all, [BREAD, ROLLS, SOUP])


def follow_all(feeds: FeedRepository) -> None:
    store_at_once(feeds.follow_all, [Follow("ada", "dan"), Follow("eve", "dan"), Follow("eve", "fay")])


def line_of(owner: str, post: Post) -> bytes:
    """The row of a post in a timeline or stream."""
    return TIMELINES.layout.row(LineOfTimeline(owner, post.posted_ms, post.author, post.post_id))


def without_fan_out(connection: Any, **options: Any) -> Any:
    """A repository whose process dies before the fan-out of a post."""
    feeds = FeedRepository(connection, **options)
    fan_out: Any = vars(feeds)["_fan_out"]
    fan_out.spread = _spread_nothing
    return feeds


def _spread_nothing(_row: bytes) -> None:
    """Stands for a process that dies before it begins."""


# ---- what is stored before


def followers(store: Store) -> None:
    for reader in READERS:
        store.repository().follow(Follow(reader, "dan"))
    store.repository().post(BREAD)


def posted(store: Store) -> None:
    followers(store)
    post(store.repository())


def left_over(store: Store) -> None:
    """A timeline has a line of a deleted post."""
    posted(store)
    store.repository().post(Post("dan", NOON_MS, 3, "tea"))
    delete(store.repository())


RIVALS = {"post": post, "another text": post_another_text, "delete": delete, "follow": follow, "unfollow": unfollow}

WRITES = (
    Write("post", post, followers, RIVALS, calls={"pushed": 14, "pulled": 11}),
    Write(
        "post_all",
        post_all,
        followers,
        {"delete": delete},
        calls={"pushed": 24, "pulled": 18},
        one_by_one=(post_rolls, post),
    ),
    Write("post again", post, posted, RIVALS, calls=0),
    Write("delete_post", delete, posted, RIVALS, calls=4),
    Write("follow", follow, posted, RIVALS, calls=5),
    Write("follow_all", follow_all, posted, RIVALS, calls=6, one_by_one=(follow, follow_fay)),
    Write("unfollow", unfollow, posted, RIVALS, calls=5),
    Write("trim", trim, left_over, RIVALS, is_recovered=False, calls={"pushed": 2, "pulled": 0}),
)


# ---- what readers see


def in_timelines(feeds: FeedRepository) -> list[tuple[str, Post]]:
    return [(reader, shown) for reader in (*READERS, "eve") for shown in feeds.timeline(reader)]


VIEWS = (
    View("posts", lambda feeds: feeds.posts("dan")),
    View("followers", lambda feeds: feeds.followers("dan")),
    View("following", lambda feeds: [follow for reader in (*READERS, "eve") for follow in feeds.following(reader)]),
    View("timelines", in_timelines, lags=True),
)


def contents(feeds: FeedRepository, _tables: object) -> Contents:
    """All follows and posts, and every other row but the lines that nobody sees; asserts that they agree."""
    wrong = list(feeds.upkeep.verify())
    assert [str(finding) for finding in wrong if finding.table != TIMELINES.layout.name] == []
    left_over = {finding.row for finding in wrong}
    posts = sources(feeds.post_writer)
    assert not [*feeds.post_writer.rows(UNFINISHED.layout.name).scan()]
    lines = {row for row, _ in feeds.post_writer.rows(TIMELINES.layout.name).scan()} - left_over
    return {
        FOLLOWS.layout.name: sources(feeds.follow_writer),
        POSTS.layout.name: {
            row: (stored.post, stored.way, stored.state, stored.position) for row, stored in posts.items()
        },
        FOLLOWERS.layout.name: dict(feeds.follow_writer.rows(FOLLOWERS.layout.name).scan()),
        TIMELINES.layout.name: dict.fromkeys(lines),
        STREAMS.layout.name: dict(feeds.post_writer.rows(STREAMS.layout.name).scan()),
    }


WAYS = {"pushed": None, "pulled": 0}
"""Posts are pushed, or pulled if an author has so many followers."""
STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    variants=[
        attrs.evolve(DESIGN.main, name=way, open=partial(FeedRepository, pull_above=pull_above, step_rows=STEP_ROWS))
        for way, pull_above in WAYS.items()
    ],
    refusals=(PostConflict,),
    contents=contents,
)
