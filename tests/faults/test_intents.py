"""The write protocol through the proxy: whatever happens to calls and replies, what was answered is what is stored."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest

from shared.stores import OutcomeUnknown, connect
from shared.tables import create_tables
from tests.engines import EMBEDDED
from tests.programs.faults.clients import RETRY_MS
from tests.programs.faults.gateways import EmbeddedGateway, RemoteGateway
from tests.programs.faults.plans import PLANS, Plan
from tests.programs.faults.proxy import Proxy
from tests.programs.faults.workload import TIMEOUT_MS, new_seed
from tests.shared.intents.changing import DERIVED, TABLES, Changer, contradictions, differences
from tests.shared.intents.processes import Log, entries

THREADS = 3
NUMBERS = range(4)


@contextmanager
def behind(engine):
    """A gateway, the table prefix of a store of orders behind it, and a connection to that store past the proxy."""
    if engine.name == EMBEDDED:
        with closing(EmbeddedGateway()) as gateway:
            create_tables(gateway.direct(), TABLES)
            yield gateway, None, gateway.direct()
    else:
        with engine.url("", *TABLES) as url, closing(connect(url)) as direct:
            parts = urlsplit(url)
            with closing(RemoteGateway(parts.hostname, parts.port)) as gateway:
                yield gateway, parse_qs(parts.query)["table_prefix"][0], direct


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("mixed", 40),
        *(pytest.param(name, 400, marks=pytest.mark.long) for name in PLANS if name not in ("idle", "expired")),
    ],
)
def test_what_a_writer_is_answered_is_stored_whatever_happens_to_its_calls(engine, tmp_path, name, changes):
    plan = Plan(name, new_seed())
    with behind(engine) as (gateway, prefix, direct), Proxy(gateway, plan) as proxy, ExitStack() as stack:
        url = f"hbase://{proxy.host}:{proxy.port}?timeout_ms={TIMEOUT_MS}&retry_ms={RETRY_MS}"
        connections = [stack.enter_context(closing(connect(url, table_prefix=prefix))) for _ in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as threads:
            changing = [
                threads.submit(
                    change_all, connection, Log(tmp_path / f"{number}.log"), Random(plan.seed + number), changes
                )
                for number, connection in enumerate(connections)
            ]
        assert (plan, [thread.exception() for thread in changing]) == (plan, [None] * THREADS)
        proxy.clients_leave()
        proxy.settle()
        assert proxy.faults
        answers = entries(tmp_path)
        changer = Changer(direct, Log(tmp_path / "direct.log"), Random(0), NUMBERS)
        settled = changer.orders.writer.recover(older_than_ms=0)
        assert (plan, settled.failed) == (plan, ())
        assert (plan, contradictions(changer.orders.writer, answers)) == (plan, [])
        assert (plan, differences(direct, changer.orders.writer, DERIVED)) == (plan, [])
    kinds = Counter(answer["kind"] for answer in answers)
    assert kinds["accepted"] > changes
    print(f"{plan}: {proxy.calls} calls, {proxy.faults.total()} faults, {settled.settled} writes settled, {kinds}")


def change_all(connection, log, dice, changes):
    """Changes orders so many times; a change whose outcome is unknown is given up."""
    changer = Changer(connection, log, dice, NUMBERS)
    for _ in range(changes):
        try:
            changer.change()
        except OutcomeUnknown:
            log.write(kind="unknown")
