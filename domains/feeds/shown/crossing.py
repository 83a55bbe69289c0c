"""Push against pull: the writer pays for the one, every page for the other."""

from shared.designs import Design
from shared.exhibit import Crossing, Panel, Series, lower_where

from ..keys import TIMELINES
from ..records import Post
from ..repository import FeedRepository
from .readme_blocks import NOON_MS, PAGE, cost_of_page, cost_of_post, new_feeds, put_followers

PLACES = (1, 4, 16, 64, 256)
PAGES = (1, 10, 100)
"""Pages that the followers of an author read for each post, all together."""
PAGES_IN_WORDS = [f"{pages} page{'' if pages == 1 else 's'}" for pages in PAGES]


def lines_of_post(followers: int, pull_above: int | None) -> int:
    """The lines that a post puts into timelines and streams."""
    with new_feeds() as connection:
        put_followers(connection, "dan", followers)
        FeedRepository(connection, pull_above=pull_above).post(Post("dan", NOON_MS, 1, ""))
        return sum(1 for _line in connection.table(TIMELINES.layout.name).scan())


def push_against_pull(_design: Design) -> Crossing:
    """Rows of a post and of the pages that show it, then the calls of one page, both ways."""
    pushed, pulled = ([lines_of_post(followers, above) for followers in PLACES] for above in (None, 0))
    rows_of_stream = cost_of_page(1).rows_fetched - cost_of_page(0).rows_fetched
    push = Series("pushing", pushed)
    pull = [Series("pulling", [lines + rows_of_stream * pages for lines in pulled]) for pages in PAGES]
    cheaper = [lower_where(PLACES, "followers", push, series) for series in pull]
    post_rpcs = [cost_of_post(PLACES[-1], above).rpcs for above in (None, 0)]
    push_rpcs, pull_rpcs = ([cost_of_page(authors * way, authors).rpcs for authors in PLACES] for way in (0, 1))
    return Crossing(
        "Push against pull",
        f"For {PAGES[1]} pages a post: {cheaper[1]}",
        PLACES,
        (
            Panel(
                "a post and its pages: lines put, rows of streams read",
                "followers of the author",
                (
                    Series("pushing, for any number of pages", push.values),
                    *(
                        Series(f"pulling, {pages} for each post", series.values)
                        for pages, series in zip(PAGES_IN_WORDS, pull, strict=True)
                    ),
                ),
            ),
            Panel(
                f"RPCs of a page of {PAGE} posts",
                "authors that the reader follows",
                (Series("pushing", push_rpcs), Series("pulling", pull_rpcs)),
            ),
        ),
        f"If the followers of an author read {PAGES_IN_WORDS[0]} for each post, the way that needs fewer rows is "
        f"{cheaper[0]}; with {PAGES_IN_WORDS[1]}, it is {cheaper[1]}; with {PAGES_IN_WORDS[2]}, it is {cheaper[2]}. "
        f"The writer pays for pushing: a post to {PLACES[-1]} followers puts {pushed[-1]} lines in "
        f"{post_rpcs[0]} RPCs, and needs {post_rpcs[1]} if it is pulled. Readers pay for pulling: the page of one who "
        f"follows {PLACES[-1]} authors needs {pull_rpcs[-1]} RPCs, and {push_rpcs[-1]} if all of them push.",
    )
