"""Changes in a plain list: what every variant has to answer."""

from itertools import accumulate

import attrs

from domains.changes import State
from domains.changes.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.testing import PlainList

LONG_MAX = 2**63 - 1


class PlainChanges:
    """The questions of `ChangeRepository`. Of a record it has all columns after each change."""

    def __init__(self, variant, changes):
        self.is_published = variant == "published"
        self.changes = changes

    def _stored(self, source, up_to):
        """The changes of a source up to a position."""
        changes = [change for change in self.changes if change.source == source]
        if up_to is not None and not self.is_published and up_to > max((c.position for c in changes), default=0):
            raise InvalidQuestion("beyond the watermark")
        return [change for change in changes if up_to is None or change.position <= up_to]

    def history(self, source, table, key, up_to=None):
        changes = [c for c in self._stored(source, up_to) if (c.table, c.key) == (table, key)]
        if self.is_published:  # by second, newest first; in a second by the text of the position
            return sorted(changes, key=lambda c: ((LONG_MAX - c.time_ms) // 1000, str(c.position)))
        return changes[::-1]

    def state(self, source, table, key, as_of_ms=None, up_to=None):
        history = self.history(source, table, key, up_to)
        while history and as_of_ms is not None and history[0].time_ms > as_of_ms:
            del history[0]
        values = {}
        for change in history[::-1]:
            if change.kind != "UPDATE":
                values = {}
            if change.kind != "DELETE":
                values |= change.values
        if not history or history[0].kind == "DELETE":
            return None
        return State(source, table, key, history[0].position, history[0].time_ms, values)

    def states(self, source, table, as_of_ms=None, up_to=None, after_key="", at_most=1000):
        keys = {c.key for c in self._stored(source, up_to) if c.table == table and c.key > after_key}
        states = [self.state(source, table, key, as_of_ms, up_to) for key in sorted(keys)]
        return [state for state in states if state is not None][:at_most]

    def since(self, source, after=0, up_to=None):
        if self.is_published:
            raise InvalidQuestion("has no log")
        return [change for change in self._stored(source, up_to) if change.position > after]

    def of_table(self, source, table, after=0, up_to=None):
        return [change for change in self.since(source, after, up_to) if change.table == table]


@attrs.frozen
class PlainLogs(PlainList):
    """A plain list of changes whose positions grow, with gaps, as in the logs of sources."""

    @property
    def records(self):
        def numbered(changes):
            positions = accumulate(change.position for change in changes)
            return [attrs.evolve(c, position=position) for c, position in zip(changes, positions, strict=True)]

        return super().records.map(numbered)


TIMES_MS = [0, 1, 807, 808, 999, 1000, 1001, 86_400_000]
KEYS = ["3", "30", "03", "a", "é"]

PLAIN_LIST = PlainLogs(
    DESIGN,
    PlainChanges,
    {
        "source": ["s", "s-2", "é"],
        "position": [1, 2, 9],
        "table": ["t", "t_2"],
        "key": KEYS,
        "kind": ["INSERT", "UPDATE", "UPDATE", "DELETE"],
        "time_ms": TIMES_MS,
        "transaction": ["x"],
        "values": [{}, {"a": "1"}, {"a": None, "b": ""}, {"b": "2", "é": "é"}],
        "as_of_ms": TIMES_MS,
        "up_to": [0, 1, 5, 20, 10**6],
        "after": [0, 1, 7, 99, 10**6],
        "after_key": ["", "3", "30", "b"],
        "at_most": [1, 2, 1000],
    },
)
