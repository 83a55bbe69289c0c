"""The questions of `domains.logs`, written with happybase, struct and msgpack: what they cost without the suite.

The keys and cells are those of `keys.py`, the calls to the store those of `LogRepository`. What is left out: refusals
that say why, cursors that are checked, and a look at every row whether it is one of this table.
"""

import struct

import msgpack

from domains.logs import LogEvent
from tests.programs.benchmarks.by_hand.parts import (
    LAST,
    PAGE_ROWS,
    first,
    first_of,
    text,
    time_reversed,
    unescaped,
    value_filter,
)

FLIPPED = bytes(range(255, -1, -1))
COLUMNS = [b"l:s", b"l:m"]
READ_ROWS = 1_000


def cells_of(event):
    return {b"l:s": msgpack.packb(event.severity), b"l:m": msgpack.packb(event.message)}


def event_of(host, event, time_ms, cells, tie):
    severity, message = msgpack.unpackb(cells[b"l:s"]), msgpack.unpackb(cells[b"l:m"])
    return LogEvent(unescaped(host), unescaped(event), time_ms, severity, message, tie)


def by_time(event):
    return event.time_ms, event.host, event.event, event.tie


class NewestFirst:
    """Host, kind, time reversed, tie inverted. A put for each event, a put for all events of a moment."""

    def __init__(self, table):
        self.table = table

    def store(self, event):
        self.table.put(self.row(event), cells_of(event), timestamp=event.time_ms)

    def store_all(self, events):
        moments = {}
        for event in events:
            moments.setdefault(event.time_ms, []).append(event)
        for time_ms, of_moment in moments.items():
            with self.table.batch(timestamp=time_ms) as batch:
                for event in of_moment:
                    batch.put(self.row(event), cells_of(event))

    def row(self, event):
        return text(event.host) + text(event.event) + time_reversed(event.time_ms) + event.tie.translate(FLIPPED)

    def read(self, stored_row):
        row, cells = stored_row
        host, _, rest = row.partition(b"\0\x01")
        event, _, rest = rest.partition(b"\0\x01")
        (time_left,) = struct.unpack_from(">Q", rest)
        return event_of(host, event, LAST - time_left, cells, rest[8:].translate(FLIPPED))

    def host_events(self, host, event, since_ms, until_ms, limit=100):
        of_host = text(host) + text(event)
        above, below = of_host + time_reversed(since_ms - 1), of_host + time_reversed(until_ms - 1)
        rows = self.table.scan(above, below, reverse=True, columns=COLUMNS, batch_size=limit + 1)
        return first(rows, self.read, limit)

    def latest(self, host, event, limit=10):
        prefix = text(host) + text(event)
        return first(self.table.scan(row_prefix=prefix, columns=COLUMNS, batch_size=limit + 1), self.read, limit)

    def window(self, since_ms, until_ms, host, limit=100):
        rows = self.table.scan(row_prefix=text(host), columns=COLUMNS, batch_size=READ_ROWS)
        events = [event for event in map(self.read, rows) if since_ms <= event.time_ms < until_ms]
        return sorted(events, key=by_time)[:limit]

    def hosts_like(self, host_prefix, since_ms, until_ms, limit=100):
        rows = self.table.scan(row_prefix=host_prefix.encode(), columns=COLUMNS, batch_size=PAGE_ROWS)
        return first_of(rows, self.read, limit, lambda event: since_ms <= event.time_ms < until_ms)

    def of_severity(self, host, severity, since_ms, until_ms, filter_at="server", limit=100):
        text_of_filter = value_filter(b"l", b"s", severity) if filter_at == "server" else None
        rows = self.table.scan(row_prefix=text(host), filter=text_of_filter, columns=COLUMNS, batch_size=READ_ROWS)
        events = filter(lambda event: event.severity == severity, map(self.read, rows))
        return sorted((event for event in events if since_ms <= event.time_ms < until_ms), key=by_time)[:limit]
