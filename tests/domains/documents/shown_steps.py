"""The steps of the writes that the page shows, and what readers see after each."""

from typing import Any

from domains.documents import Document
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import ADA, STOPPED, WRITES


def words(values: tuple[Any, ...]) -> str:
    """The state of the document that is written, as a view shows it."""
    states = [
        value.body["state"] for value in values if isinstance(value, Document) and value.document_id == ADA.document_id
    ]
    columns = {value[:2]: value[2] for value in values if isinstance(value, tuple)}
    return states[0] if states else columns.get((ADA.document_id, "state"), "-")


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step."""
    shown = ("store", "change", "store_in_parts", "change parts")
    return Steps(
        crash_tests(engine, STOPPED, STOPPED.variants[0]), WRITES, shown, ("by id", "paths", "by value"), words
    )
