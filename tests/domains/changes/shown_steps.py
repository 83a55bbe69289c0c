"""The steps of the writes that the page shows, and what readers see after each."""

from domains.changes.shown.design import DESIGN
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import STOPPED, WRITES


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step, with the number of changes or records that a view shows."""
    shown, columns = ("store_all", "store_all of a new table"), ("log", "user 30", "users")
    return Steps(crash_tests(engine, STOPPED, DESIGN.main), WRITES, shown, columns, lambda values: str(len(values)))
