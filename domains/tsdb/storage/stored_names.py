"""Names from files as OpenTSDB stores them: one rule for all formats, whose changes `rowbook load` reports.

    10.0.0.1:9100     10.0.0.1_9100
    /dev/sda 1        /dev/sda_1
    \u043c\u0441\u043a-1             refused

A character of ISO 8859-1 that OpenTSDB refuses becomes `_`. A name with a character outside ISO 8859-1 is refused,
because all its letters would become `_`. A name is also refused if it would be stored as another name of the same file
is, because two series would become one.
"""

from shared.keys import shown
from shared.records import InvalidRecord

from ..records import Point
from .uids import check_name, is_safe


class StoredNames:
    """Maps the points of a file to those that are stored."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], str] = {}
        """The stored name, by field and name in the file."""
        self._given: dict[tuple[str, str], str] = {}
        """The name in the file, by field and stored name."""
        self._changed: dict[tuple[str, str], str] = {}
        """The stored names that differ from the name in the file, by field and that name."""

    def __call__(self, point: Point) -> Point:
        """The point under names that OpenTSDB stores. Raises InvalidKey or ValueError for a name that has none."""
        metric = self._name("metric", point.metric)
        tags = tuple((self._name("tags", tag), self._name(f"tags, {tag}", value)) for tag, value in point.tags)
        if (metric, tags) == (point.metric, point.tags):
            return point
        return Point(metric, point.time_ms, point.value, tags)

    @property
    def notes(self) -> list[str]:
        """How many names were changed, and the first of them; empty if none was."""
        if not self._changed:
            return []
        (field, name), stored = next(iter(self._changed.items()))
        names = "1 name has" if len(self._changed) == 1 else f"{len(self._changed)} names have"
        first = f"{field}: {shown(name)} is stored as {shown(stored)}"
        return [f"{names} _ in place of characters that OpenTSDB refuses; {first}"]

    def _name(self, field: str, name: str) -> str:
        stored = self._stored.get((field, name))
        if stored is None:
            stored = self._new_name(field, name)
        return stored

    def _new_name(self, field: str, name: str) -> str:
        stored = "".join("_" if ord(letter) < 256 and not is_safe(letter) else letter for letter in name)
        check_name(f"Point.{field}", stored)
        other = self._given.setdefault((field, stored), name)
        if other != name:
            got = f"{shown(name)}, which would be stored as {shown(stored)}, like {shown(other)}"
            raise InvalidRecord(f"Point.{field}: two names of a file must not become one (got {got})")
        if stored != name:
            self._changed[field, name] = stored
        self._stored[field, name] = stored
        return stored
