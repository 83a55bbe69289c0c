"""The steps of the writes that the page shows, and what readers see after each."""

from typing import Any

from domains.messages.shown.design import DESIGN
from shared.testing.crash_tests import crash_tests
from shared.testing.engines import Engine
from tests.programs.write_steps import Steps

from .stopped_writes import MEMBERS, OLD, STOPPED, WRITES


def words(values: tuple[Any, ...]) -> str:
    """What a view shows of the messages that are written."""
    shown = [value for value in values if value.message_id != OLD.message_id]
    if not shown:
        return "-"
    if len(shown) > 1 or shown[0].group:
        return f"{len(shown)} of {len(MEMBERS)}"
    return "read" if shown[0].is_read else "there"


def steps(engine: Engine) -> Steps:
    """The writes of the design itself, step by step."""
    columns = ("inbox", "outbox", "unread", "group", "members")
    shown = ("send", "mark_read", "delete_from_inbox", "send_to_group")
    return Steps(crash_tests(engine, STOPPED, DESIGN.main), WRITES, shown, columns, words)
