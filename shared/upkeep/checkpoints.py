"""How far a `repair` has come, for another process that continues it after a crash."""

from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from ..keys.ranges import EVERY_ROW, RowRange, next_row

Reached: TypeAlias = Mapping[str, bytes | None]
"""The last row that each pass over a table has compared; None if the pass is complete. Also the marks that the first
`repair` found (`from_start`)."""


class Checkpoint:
    """How far a `repair` has come in each pass over a table of sources or lines.

    `save` is called after each batch of 1,000 rows, once they are compared and mended. `reached` is what the `save` of
    an earlier `repair` was called with last: this one skips those rows. It is empty for a `repair` from the start.
    """

    def __init__(self, reached: Reached, save: Callable[[Reached], object]) -> None:
        self._reached = dict(reached)
        self._save = save
        self._is_held = False

    def rest(self, passed: str) -> RowRange | None:
        """The rows that a pass has still to compare; None if it is complete."""
        if passed not in self._reached:
            return EVERY_ROW
        last = self._reached[passed]
        start = None if last is None else next_row(last)
        return None if start is None else RowRange(start, None)

    def from_start(self, passed: Mapping[str, bytes], tables: Collection[str]) -> Mapping[str, bytes | None]:
        """What the first `repair` of these tables has noted under these names; if this is the first, it notes it now.

        A repair that continues gets None for what the first one has not noted.
        """
        if not any(earlier.rpartition(" ")[2] in tables for earlier in self._reached):
            for name, value in passed.items():
                self.note(name, value)
        return {name: self._reached.get(name) for name in passed}

    def note(self, passed: str, last: bytes | None) -> None:
        """Saves that a pass has compared all rows up to this one, or, if None, all there are."""
        if not self._is_held:
            self._reached[passed] = last
            self._save(dict(self._reached))

    def hold(self) -> None:
        """Saves nothing more. A `repair` that continues has to find the orphaned lines again."""
        self._is_held = True
