"""Tests that run for writes by their names."""

from collections.abc import Callable, Iterable

import pytest

from shared.testing import Write


def by_name(writes: Iterable[Write]) -> Callable[..., pytest.MarkDecorator]:
    """Makes a decorator that runs a test for the writes of these names, or for all if it has none."""
    named = {write.name: write for write in writes}

    def of(*names: str) -> pytest.MarkDecorator:
        names = names or tuple(named)
        return pytest.mark.parametrize("write", [named[name] for name in names], ids=names)

    return of
