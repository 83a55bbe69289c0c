"""A record laid out as a row key.

A key is one frozen class whose attributes, top to bottom, are the bytes from left to right:

    @row_key
    class OrderBySeller:
        seller_id: str = part(EscapedText, "who sold")
        placed_ms: int = part(Descending(Int64), "milliseconds since 1970, newest first")

The law, for every layout and all keys a, b:

    decode(encode(a)) == a
    encode(decode(k)) == k      if decode(k) succeeds
    a prefix of whole parts matches exactly the keys with those values
    a sorts before b  <=>  encode(a) < encode(b)     ordered codecs, within one bucket of the spreading prefixes
"""

from collections.abc import Callable
from typing import Any, TypeVar

from .compiled import compile_decode, compile_encode, compile_row_of
from .planning import narrow, plan, whole_table
from .prefixes import Prefix
from .ranges import Plan
from .reference import ReferenceLayout

K = TypeVar("K")


class KeyLayout(ReferenceLayout[K]):
    """A key class and the prefixes before it; to change the number of buckets, make a second layout of the same class.

    KeyLayout(OrderBySeller)
    KeyLayout(OrderBySeller, Salt(of="seller_id", buckets=16))

    `encode(key)` gives the row, `decode(row)` the key. Both are generated functions (`compiled.py`); if one fails,
    `encode_reference` or `decode_reference` runs, which specifies it and raises the `InvalidKey` that says why.
    """

    encode: Callable[[K], bytes]
    decode: Callable[[bytes], K]
    row_of: Callable[[object], bytes]
    """The row of any object that has the parts as attributes: `encode` of its `key_of`."""

    def __init__(self, key: type[K], *prefixes: Prefix) -> None:
        super().__init__(key, *prefixes)
        self.encode = compile_encode(self)
        self.decode = compile_decode(self)
        self.row_of = compile_row_of(self)

    def plan(self, /, **question: Any) -> Plan:
        """The ranges that hold exactly the keys that match the question.

        Equality on leading parts (`seller_id="s-17"`) or `any_of(values)`, then at most one `between(since, until)` or
        `starting_with(text)`, then nothing. `InvalidQuestion` names the parts that need a value. For a part that is a
        `Slice`, the ranges hold whole slices, and the rest of its condition is in the plan's residual. More than 1,024
        ranges are refused, unless `most_ranges` allows them.
        """
        return plan(self, question, self.encode)

    def narrow(self, /, **question: Any) -> Plan:
        """The ranges for as much of the question as the key can bind; the reader compares the rest with each record.

        If `plan` accepts the question, the result is the same. If it refuses, the question is cut: equality on the
        leading parts that it names, then at most one interval. Later parts are the plan's residual, but a spreading
        prefix still uses their values to choose its bucket. A question that binds no leading part and no time slice is
        refused as by `plan`.
        """
        return narrow(self, question, self.encode)

    def whole_table(self) -> Plan:
        """The ranges of all rows: the most expensive question."""
        return whole_table(self)
