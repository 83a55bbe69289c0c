"""Row keys byte for byte as they were published, next to the design's own for the same values."""

from collections.abc import Mapping
from typing import Any

import attrs

from ..keys import Segment
from ..tables.layouts import TableLayout


@attrs.frozen
class PublishedKey:
    """A published row key, the key of this suite for the same values, and why they differ."""

    source: str
    """The id of the published idea, such as S0.13."""
    quoted: str
    """The key as published: `[seller id][timestamp][order number]`."""
    table: TableLayout[Any, Any]
    """The table of this suite."""
    key: Any
    """A key of that table."""
    parts: Mapping[str, bytes]
    """The bytes of the published key, in its order, each under the name of the part or prefix that holds them here."""
    deviations: Mapping[str, str]
    """By name of a part or prefix, why its bytes are not those published."""

    @property
    def row(self) -> bytes:
        """The row as published."""
        return b"".join(self.parts.values())

    @property
    def segments(self) -> list[Segment]:
        """The row of this suite, cut into prefixes and parts."""
        return self.table.key.segments(self.table.key.encode(self.key))

    @property
    def differing(self) -> list[str]:
        """The prefixes and parts whose bytes are not those published, in the order of the key."""
        return [segment.name for segment in self.segments if segment.data != self.parts.get(segment.name, b"")]
