"""Helpers of the tests: variants by name, and events."""

import pytest

from domains.logs import LogEvent, Repeats
from domains.logs.design import DESIGN

BY_NAME = {variant.name: variant for variant in DESIGN.variants}


def only(*names):
    """Runs a test for these variants."""
    return pytest.mark.parametrize("variant", [BY_NAME[name] for name in names], ids=names)


def event(time_ms=5, host="host1", kind="GET", message="", severity="INFO"):
    return LogEvent(host, kind, time_ms, severity, message)


def stored(logs, *events):
    """Stores events, equal ones with ties of their own, and returns them."""
    numbered = [*map(Repeats(), events)]
    logs.store_all(numbered)
    return numbered


def times(records):
    return [record.time_ms for record in records]
