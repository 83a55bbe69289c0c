"""Events in a plain list: what every variant has to answer."""

from domains.logs.shown.design import DESIGN
from domains.logs.shown.variants.slices import SLICE_MS
from shared.keys import InvalidQuestion
from shared.testing import PlainList, in_period


class PlainLogs:
    """The questions of `LogRepository`, by time unless it promises another order."""

    def __init__(self, variant, events):
        self.variant = variant
        self.events = sorted(events, key=lambda event: (event.time_ms, event.host, event.event, event.tie))

    def host_events(self, host, event, since_ms=None, until_ms=None):
        return self._between(since_ms, until_ms, host=host, event=event)

    def latest(self, host, event):
        return self._between(None, None, host=host, event=event)[::-1]

    def latest_of_all(self):
        if self.variant in ("logs", "oldest-first", "padded"):
            raise InvalidQuestion("needs a host")
        return self._between(None, None)[::-1]

    def window(self, since_ms, until_ms, host=None):
        if host is None and self.variant in ("logs", "oldest-first", "padded"):
            raise InvalidQuestion("needs a host")
        return self._between(since_ms, until_ms, host=host)

    def hosts_like(self, host_prefix, since_ms=None, until_ms=None):
        if not host_prefix:
            raise InvalidQuestion("needs a prefix")
        return {event for event in self._between(since_ms, until_ms) if event.host.startswith(host_prefix)}

    def of_severity(self, host, severity, since_ms=None, until_ms=None, filter_at="server"):
        return self._between(since_ms, until_ms, host=host, severity=severity)

    def _between(self, since_ms, until_ms, **wanted):
        if self.variant == "random" or (self.variant == "slices" and None in (since_ms, until_ms)):
            raise InvalidQuestion("needs a number or a period")
        return in_period(self.events, since_ms, until_ms, **wanted)


TIMES_MS = [0, 1, 2, 3, 7, 8, SLICE_MS - 1, SLICE_MS, SLICE_MS + 1, 2 * SLICE_MS, 3 * SLICE_MS]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainLogs,
    {
        "host": ["a", "ab", "b", "host1", "host12", "é"],
        "event": ["E", "EE", "F"],
        "time_ms": TIMES_MS,
        "severity": ["INFO", "WARN", "it's", ""],
        "since_ms": TIMES_MS,
        "until_ms": TIMES_MS,
        "host_prefix": ["", "a", "ab", "host1", "?", "é"],
        "filter_at": ["server", "client"],
    },
)
