"""Ties: what distinguishes records that have all other parts of their row key in common, such as two of one moment.

    tie: bytes = attrs.field(default=attrs.Factory(tie_of, takes_self=True), validator=fixed_bytes(TIE_BYTES))

A record keeps a tie that it is given, such as a number from its source in eight bytes, and so does a changed copy.
"""

import hashlib
from typing import Any, TypeVar

import attrs
import msgpack

from ..keys.errors import shown
from .ordinals import Ordinals

TIE_BYTES = 8

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
    """Numbers the equal records of one file, so that each is a row of its own.

    Reading the same file again gives the same numbers, so it changes nothing. A record with a tie from its source keeps
    it. Remembers the tie of every other record of the file.
    """

    def __init__(self) -> None:
        self._ordinals = Ordinals()

    def __call__(self, record: R) -> R:
        """The record; if an equal one came before, with a tie of its own."""
        if record.tie != tie_of(record):
            return record
        ordinal = self._ordinals(record.tie)
        return attrs.evolve(record, tie=tie_of(record, ordinal)) if ordinal else record
