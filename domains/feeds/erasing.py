"""Erasing a user: the deletes, then what is left of them once it is old enough; see `shared.writes.erasing`."""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any

import happybase

from shared.keys import InvalidKey
from shared.queries import Query, scan
from shared.tables import BoundTable, InvalidRow
from shared.writes import Erasure, Erasures, Finding, Instructions, IntentWriter, Recovery, settle_each
from shared.writes.erasing import dated_in_future
from shared.writes.findings import NOTHING_TOLD, reason_told
from shared.writes.intents import FUTURE_MS
from shared.writes.upkeep import no_progress

from .keys import AuthorWithStream, FeedTables, LineOfTimeline
from .lines import TimelineLines
from .records import Follow, Post, StoredPost, stream_of

NOT_ENDED = "erase has not ended; if it is not at work, call it again"
REMAINS = "rows of an erased user remain; rowbook recover feeds removes them, or tells why not"


class UserErasures:
    """Erases users from the tables of a `FeedRepository`: a part of its upkeep. `FeedRepository.erase` has the steps.

    An erasure whose next step is ten minutes late is unsettled: `erase` died, or nobody has recovered.
    """

    def __init__(
        self,
        connection: happybase.Connection,
        tables: FeedTables,
        lines: TimelineLines,
        follow_writer: IntentWriter[Follow],
        post_writer: IntentWriter[StoredPost],
    ) -> None:
        self._erasures = Erasures(
            connection, (tables.erasures, (tables.erased_follows, tables.erased_posts)), (follow_writer, post_writer)
        )
        self._posts = BoundTable(connection, tables.posts)
        self._streams = BoundTable(connection, tables.streams)
        self._lines = lines
        self._follow_writer = follow_writer
        self._post_writer = post_writer

    def erase(self, user: str) -> int:
        """Deletes all that names a user; returns how many rows remain for now."""
        self._erasures.begin(user)
        follows, posts = list(self._rows_of_follows(user)), list(self._rows_of_posts(user))
        writers: tuple[tuple[IntentWriter[Any], list[bytes]], ...] = (
            (self._follow_writer, follows),
            (self._post_writer, posts),
        )
        for writer, rows in writers:
            for row, source in writer.reader.read_each(rows).items():
                if not isinstance(source, InvalidRow) and source.record is not None:
                    writer.write(writer.source.key.decode(row), lambda _stored: None)
        erasure = self._erasures.end(user, (follows, posts))
        remaining = self._erasures.forget(erasure, _ignore) + self._delete_lines(erasure, _ignore)
        if remaining == 0:
            self._erasures.remove(erasure)
        return remaining

    # ---- upkeep

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Removes what erasures have left, 42 minutes after `erase` has returned.

        Only another call of `erase` can complete an erasure whose process died. For its first 10 minutes, whatever
        `older_than_ms` is, it counts as waiting, then as failed. A row that must go and cannot is among the failed.
        Costs: one scan of the erasures. For each that is due: its sources are read and deleted, and the lists of
        followers and unfinished posts and all timelines are scanned.
        """
        invalid: list[InvalidRow] = []
        table = self._erasures.table
        erasures = {table.row(erasure): erasure for erasure in self._erasures.stored(invalid.append)}
        settled = settle_each(erasures, lambda row: self._settle(erasures[row], invalid.append), table.name)
        return settled.with_invalid(invalid)

    def _settle(self, erasure: Erasure, on_invalid: Callable[[InvalidRow], None]) -> bool | None:
        if erasure.is_ended:
            return True if self._finish(erasure, on_invalid) else None
        if self._erasures.is_overdue(erasure):  # nobody else can end it
            raise RuntimeError(NOT_ENDED)
        return False

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """The erasures whose next step is ten minutes late, and those that cannot be read. Costs: one scan of them."""
        yield from self._unsettled(())

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers; yields the erasures that are not over, with the reason."""
        failed = self.recover(older_than_ms=0).failed
        yield from ((finding, False) for finding in self._unsettled(failed))

    def _unsettled(self, failed: Collection[str]) -> Iterator[Finding]:
        table, damaged = self._erasures.table, list[InvalidRow]()
        for erasure in self._erasures.stored(damaged.append):
            reason = reason_told(failed, table.name, table.row(erasure))
            if reason or self._erasures.is_overdue(erasure):
                otherwise = REMAINS if erasure.is_ended else NOT_ENDED
                yield Finding("unsettled", table.name, table.row(erasure), None, reason or otherwise)
        for invalid in damaged:
            yield Finding("undecodable", invalid.table, invalid.row, None, invalid.reason)

    def _finish(self, erasure: Erasure, on_invalid: Callable[[InvalidRow], None]) -> bool:
        """Deletes what an erasure has left, if it is due; returns whether it is over.

        It is not over while a row stays that must go: calls `on_invalid` with what keeps it.
        """
        if not self._erasures.is_due(erasure) or self._erasures.forget(erasure, on_invalid):
            return False
        kept: dict[tuple[str, bytes], InvalidRow] = {}
        self._delete_lines(erasure, lambda invalid: kept.setdefault((invalid.table, invalid.row), invalid))
        for invalid in kept.values():
            on_invalid(invalid)
        if not kept:
            self._erasures.remove(erasure)
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
        """Deletes the mark of an author's stream; returns 1 if a pulled post needs it, or its date is in the future."""
        posts, streams = self._posts, self._streams.layout
        pulled = Query(posts, posts.plan(author=user), where={"way": "pulled"})
        row = streams.row(AuthorWithStream(user))
        cells = self._streams.rows.row(row, include_timestamp=True)
        if cells and pulled.on_invalid(_ignore).first() is not None:
            return 1
        newest_ms = max((time_ms for _, time_ms in cells.values()), default=0)
        if newest_ms > self._erasures.now_ms() + FUTURE_MS:
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
