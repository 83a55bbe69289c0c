"""What the pages of `feeds` measure for themselves."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shared.designs import Cost, Design, metered
from shared.exhibit import Crossing, Series, filled, markdown_table
from shared.stores import connect
from shared.tables import TableLayout, create_tables

from ..keys import (
    FOLLOWERS,
    FOLLOWS,
    POSTS,
    STREAMS,
    TABLES,
    TIMELINES,
    AuthorWithStream,
    LineOfTimeline,
    ReaderOfAuthor,
)
from ..records import Follow, Post, StoredPost, Way, stream_of
from ..repository import PULL_ABOVE, RUN_BYTES, FeedRepository
from .variants import texts

if TYPE_CHECKING:
    import happybase

# ---- push against pull: the writer pays for the one, every page for the other


PLACES = (1, 4, 16, 64, 256)
PAGES = (1, 10, 100)
"""Pages that the followers of an author read for each post, all together."""


def lines_of_post(followers: int, pull_above: int | None) -> int:
    """The lines that a post puts into timelines and streams."""
    with new_feeds() as connection:
        put_followers(connection, "dan", followers)
        FeedRepository(connection, pull_above=pull_above).post(Post("dan", NOON_MS, 1, ""))
        return sum(1 for _line in connection.table(TIMELINES.layout.name).scan())


def crossing(_design: Design) -> Crossing:
    """Rows of a post and of the pages that show it, then the calls of one page, both ways."""
    pushed, pulled = ([lines_of_post(followers, above) for followers in PLACES] for above in (None, 0))
    rows_of_stream = cost_of_page(1).rows_fetched - cost_of_page(0).rows_fetched
    pull = {pages: pulled[0] + rows_of_stream * pages for pages in PAGES}
    post_rpcs = [cost_of_post(PLACES[-1], above).rpcs for above in (None, 0)]
    push_rpcs, pull_rpcs = (cost_of_page(PLACES[-1] * way, PLACES[-1]).rpcs for way in (0, 1))
    few, some, many = PAGES
    return Crossing(
        f"From {pull[some] + 1} followers on, reading at page time is cheaper",
        f"lines put and rows of streams read, for a post and {some} pages",
        "followers of the author",
        PLACES,
        (Series("pushing", pushed), Series("pulling", [lines + rows_of_stream * some for lines in pulled])),
        f"Pulling takes fewer rows from {pull[few] + 1} followers on if they read {few} page for each post, from "
        f"{pull[many] + 1} on if {many} pages. A post to {PLACES[-1]} followers needs {post_rpcs[0]} RPCs pushed and "
        f"{post_rpcs[1]} pulled; a page of posts by {PLACES[-1]} authors needs {push_rpcs} and {pull_rpcs}.",
    )


# ---- blocks of the page of `feeds` only: when pulling is cheaper than pushing, and the cost of bounding a timeline


NOON_MS = 1_768_219_200_000
FOLLOWER_COUNTS = (10, 100, 1_000, 10_000)
AUTHORS = 16
"""Number of authors whom the reader of the measured pages follows."""
STREAMS_OF_AUTHORS = ((0, AUTHORS), (1, AUTHORS), (4, AUTHORS), (AUTHORS, AUTHORS), (150, 150))
"""How many of the authors whom a reader follows have a stream, and how many authors these are."""
PAGE = 10
LINES, KEEP = 200, 50


@contextmanager
def new_feeds(tables: Any = TABLES) -> "Generator[happybase.Connection]":
    """A store with these tables, all empty."""
    connection = connect("embedded:")
    create_tables(connection, tables)
    yield connection
    connection.close()


def put_followers(
    connection: "happybase.Connection",
    author: str,
    count: int,
    by_reader: TableLayout[Any, Follow] = FOLLOWS.layout,
    by_author: TableLayout[Any, Any] = FOLLOWERS.layout,
) -> None:
    """Puts `count` follows as a write leaves them, in few calls."""
    with connection.table(by_reader.name).batch() as following, connection.table(by_author.name).batch() as followers:
        for number in range(count):
            follow, follower = Follow(f"r-{number}", author), ReaderOfAuthor(author, f"r-{number}")
            following.put(by_reader.row(follow), by_reader.cells.pack(follow))
            followers.put(by_author.row(follower), by_author.cells.pack(follower))


def cost_of_post(followers: int, pull_above: int | None) -> Cost:
    """The cost of one post, after clocks were compared, and without the scan that counts followers."""

    def has_more(_author: str, most: int | None) -> bool:
        return most is not None

    with new_feeds() as connection:
        feeds: Any = FeedRepository(connection, pull_above=pull_above)
        feeds._fan_out.has_more_followers = has_more
        put_followers(connection, "dan", followers)
        feeds.post(Post("ann", NOON_MS, 1, ""))
        with metered(connection) as cost:
            feeds.post(Post("dan", NOON_MS, 1, ""))
        return cost


def cost_of_post_with_text(followers: int) -> Cost:
    """The cost of one post in the variant `texts`."""
    with new_feeds(texts.TABLES) as connection:
        feeds = texts.Repository(connection)
        put_followers(connection, "dan", followers, texts.FOLLOWING.layout, texts.FOLLOWERS.layout)
        feeds.post(Post("ann", NOON_MS, 1, ""))
        with metered(connection) as cost:
            feeds.post(Post("dan", NOON_MS, 1, ""))
        return cost


def cost_of_page(streams: int, authors: int = AUTHORS) -> Cost:
    """The cost of a page for a reader who follows so many authors, `streams` of whom have a stream."""
    with new_feeds() as connection:
        put_posts(connection, "ada", authors, streams)
        with metered(connection) as cost:
            assert len(FeedRepository(connection).timeline("ada").page(PAGE).records) == PAGE
        return cost


def put_posts(connection: "happybase.Connection", reader: str, authors: int, streams: int) -> None:
    """A page of posts by each author whom a reader follows, put as writes leave them; those of `streams` are pulled."""
    with (
        connection.table(FOLLOWS.layout.name).batch() as following,
        connection.table(POSTS.layout.name).batch() as posts,
        connection.table(TIMELINES.layout.name).batch() as lines,
        connection.table(STREAMS.layout.name).batch() as with_stream,
    ):
        for number in range(authors):
            author = f"a-{number}"
            way: Way = "pulled" if number < streams else "pushed"
            owner = stream_of(author) if way == "pulled" else reader
            follow, stream = Follow(reader, author), AuthorWithStream(author)
            following.put(FOLLOWS.layout.row(follow), FOLLOWS.layout.cells.pack(follow))
            if way == "pulled":
                with_stream.put(STREAMS.layout.row(stream), STREAMS.layout.cells.pack(stream))
            for at in range(PAGE):
                post = StoredPost(author, NOON_MS + at * authors + number, at, "", way, "spread", "", bytes(RUN_BYTES))
                line = LineOfTimeline(owner, post.posted_ms, author, at)
                posts.put(POSTS.layout.row(post), POSTS.layout.cells.pack(post))
                lines.put(TIMELINES.layout.row(line), TIMELINES.layout.cells.pack(line))


def threshold_rows() -> Iterator[tuple[str, ...]]:
    """Followers, RPCs and rows of a post in each way, and the pages for each post at which two ways cost the same."""
    none, one = cost_of_page(0), cost_of_page(1)
    rpcs_of_stream, rows_of_stream = one.rpcs - none.rpcs, one.rows_fetched - none.rows_fetched
    for followers in FOLLOWER_COUNTS:
        pushed, pulled = cost_of_post(followers, None), cost_of_post(followers, 0)
        by_rpcs = (pushed.rpcs - pulled.rpcs) / rpcs_of_stream
        by_rows = (followers - 1) / rows_of_stream
        yield (
            f"{followers:,}",
            f"{pushed.rpcs} RPCs, {followers:,} lines",
            f"{pulled.rpcs} RPCs, 1 line",
            f"{cost_of_post_with_text(followers).rpcs} RPCs, {followers:,} texts",
            f"{by_rpcs:,.1f}",
            f"{by_rows:,.1f}",
        )


def page_rows(costs: Iterable[tuple[int, int, Cost]]) -> Iterator[tuple[str, ...]]:
    """Authors whom a reader follows, streams that the page merges, and the page's RPCs and rows."""
    for streams, authors, cost in costs:
        yield str(authors), str(streams), str(cost.rpcs), str(cost.rows_fetched)


