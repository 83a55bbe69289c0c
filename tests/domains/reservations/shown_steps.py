"""The steps of the writes that the page shows, and what readers see after each."""

from domains.reservations.design import DESIGN
from shared.testing.crash_tests import crash_tests
from tests.programs.write_steps import Steps

from .stopped_writes import STOPPED, WRITES


def words(values):
    """The days of the stays that a view shows."""
    stays = [stay for value in values for stay in getattr(value, "stays", [value])]
    return ", ".join(f"{stay.from_day} to {stay.until_day}" for stay in stays) or "-"


def steps(engine):
    """The writes, step by step."""
    return Steps(
        crash_tests(engine, STOPPED, DESIGN.main), WRITES, ("book", "move", "cancel"), ("room", "of guests"), words
    )
