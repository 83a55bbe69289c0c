"""Erasing a user: the deletes, then the remaining traces once they are old enough; see `shared.intents.erasing`."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from shared.intents import Erasure, Erasures, PersonErasures
from shared.intents.intent_rows import dated_in_future
from shared.intents.times import FUTURE_MS
from shared.keys import InvalidKey
from shared.queries import scan
from shared.sources import BoundSource
from shared.tables import BoundTable, InvalidRow

from .keys import AuthorWithStream, LineOfTimeline
from .lines import TimelineLines
from .records import Follow, Post, StoredPost, stream_of


class UserErasures:
    """Erases users from the tables of a `FeedRepository`, which describes the steps."""

    def __init__(
        self,
        erasures: Erasures,
        follows: BoundSource[Follow],
        posts: BoundSource[StoredPost],
        streams: BoundTable[Any, AuthorWithStream],
        lines: TimelineLines,
    ) -> None:
        self._erasures = erasures
        self._posts = posts
        self._streams = streams
        self._lines = lines
        self._follow_writer, self._post_writer = follows.writer, posts.writer
        self.upkeep = PersonErasures(erasures, self._rows_of, self._delete_lines, "feeds", ends_dead=False)

    def _rows_of(self, user: str, _until_ms: int | None) -> tuple[list[bytes], list[bytes]]:
        """The rows of all follows and posts that name a user: a follow does not say when it was stored."""
        return list(self._rows_of_follows(user)), list(self._rows_of_posts(user))

    def _rows_of_follows(self, user: str) -> Iterator[bytes]:
        """The row keys of all follows of or by a user, deleted follows included. Costs: a full table scan."""
        table = self._follow_writer.source
        for row, _ in scan(self._follow_writer.rows(table.name), table.key.whole_table()):
            with suppress(InvalidKey):
                if user in _names(table.key.decode(row)):
                    yield row

    def _rows_of_posts(self, user: str) -> Iterator[bytes]:
        table = self._post_writer.source
        return (row for row, _ in scan(self._post_writer.rows(table.name), table.plan(author=user)))

    def _delete_lines(self, erasure: Erasure, on_kept: Callable[[InvalidRow], object]) -> int:
        """Deletes the lines that name an erased user and show nothing; returns how many others name the user.

        Calls `on_kept` with the reason that keeps a line that no post and no follow needs, see
        `Erasures.delete_strays`.
        """
        user = erasure.name
        owners = user, stream_of(user)
        others = self._erasures.delete_strays(lambda line: user in _names(line), erasure.at_ms, on_kept)
        for stored in self._lines.batches():
            of_user = {
                row: stored[row]
                for row, line in self._lines.keys_of(stored).items()
                if isinstance(line, LineOfTimeline) and (line.author == user or line.owner in owners)
            }
            posts = self._lines.posts_of(of_user)
            gone = {row: of_user[row] for row, post in posts.items() if not isinstance(post, Post | InvalidRow)}
            kept = self._lines.delete(gone)
            others += len(of_user) - len(gone) + len(kept)
            for invalid in (*(post for post in posts.values() if isinstance(post, InvalidRow)), *kept):
                on_kept(invalid)
        return others + self._delete_mark(user, on_kept)

    def _delete_mark(self, user: str, on_kept: Callable[[InvalidRow], object]) -> int:
        """Deletes the mark of an author's stream; returns 1 if a pulled post needs it, or if it is too young.

        A delete has the date of the mark, so that of a young one might hide the mark of a post that is stored later: by
        a clock that is behind, or by a write that began before. Calls `on_kept` if the date is in the future.
        """
        streams = self._streams.layout
        pulled = self._posts.ask(author=user).where(way="pulled")
        row = streams.row(AuthorWithStream(user))
        cells = self._streams.rows.row(row, include_timestamp=True)
        if cells and pulled.on_invalid(_ignore).first() is not None:
            return 1
        newest_ms = max((time_ms for _, time_ms in cells.values()), default=0)
        if newest_ms > self._erasures.now_ms() + FUTURE_MS:
            on_kept(dated_in_future(streams, row, newest_ms))
        if not self._erasures.is_old(newest_ms):
            return 1
        for column, (_, time_ms) in cells.items():
            self._post_writer.delete([(streams.name, row, column)], time_ms)
        return 0


def _names(key: Any) -> tuple[str, ...]:
    """The users whom the key of a follow, of a follower or of an unfinished post names."""
    return key.author, getattr(key, "reader", key.author)


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores posts that cannot be read, because `verify` reports them."""
