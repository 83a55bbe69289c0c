"""Erasing a user: the deletes, then the remaining traces once they are old enough; see `shared.intents.erasing`."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from shared.intents import Erasure, Erasures, IntentWriter
from shared.intents.intent_rows import dated_in_future
from shared.intents.times import FUTURE_MS
from shared.keys import InvalidKey
from shared.queries import scan
from shared.sources import BoundSource
from shared.tables import BoundTable, InvalidRow

from .keys import AuthorWithStream, LineOfTimeline
from .lines import TimelineLines
from .records import Follow, Post, StoredPost, stream_of


def rows_of_user(
    follow_writer: IntentWriter[Follow], post_writer: IntentWriter[StoredPost], user: str, _until_ms: int | None
) -> tuple[list[bytes], list[bytes]]:
    """The rows of all follows and posts that name a user: a follow does not say when it was stored."""
    posts = post_writer.source
    return [*_rows_of_follows(follow_writer, user)], [
        row for row, _ in scan(post_writer.rows(posts.name), posts.plan(author=user))
    ]


def _rows_of_follows(writer: IntentWriter[Follow], user: str) -> Iterator[bytes]:
    """The row keys of all follows of or by a user, deleted follows included. Costs: a full table scan."""
    table = writer.source
    for row, _ in scan(writer.rows(table.name), table.key.whole_table()):
        with suppress(InvalidKey):
            if user in _names(table.key.decode(row)):
                yield row


def delete_lines(
    posts: BoundSource[StoredPost],
    streams: BoundTable[Any, AuthorWithStream],
    lines: TimelineLines,
    erasures: Erasures,
    erasure: Erasure,
    on_kept: Callable[[InvalidRow], object],
) -> int:
    """Deletes the lines that name an erased user and show nothing; returns how many others name the user.

    Calls `on_kept` with the reason that keeps a line that no post and no follow needs, see `Erasures.delete_strays`.
    """
    user = erasure.name
    owners = user, stream_of(user)
    others = erasures.delete_strays(lambda line: user in _names(line), erasure.at_ms, on_kept)
    for stored in lines.batches():
        of_user = {
            row: stored[row]
            for row, line in lines.keys_of(stored).items()
            if isinstance(line, LineOfTimeline) and (line.author == user or line.owner in owners)
        }
        posts_of = lines.posts_of(of_user)
        gone = {row: of_user[row] for row, post in posts_of.items() if not isinstance(post, Post | InvalidRow)}
        kept = lines.delete(gone)
        others += len(of_user) - len(gone) + len(kept)
        for invalid in (*(post for post in posts_of.values() if isinstance(post, InvalidRow)), *kept):
            on_kept(invalid)
    return others + _delete_mark(posts, streams, erasures, user, on_kept)


def _delete_mark(
    posts: BoundSource[StoredPost],
    streams: BoundTable[Any, AuthorWithStream],
    erasures: Erasures,
    user: str,
    on_kept: Callable[[InvalidRow], object],
) -> int:
    """Deletes the mark of an author's stream; returns 1 if a pulled post needs it, or if it is too young.

    A delete has the date of the mark, so that of a young one might hide the mark of a post that is stored later: by a
    clock that is behind, or by a write that began before. Calls `on_kept` if the date is in the future.
    """
    layout = streams.layout
    pulled = posts.ask(author=user).where(way="pulled")
    row = layout.row(AuthorWithStream(user))
    cells = streams.rows.row(row, include_timestamp=True)
    if cells and pulled.on_invalid(_ignore).first() is not None:
        return 1
    newest_ms = max((time_ms for _, time_ms in cells.values()), default=0)
    if newest_ms > erasures.now_ms() + FUTURE_MS:
        on_kept(dated_in_future(layout, row, newest_ms))
    if not erasures.is_old(newest_ms):
        return 1
    for column, (_, time_ms) in cells.items():
        posts.writer.delete([(layout.name, row, column)], time_ms)
    return 0


def _names(key: Any) -> tuple[str, ...]:
    """The users whom the key of a follow, of a follower or of an unfinished post names."""
    return key.author, getattr(key, "reader", key.author)


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores posts that cannot be read, because `verify` reports them."""
