"""The steps of the writes that the page shows, and what readers see after each."""

from typing import Any

from domains.orders.shown.design import DESIGN
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import LAMP, STOPPED, WRITES


def words(values: tuple[Any, ...]) -> str:
    """What a view shows of the order that is written."""
    (value,) = [value for value in values if value.order_number == LAMP.order_number] or [None]
    if value is None:
        return "-"
    return f"{value.status}, no buyer" if getattr(value, "buyer_id", "") is None else value.status


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step."""
    columns = ("by number", "by seller", "by buyer", "by seller and status", "by status")
    return Steps(crash_tests(engine, STOPPED, DESIGN.main), WRITES, ("place", "change_status", "erase"), columns, words)
