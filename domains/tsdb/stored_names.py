"""Names of files as OpenTSDB stores them: one rule for all formats, which `rowbook load` reports.

    10.0.0.1:9100     10.0.0.1_9100
    /dev/sda 1        /dev/sda_1
    \u043c\u0441\u043a-1             refused

A character of ISO 8859-1 that OpenTSDB refuses becomes `_`. A name with any other character is refused, because its
letters would all become `_`. So is a name of a file that would become another name of that file: two series would be
one.
"""

from shared.keys import shown

from .records import Point
from .uids import check_name, is_safe


class StoredNames:
    """Maps the points of a file to those that are stored."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], str] = {}
        """What is stored for each name of a file, by its field."""
        self._given: dict[tuple[str, str], str] = {}
        """The name of the file for each that is stored, by its field."""
        self._changed: dict[tuple[str, str], str] = {}

    def __call__(self, point: Point) -> Point:
        """The point under names that OpenTSDB stores. Raises InvalidKey or ValueError for a name that has none."""
        metric = self._name("metric", point.metric)
        tags = tuple((self._name("tags", tag), self._name(f"tags, {tag}", value)) for tag, value in point.tags)
        return (
            point if (metric, tags) == (point.metric, point.tags) else Point(metric, point.time_ms, point.value, tags)
        )

    @property
    def notes(self) -> list[str]:
        """How many names were changed, and the first of them; empty if none was."""
        if not self._changed:
            return []
        (field, name), stored = next(iter(self._changed.items()))
        names = "1 name has" if len(self._changed) == 1 else f"{len(self._changed)} names have"
        first = f"{field}: {shown(name)} is stored as {shown(stored)}"
        return [f"{names} _ for characters that OpenTSDB refuses; {first}"]

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
            wanted = "must be stored under a name of its own"
            raise ValueError(
                f"Point.{field}: {wanted} (got {shown(name)}, stored as {shown(stored)} as {shown(other)} was)"
            )
        if stored != name:
            self._changed[field, name] = stored
        self._stored[field, name] = stored
        return stored
