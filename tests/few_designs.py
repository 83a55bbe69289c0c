"""Tests that take long with all designs: `make test` runs them with a few, `make test-long` with the others."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

FEW = ("orders", "counters", "tsdb")
"""A design with lists, one with slices, and one with codes and code of its own."""


def few_of(items: Iterable[Any], name_of: Callable[[Any], str] = str) -> list[Any]:
    """Parameters of a test, whose names begin with that of a design; those of other designs are marked `long`."""
    return [
        pytest.param(
            *(item if isinstance(item, tuple) else (item,)),
            marks=() if name_of(item).partition(":")[0] in FEW else pytest.mark.long,
            id=name_of(item),
        )
        for item in items
    ]
