"""Record classes of tests, one a line: a name, and the type of each attribute."""

import sys
from typing import Any

import attrs


def record_class(name: str, /, **types: Any) -> type[Any]:
    """A class of records with these attributes, as if written by hand in the module that calls."""
    record: type[Any] = attrs.make_class(name, {key: attrs.field(type=of) for key, of in types.items()}, frozen=True)
    record.__module__ = sys._getframe(1).f_globals["__name__"]
    return record
