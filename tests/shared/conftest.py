"""Tables with rows in them, on every engine."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.engines import Engine

from .stocked import Stocked, stocked_table


@pytest.fixture
def stocked(engine: Engine) -> Iterator[Stocked]:
    """Makes tables that hold the given rows, each with the one cell f:v, in stores of their own."""
    with ExitStack() as tables:
        yield lambda rows, name="t": tables.enter_context(stocked_table(engine, rows, name))
