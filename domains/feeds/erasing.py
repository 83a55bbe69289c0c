"""Erasing a user: the deletes, then what is left of them once it is old enough; see `shared.writes.erasing`."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import happybase

from shared.keys import InvalidKey
from shared.queries import Query, scan
from shared.tables import BoundTable, InvalidRow
from shared.writes import Erasure, Erasures, IntentWriter
from shared.writes.erasing import dated_in_future
from shared.writes.intents import FUTURE_MS

from .keys import AuthorWithStream, FeedTables
from .lines import TimelineLines
from .records import Follow, Post, StoredPost, StreamAuthor, TimelineLine, stream_of

NOT_ENDED = "erase_user has not ended; if it is not at work, call it again"


class UserErasures:
    """Erases users from the tables of a `FeedRepository`, whose `erase_user` and `recover` say what this does."""

    def __init__(
        self,
        connection: happybase.Connection,
        tables: FeedTables,
        streams: BoundTable[AuthorWithStream, StreamAuthor],
        lines: TimelineLines,
        follow_writer: IntentWriter[Follow],
        post_writer: IntentWriter[StoredPost],
    ) -> None:
        self.erasures = Erasures(
            connection, (tables.erasures, (tables.erased_follows, tables.erased_posts)), (follow_writer, post_writer)
        )
        self._posts = BoundTable(connection, tables.posts)
        self._streams = streams
        self._lines = lines
        self._follow_writer = follow_writer
        self._post_writer = post_writer

    def erase(self, user: str) -> int:
        """Deletes all that names a user; returns how many rows remain for now."""
        self.erasures.begin(user)
        follows, posts = list(self._rows_of_follows(user)), list(self._rows_of_posts(user))
        writers: tuple[tuple[IntentWriter[Any], list[bytes]], ...] = (
            (self._follow_writer, follows),
            (self._post_writer, posts),
        )
        for writer, rows in writers:
            for row, source in writer.read_each(rows).items():
                if not isinstance(source, InvalidRow) and source.record is not None:
                    writer.write(writer.source.key.decode(row), lambda _stored: None)
        erasure = self.erasures.end(user, (follows, posts))
        remaining = self.erasures.forget(erasure, _ignore) + self._delete_lines(erasure, _ignore)
        if remaining == 0:
            self.erasures.remove(erasure)
        return remaining

    def finish(self, erasure: Erasure, on_invalid: Callable[[InvalidRow], None]) -> bool:
        """Deletes what an erasure has left, if it is due; returns whether it is over.

        It is not over while a row stays that must go: calls `on_invalid` with what keeps it.
        """
        if not self.erasures.is_due(erasure) or self.erasures.forget(erasure, on_invalid):
            return False
        kept: dict[tuple[str, bytes], InvalidRow] = {}
        self._delete_lines(erasure, lambda invalid: kept.setdefault((invalid.table, invalid.row), invalid))
        for invalid in kept.values():
            on_invalid(invalid)
        if not kept:
            self.erasures.remove(erasure)
        return not kept

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

        Calls `on_kept` with what keeps a line that no post and no follow needs, see `Erasures.delete_strays`.
        """
        user = erasure.name
        owners = user, stream_of(user)
        others = self.erasures.delete_strays(lambda line: user in _names(line), erasure.at_ms, on_kept)
        for stored in self._lines.batches():
            of_user = {
                row: stored[row]
                for row, line in self._lines.keys_of(stored).items()
                if isinstance(line, TimelineLine) and (line.author == user or line.owner in owners)
            }
            posts = self._lines.posts_of(of_user)
            gone = {row: of_user[row] for row, post in posts.items() if not isinstance(post, Post | InvalidRow)}
            kept = self._lines.delete(gone)
            others += len(of_user) - len(gone) + len(kept)
            for invalid in (*(post for post in posts.values() if isinstance(post, InvalidRow)), *kept):
                on_kept(invalid)
        return others + self._delete_mark(user, on_kept)

    def _delete_mark(self, user: str, on_kept: Callable[[InvalidRow], object]) -> int:
        """Deletes the mark of an author's stream; returns 1 if a pulled post needs it, or its date is in the future."""
        posts, streams = self._posts, self._streams.layout
        pulled = Query(posts, posts.plan(author=user), where={"way": "pulled"})
        row = streams.row(AuthorWithStream(user))
        cells = self._streams.rows.row(row, include_timestamp=True)
        if cells and pulled.on_invalid(_ignore).first() is not None:
            return 1
        newest_ms = max((time_ms for _, time_ms in cells.values()), default=0)
        if newest_ms > self.erasures.now_ms() + FUTURE_MS:
            on_kept(dated_in_future(streams, row, newest_ms))
            return 1
        for column, (_, time_ms) in cells.items():
            self._post_writer.delete([(streams.name, row, column)], time_ms)
        return 0


def _names(key: Any) -> tuple[str, ...]:
    """The users whom the key of a follow, of a follower or of an unfinished post names."""
    return key.author, getattr(key, "reader", key.author)


def _ignore(_invalid: InvalidRow) -> None:
    """What keeps a row is told by `recover`."""
