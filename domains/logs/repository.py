"""Log events in one table; one method for each question, whatever the order of the table's key."""

from collections.abc import Iterable
from typing import Any, Literal

import attrs
import happybase

from shared.keys import InvalidQuestion, Narrowed, between, starting_with
from shared.queries import Page, ServerFilter, equal, page
from shared.tables import TableLayout

from .keys import BY_TIME, LOG_CELLS, LOGS
from .records import LogEvent

EVENTS_AT_ONCE = 1000
"""How many events `store_all` reads before it sends them."""


@attrs.define
class NotAllStored(Exception):
    """`store_all` could not go on; its cause says why. Nothing is lost, and storing an event again changes nothing."""

    stored: int
    """How many events are stored, from the first on."""
    unconfirmed: list[LogEvent]
    """The events that were read after them; some may be stored. To go on, store these, then what was not read."""
    reason: str

    def __str__(self) -> str:
        return f"{self.stored} events stored; some of the next {len(self.unconfirmed)} may be stored too: {self.reason}"


class LogRepository:
    """Stores events, and finds them by host, kind and time, in the table of this design or of a variant.

    Every question is narrowed to what the table's key can bind; the client compares the rest, and sorts where the key
    is in another order. So each table answers as well as it can, and the page says what that left to do. Where the key
    binds nothing, the question is refused, with an InvalidQuestion that says which part is missing.
    Costs are those of `LOGS`; the README compares them with the others.

    A happybase connection serves one thread at a time, and so does a repository: make one for each.
    """

    def __init__(self, connection: happybase.Connection, table: TableLayout[Any, LogEvent] = LOGS) -> None:
        self._rows = connection.table(table.name)
        self._table = table

    def store(self, event: LogEvent) -> None:
        """Stores an event. The same event again is the same row, with the same timestamp. Costs: one put."""
        self._rows.put(self.row(event), self._table.cells.pack(event), timestamp=event.time_ms)

    def store_all(self, events: Iterable[LogEvent]) -> int:
        """Stores events as `store` does, those of one moment in one call, and returns how many they were.

        Thrift1 gives a whole batch one timestamp, so what saves calls is events that share theirs: those of a source
        that tells whole seconds, or of many that write at once. Raises NotAllStored.
        Costs: of each 1,000 events, as many calls as they have different times.
        """
        stored = 0
        unsent: list[LogEvent] = []
        try:
            for event in events:
                unsent.append(event)
                if len(unsent) == EVENTS_AT_ONCE:
                    self._store_moments(unsent)
                    stored += len(unsent)
                    unsent = []
            self._store_moments(unsent)
        except Exception as error:
            raise NotAllStored(stored, unsent, str(error)) from error
        return stored + len(unsent)

    def _store_moments(self, events: Iterable[LogEvent]) -> None:
        """Every row is made before the first is sent, so that what cannot be a key leaves nothing half stored."""
        moments: dict[int, list[tuple[bytes, dict[bytes, bytes]]]] = {}
        for event in events:
            moments.setdefault(event.time_ms, []).append((self.row(event), self._table.cells.pack(event)))
        for time_ms, rows in moments.items():
            with self._rows.batch(timestamp=time_ms) as batch:
                for row, cells in rows:
                    batch.put(row, cells)

    def row(self, event: LogEvent) -> bytes:
        """The key under which an event is stored."""
        return self._table.row(event)

    def host_events(
        self,
        host: str,
        event: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[LogEvent]:
        """A host's events of one kind, from `since_ms` up to but not at `until_ms`, oldest first.

        Costs: one reverse scan of `limit` + 2 rows; Thrift1 hands over the excluded end too.
        """
        period = between(since_ms, until_ms)
        return self._in_time(self._table.layout.narrow(host=host, event=event, time_ms=period), limit, cursor)

    def latest(self, host: str, event: str, limit: int = 10, cursor: str | None = None) -> Page[LogEvent]:
        """A host's latest events of one kind, newest first. Costs: one scan of `limit` + 1 rows."""
        asked = self._table.layout.narrow(host=host, event=event, time_ms=between())
        return self._in_time(asked, limit, cursor, newest_first=True)

    def window(
        self, since_ms: int, until_ms: int, host: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[LogEvent]:
        """All events from `since_ms` up to but not at `until_ms`, of all hosts or of one, oldest first.

        Costs: of one host, all its rows are read and sorted for every page. Of all hosts it is refused.
        """
        of_host = {} if host is None else {"host": host}
        asked = self._table.layout.narrow(**of_host, time_ms=between(since_ms, until_ms))
        return self._in_time(asked, limit, cursor)

    def hosts_like(
        self,
        host_prefix: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[LogEvent]:
        """Events of all hosts whose name starts with `host_prefix`, in row-key order.

        They are from `since_ms` up to but not at `until_ms`.
        Costs: one scan of the rows of these hosts, whenever they happened, until there are `limit` of the period.
        """
        if not host_prefix:
            raise InvalidQuestion("host_prefix: must be text, not empty; all hosts are a window")
        asked = self._table.layout.narrow(host=starting_with(host_prefix), time_ms=between(since_ms, until_ms))
        return page(self._rows, asked.plan, self._table.record, limit=limit, cursor=cursor, where=asked.residual)

    def of_severity(
        self,
        host: str,
        severity: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        filter_at: Literal["server", "client"] = "server",
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[LogEvent]:
        """A host's events of a severity, from `since_ms` up to but not at `until_ms`, oldest first.

        No row key holds the severity, so all rows of the ranges are read and all but a few are dropped: by the client,
        or by a filter at the server. Costs: as a window of the host; the filter spares only the network.
        """
        asked = self._table.layout.narrow(host=host, time_ms=between(since_ms, until_ms))
        if filter_at == "client":
            residual = {**asked.residual, "severity": severity}
            return self._in_time(attrs.evolve(asked, residual=residual), limit, cursor)
        return self._in_time(asked, limit, cursor, filter=equal(LOG_CELLS, "severity", severity))

    def _in_time(
        self,
        asked: Narrowed,
        limit: int,
        cursor: str | None,
        *,
        newest_first: bool = False,
        filter: ServerFilter | None = None,
    ) -> Page[LogEvent]:
        """What matches a question, in the order of time: that of the table, its reverse, or sorted by the client."""
        in_order = "time_ms" in asked.bound
        descending = in_order and self._table.layout.part_named["time_ms"].codec.descending
        return page(
            self._rows,
            asked.plan,
            self._table.record,
            limit=limit,
            cursor=cursor,
            where=asked.residual,
            reverse=newest_first != descending,
            order=None if in_order else BY_TIME,
            filter=filter,
        )
