"""Rows of one layout from rows of another: the bytes of one part are copied, all other parts have fixed values.

Example: a post has a line in the timeline of each follower. The rows of these lines differ in their owner only, and the
owner is a part of the follower's row:

    lines = CopiedPart(followers, "reader", timelines, "owner")
    line_of = lines.rows_with(posted_ms=1_768_219_200_000, author="ann", post_id=7)
    line_of(followers.encode(ReaderOfAuthor("ann", "bob"))) == timelines.encode(LineOfTimeline("bob", ..., "ann", 7))
"""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from .compiled import compile_copy
from .errors import InvalidKey, listed
from .layout import KeyLayout
from .parts import Part


@attrs.frozen
class CopiedPart:
    """A part of the rows of `source` that has the same format as a part of the rows of `target`.

    Each row is checked as strictly as by `source.decode`, but no key is made.
    Raises InvalidKey if a layout lacks its part, if the formats differ, or if the rows of `target` have a prefix.
    """

    source: KeyLayout[Any]
    source_part: str
    target: KeyLayout[Any]
    target_part: str
    _copying: Callable[[bytes, bytes, Callable[[bytes], bytes]], Callable[[bytes], bytes]] = attrs.field(
        init=False, eq=False, repr=False
    )

    def __attrs_post_init__(self) -> None:
        copied, own = _part(self.source, self.source_part), _part(self.target, self.target_part)
        if str(copied.codec) != str(own.codec):
            raise InvalidKey(
                f"{self.target.name}.{own.name}: must have the format of {self.source.name}.{copied.name}, "
                f"{copied.codec} (got {own.codec})"
            )
        if self.target.prefixes:
            raise InvalidKey(f"{self.target.name}: must have no prefix (got {listed(map(str, self.target.prefixes))})")
        object.__setattr__(self, "_copying", compile_copy(self.source, copied))

    def rows_with(self, **values: Any) -> Callable[[bytes], bytes]:
        """A function that maps a row of `source` to the row of `target` with the same part and these other values.

        The values are encoded once. The function raises InvalidKey for a row that `source` does not decode.
        """
        parts = self.target.parts
        others = [part.name for part in parts if part.name != self.target_part]
        if values.keys() != set(others):
            raise InvalidKey(f"{self.target.name}: must have values of {listed(others)} (got {listed(values)})")
        at = [part.name for part in parts].index(self.target_part)
        before, after = (self._encoded(some, values) for some in (parts[:at], parts[at + 1 :]))

        def reference(row: bytes) -> bytes:
            copied = getattr(self.source.decode_reference(row), self.source_part)
            return self.target.encode_reference(self.target.key_class(**values, **{self.target_part: copied}))

        return self._copying(before, after, reference)

    def _encoded(self, parts: tuple[Part, ...], values: Mapping[str, Any]) -> bytes:
        return b"".join(self.target.encode_part(part, values[part.name]) for part in parts)


def _part(layout: KeyLayout[Any], name: str) -> Part:
    if name not in layout.part_named:
        raise InvalidKey(f"{layout.name}: must have a part {name} (has {listed(layout.part_named)})")
    return layout.part_named[name]
