"""Ties: what distinguishes records that have all other parts of their row key in common, such as two of one moment.

A tie is a hash of the whole record, or a number that counts the equal records of a file from 0:

    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))
    tie: int = attrs.field(default=0, validator=integer(0, 2**64 - 1))

A record keeps a tie that it is given, such as a number from its source, and so does a changed copy.
"""

import hashlib
from collections import Counter
from collections.abc import Hashable
from typing import Any, TypeVar

import attrs
import msgpack

from ..keys.errors import shown

TIE_BYTES = 8
"""The width of a tie in bytes."""

R = TypeVar("R", bound=Any)


def tie_of(record: Any, ordinal: int = 0) -> bytes:
    """The tie of a record with an attribute `tie`, made of all its other attributes; every program computes the same.

    The first eight bytes of the md5 of these attributes in their order, then of `ordinal`, each as text, in msgpack.
    `ordinal` counts records that are equal in all other attributes, from 0.
    """
    values = [getattr(record, field.name) for field in attrs.fields(record.__class__) if field.name != "tie"]
    # Lone surrogates are packed too, and values of wrong types as an error shows them: the validators, which run later,
    # refuse them.
    texts = [value if type(value) is str else shown(value) for value in (*values, ordinal)]
    packed = msgpack.packb(texts, unicode_errors="surrogatepass")
    return hashlib.md5(packed, usedforsecurity=False).digest()[:TIE_BYTES]


class Repeats:
    """Numbers the equal records of one file, so that each has a tie of its own.

    Reading the same file again gives the same ties, so it changes nothing. A record with a tie from its source keeps
    it. Remembers the tie of every other record of the file; if ties are numbers, the record.
    """

    def __init__(self) -> None:
        self._seen: Counter[Hashable] = Counter()

    def __call__(self, record: R) -> R:
        """The record; if an equal one came before, with a tie of its own."""
        is_hash = isinstance(record.tie, bytes)
        if record.tie != (tie_of(record) if is_hash else 0):
            return record
        first: Hashable = record.tie if is_hash else record
        ordinal = self._seen[first]
        self._seen[first] += 1
        if not ordinal:
            return record
        return attrs.evolve(record, tie=tie_of(record, ordinal) if is_hash else ordinal)
