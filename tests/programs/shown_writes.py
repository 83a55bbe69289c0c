"""The writes whose steps the pages show: what the crash tests of a design know of them, as a table and as a picture."""

from collections.abc import Callable, Mapping

from shared.designs.pictures import Picture, Rung, ladder_picture
from shared.testing import Steps
from tests.domains.documents.stopped_writes import steps as documents_steps
from tests.domains.feeds.stopped_writes import steps as feeds_steps
from tests.domains.messages.stopped_writes import steps as messages_steps
from tests.domains.orders.stopped_writes import steps as orders_steps
from tests.engines import Engine

STEPS: Mapping[str, Callable[[Engine], Steps]] = {
    "orders": orders_steps,
    "messages": messages_steps,
    "feeds": feeds_steps,
    "documents": documents_steps,
}
"""The designs whose pages show the steps of their writes."""


def ladder(steps: Steps) -> Picture:
    """The picture of the write with the most calls."""
    write = steps.longest
    rungs = [Rung(step.call, step.decides, step.seen) for step in steps.of(write)]
    return ladder_picture(write.name, steps.columns, rungs, is_recovered=write.is_recovered)
