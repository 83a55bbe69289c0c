"""Log events in one table; one method for each question, whatever the order of the table's key."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from shared.keys import between, starting_with
from shared.queries import Query
from shared.records import check_one_of, check_text
from shared.sources import Table

from .keys import BY_TIME, LOGS
from .records import LogEvent

if TYPE_CHECKING:
    import happybase


class LogRepository:
    """Stores events, and finds them by host, kind and time, in a table of any of its keys.

    The table's key binds as many conditions of a question as it can; the client compares the other fields, and sorts
    if the key has another order. `Page.client_work` names that work. If the key cannot bind any condition, the question
    is refused with an InvalidQuestion that names the missing part.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", logs: Table[LogEvent] = LOGS) -> None:
        self._logs = logs.on(connection)

    # ---- writes

    def store(self, event: LogEvent) -> None:
        """Stores an event. Storing it again writes the same row and timestamp. Costs: one put."""
        self._logs.put(event)

    def store_all(self, events: Iterable[LogEvent]) -> int:
        """Stores events as `store` does, but 1,000 in a call; returns their number.

        Raises NotAllStored. Costs: those of `put_all`: without Thrift2, one call for each different time.
        """
        return self._logs.put_all(events)

    # ---- questions

    def host_events(
        self, host: str, event: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[LogEvent]:
        """A host's events of one kind, from `since_ms` to `until_ms` (exclusive), oldest first.

        Costs: one reverse scan of a page's rows and two more, because Thrift1 also returns the excluded end.
        """
        events = self._logs.ask_more(host=host, event=event, time_ms=between(since_ms, until_ms))
        return events.in_order_of(BY_TIME)

    def latest(self, host: str, event: str) -> Query[LogEvent]:
        """A host's latest events of one kind, newest first. Costs: one scan of a page's rows and one more."""
        return self._logs.ask_more(host=host, event=event, time_ms=between()).in_order_of(BY_TIME).newest_first()

    def window(self, since_ms: int, until_ms: int, host: str | None = None) -> Query[LogEvent]:
        """All events from `since_ms` to `until_ms` (exclusive), of all hosts or of one, oldest first.

        Costs: for one host, every page reads and sorts all its rows. For all hosts the question is refused.
        """
        host_condition = {} if host is None else {"host": host}
        return self._logs.ask_more(**host_condition, time_ms=between(since_ms, until_ms)).in_order_of(BY_TIME)

    def latest_of_all(self) -> Query[LogEvent]:
        """The latest events of all hosts, newest first. Costs: refused if the key has the host first."""
        return self._logs.ask_more(time_ms=between()).in_order_of(BY_TIME).newest_first()

    def hosts_like(self, host_prefix: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[LogEvent]:
        """Events of all hosts whose name starts with `host_prefix`, from `since_ms` to `until_ms` (exclusive).

        They come in row-key order.
        Costs: one scan of these hosts' rows of any time, until a page's events of the period are read.
        """
        check_text("host_prefix", host_prefix, empty=False)
        return self._logs.ask_more(host=starting_with(host_prefix), time_ms=between(since_ms, until_ms))

    def of_severity(
        self,
        host: str,
        severity: str,
        since_ms: int | None = None,
        until_ms: int | None = None,
        filter_at: Literal["server", "client"] = "server",
    ) -> Query[LogEvent]:
        """A host's events of a severity, from `since_ms` to `until_ms` (exclusive), oldest first.

        No row key holds the severity, so all rows of the ranges are read, and the client or a server-side filter drops
        those of other severities. Costs: those of a window of the host; the filter saves only network traffic.
        """
        check_one_of("filter_at", filter_at, "server", "client")
        events = self._logs.ask_more(host=host, time_ms=between(since_ms, until_ms)).in_order_of(BY_TIME)
        if filter_at == "client":
            return events.where(severity=severity)
        return events.on_server("severity", severity)
