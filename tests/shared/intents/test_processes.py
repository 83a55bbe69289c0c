"""Processes that write the same rows, and are killed: what was answered is stored, and everything agrees."""

import random
from contextlib import ExitStack, closing

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from tests.engines import EMBEDDED
from tests.shared.intents.changing import (
    DERIVED,
    TABLES,
    change_orders,
    contradictions,
    differences,
    recover_again_and_again,
)
from tests.shared.intents.processes import entries, kill_at_random, running, wait_for


@pytest.fixture
def url(engine, tmp_path):
    """A store with the tables of orders, that several processes open."""
    with engine.url(str(tmp_path / "orders.db"), *TABLES) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, TABLES)
        yield url


@pytest.mark.parametrize("rounds", [1, pytest.param(60, marks=pytest.mark.long)])
def test_what_a_killed_process_was_answered_is_stored(url, tmp_path, capsys, rounds):
    dice = random.Random(seed := random.randrange(1_000_000))
    recovered = 0
    for round_number in range(rounds):
        with ExitStack() as stack:
            logs = [tmp_path / f"{round_number}-{number}.log" for number in range(2)]
            writers = [stack.enter_context(running(change_orders, url, log, dice.random(), range(5))) for log in logs]
            recoverer = stack.enter_context(running(recover_again_and_again, url))
            for log, process in zip(logs, writers, strict=True):
                wait_for(lambda log=log: log.exists() and log.stat().st_size > 500, process)
            for process in [*writers, recoverer]:
                assert kill_at_random(process, dice, 0.1)
        with closing(connect(url)) as connection:
            writer = OrderRepository(connection).writer
            settled = writer.recover(older_than_ms=0)
            recovered += settled.settled
            assert settled.failed == ()
            assert writer.pending() == []
            answers = entries(tmp_path)
            assert contradictions(writer, answers) == []
            assert differences(connection, writer, DERIVED) == []
    with capsys.disabled():  # processes do not repeat a run, but what was killed when is drawn from the seed
        print(f"\nseed {seed}: {3 * rounds} kills, {len(answers)} answers, {recovered} writes settled")
