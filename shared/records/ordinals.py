"""Numbers for equal values, such as records of a file that are equal in every field."""

from collections import Counter
from collections.abc import Hashable


class Ordinals:
    """Numbers equal values from 0, in order of appearance; remembers every value.

    Reading the same file again gives the same numbers, so a record with its number in its key becomes the same row.
    """

    def __init__(self) -> None:
        self._seen: Counter[Hashable] = Counter()

    def __call__(self, value: Hashable) -> int:
        """How many equal values came before this one."""
        ordinal = self._seen[value]
        self._seen[value] += 1
        return ordinal
