"""The steps of the writes that the page shows, and what readers see after each."""

from typing import Any

from domains.catalog.shown.design import DESIGN
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import LAMP, STOPPED, VIEWS, WRITES, place


def words(values: tuple[Any, ...]) -> str:
    """What a view shows of the lamp in its region."""
    (value,) = [value for value in values if place(value) == place(LAMP)] or [None]
    return "-" if value is None else f"{value.price:,}"


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step."""
    columns = tuple(view.name for view in VIEWS)
    return Steps(
        crash_tests(engine, STOPPED, DESIGN.main), WRITES, ("store", "change_price", "withdraw"), columns, words
    )
