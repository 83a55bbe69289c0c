"""What every test of faults runs with."""

import logging

import pytest

from tests.programs.faults.clients import short_pauses


@pytest.fixture(autouse=True)
def _quick_and_quiet():
    """Pauses of milliseconds, and no word from the server on calls that are meant to fail."""
    log = logging.getLogger("shared.stores.server.thrift_server")
    level = log.level
    log.setLevel(logging.ERROR)
    with short_pauses():
        yield
    log.setLevel(level)
