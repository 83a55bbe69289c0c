"""A scripted gateway for tests of the client, whose attempts follow each other quickly."""

from collections.abc import Iterator

import happybase
import pytest

from shared.stores.hbase import retries
from tests.shared.stores.scripted_gateway import ScriptedGateway

PAUSE_S = 0.005
"""Between the attempts of a call; with the usual pauses these tests would mostly wait."""


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedGateway]:
    monkeypatch.setattr(retries, "SHORTEST_PAUSE_S", PAUSE_S)
    monkeypatch.setattr(retries, "LONGEST_PAUSE_S", PAUSE_S)
    with ScriptedGateway() as gateway:
        yield gateway


@pytest.fixture
def table(gateway: ScriptedGateway) -> happybase.Table:
    """The gateway's table on a connection that has had an answer."""
    return gateway.opened()