def bounds_rows() -> Iterator[tuple[str, ...]]:
    """The cost of cutting a timeline, and of then reading all of it."""
    with new_feeds() as connection:
        feeds = FeedRepository(connection)
        feeds.follow(Follow("ada", "dan"))
        for number in range(LINES):
            feeds.post(Post("dan", NOON_MS + number, number, ""))
        with metered(connection) as before:
            assert feeds.timeline("ada").count() == LINES
        with metered(connection) as trim:
            assert feeds.trim("ada", KEEP) == LINES - KEEP
        with metered(connection) as after:
            assert feeds.timeline("ada").count() == KEEP
        for name, cut_rpcs, cut_rows, read in (
            ("nothing", 0, 0, before),
            (f"`trim` to the newest {KEEP}", trim.rpcs, trim.rows_fetched, after),
            ("a TTL", 0, 0, None),
        ):
            shown = "rows that have not expired" if read is None else f"{read.rpcs} RPCs, {read.rows_fetched} rows"
            yield name, f"{cut_rpcs} RPCs, {cut_rows} rows", shown


def own_blocks(design: Design) -> dict[str, str]:
    """When pulling is cheaper than pushing, and the cost of bounding a timeline."""
    of_pages = [(streams, authors, cost_of_page(streams, authors)) for streams, authors in STREAMS_OF_AUTHORS]
    pages = markdown_table(("authors", "of these with a stream", "RPCs", "rows fetched"), page_rows(of_pages))
    columns = ("followers", "pushed", "pulled", "in `texts`", "pages for each post, by RPCs", "by rows")
    threshold = "\n\n".join(
        [
            f"What a page of {PAGE} posts costs a reader, by the authors whom the reader follows:",
            pages,
            filled(
                "What a post costs, without the comparison of clocks and the scan that counts followers. The last two "
                "columns say how many pages all followers together must read for each post until pushing is as cheap "
                "as pulling:"
            ),
            markdown_table(columns, threshold_rows()),
            filled(
                "Before each post, a scan counts the followers, and stops after the batch with row "
                f"{PULL_ABOVE + 1:,}. So each post that is pulled costs at least that many rows too."
            ),
        ]
    )
    bounds = markdown_table((f"{LINES} lines, bounded by", "costs", "a reader of all lines then reads"), bounds_rows())
    repository: Any = design.repository
    (some, _authors, cost_of_some), (many, _all, cost_of_many) = of_pages[-2:]
    reader = design.patterns[0].sample["reader"]
    followed = sum(follow.reader == reader for follow in design.loads[0].sample_records())
    pull_above = filled(
        f"A post is pulled if its author has more than `PULL_ABOVE` followers: {PULL_ABOVE:,}, in the samples "
        f"{repository.keywords['pull_above']}. A page of {some} streams needs {cost_of_some.rpcs} RPCs and waits for "
        f"{cost_of_some.round_trips} round trips, one of {many} needs {cost_of_many.rpcs} and waits for "
        f"{cost_of_many.round_trips}. The reader above follows {followed} authors."
    )
    return {"threshold": threshold, "bounds": bounds, "pull-above": pull_above}
