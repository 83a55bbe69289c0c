"""Numbers of equal values, for records of a file that are equal in all they say."""

from collections import Counter
from collections.abc import Hashable


class Ordinals:
    """Numbers equal values from 0, in the order in which they come; remembers every value.

    Reading the same file again gives the same numbers, so a record that has its number in its key is the same row.
    """

    def __init__(self) -> None:
        self._seen: Counter[Hashable] = Counter()

    def __call__(self, value: Hashable) -> int:
        """How many equal values came before this one."""
        ordinal = self._seen[value]
        self._seen[value] += 1
        return ordinal
