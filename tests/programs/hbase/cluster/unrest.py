"""Regions that split, move, are flushed and compacted while others read and write them."""

from collections import Counter
from itertools import cycle
from threading import Event, Thread

from tests.programs.hbase.cluster.cluster import Cluster, Refused

_STEP = 77
"""Odd, so that 256 steps of it end in each of 256 places."""


class Unrest(Thread):
    """Does what its words say to a table, one after the other, until its block ends: move, split, flush, compact."""

    def __init__(self, cluster: Cluster, table: str, *words: str) -> None:
        super().__init__(daemon=True)
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        """What the cluster could not do, such as to split a region that has just been split."""
        self._cluster = cluster
        self._table = table
        self._words = words
        self._stopped = Event()

    def run(self) -> None:
        for number, name in enumerate(cycle(self._words)):
            if self._stopped.wait(0.2):
                return
            try:
                self._do(name, number, b"%02x" % (number * _STEP % 256))
            except Refused:
                self.refused[name] += 1
            else:
                self.counts[name] += 1

    def _do(self, name: str, number: int, row: bytes) -> None:
        if name == "move":
            servers = self._cluster.region_servers()
            self._cluster.move(self._table, row, servers[number % len(servers)])
        elif name == "split":
            self._cluster.split(self._table, row)
        else:
            self._cluster.say(name, self._table)

    def __str__(self) -> str:
        counts = ", ".join(f"{count} x {name}" for name, count in self.counts.items())
        return f"{counts}; {sum(self.refused.values())} refused"

    def __enter__(self) -> "Unrest":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()
