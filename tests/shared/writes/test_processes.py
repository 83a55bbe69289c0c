"""Processes that write the same rows, and are killed: what was answered is stored, and everything agrees."""

import random
import time
from contextlib import ExitStack, closing

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from tests.engines import EMBEDDED
from tests.shared.writes.changing import (
    DERIVED,
    TABLES,
    broken_chain,
    change_orders,
    contradictions,
    differences,
    recover_again_and_again,
)
from tests.shared.writes.linked_rows import (
    BACK_LINKS,
    LINK_TABLES,
    faults_of,
    last_acknowledged,
    link_rows,
    link_writer,
    recover_links,
)
from tests.shared.writes.processes import entries, kill_at_random, running, wait_for

ROWS = 25_000
"""Linked rows, each of which is stored after the one before it was acknowledged."""


@pytest.fixture
def url(engine, tmp_path):
    """A store with the tables of orders, that several processes open."""
    with engine.url(str(tmp_path / "orders.db"), *TABLES) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, TABLES)
        yield url


def new_seed(name):
    """A new seed, which is printed, because processes do not repeat a run."""
    seed = random.randrange(1_000_000)
    print(f"{name}: seed {seed}")
    return seed


@pytest.mark.parametrize(
    ("processes", "changes"), [(4, 20), pytest.param(16, 60, marks=pytest.mark.long)], ids=["four", "sixteen"]
)
def test_processes_that_change_one_order_are_told_what_they_lost_to(url, tmp_path, capsys, processes, changes):
    seed = new_seed("changes")
    with ExitStack() as stack:
        started = [
            stack.enter_context(running(change_orders, url, tmp_path / f"{number}.log", seed + number, [42], changes))
            for number in range(processes)
        ]
        for process in started:
            process.join(300)
        assert [process.exitcode for process in started] == [0] * processes
    answers = entries(tmp_path)
    with closing(connect(url)) as connection:
        writer = OrderRepository(connection).writer
        assert writer.pending() == []
        assert broken_chain(writer, "n-42", answers) == []
        assert contradictions(writer, answers) == []
        assert differences(connection, writer, DERIVED) == []
    assert {"accepted", "lost"} <= {answer["kind"] for answer in answers}


@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.long)])
def test_what_a_killed_process_was_answered_is_stored(url, tmp_path, capsys, rounds):
    seed = new_seed("kills")
    dice = random.Random(seed)
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
    with capsys.disabled():
        print(f"\n{rounds} rounds, {3 * rounds} kills, {len(answers)} answers, {recovered} writes settled")


@pytest.mark.long
def test_no_acknowledged_row_of_a_linked_list_is_missing_after_kills(engine, tmp_path, capsys):
    with engine.url(str(tmp_path / "links.db"), *LINK_TABLES) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, LINK_TABLES)
        kills = store_links(url, tmp_path, random.Random(new_seed("links")))
        with closing(connect(url)) as connection:
            settled = link_writer(connection).recover(older_than_ms=0)
            assert settled.failed == ()
            last = last_acknowledged(tmp_path)
            assert sum(last.values()) == ROWS
            assert faults_of(connection, last) == []
            assert differences(connection, link_writer(connection), [BACK_LINKS]) == []
    with capsys.disabled():
        print(f"\n{ROWS} rows, {kills} kills")


WRITERS = 2


def store_links(url, folder, dice):
    """Stores so many rows by processes that are killed and started again; returns how many were killed."""
    kills = 0
    next_rows = dict.fromkeys(range(WRITERS), 1)
    share = ROWS // WRITERS
    with ExitStack() as stack:
        recoverer = stack.enter_context(running(recover_links, url))
        while any(first <= share for first in next_rows.values()):
            with ExitStack() as writing:
                started = []
                for writer, first in next_rows.items():
                    log = folder / f"{writer}-{kills}-{first}.log"
                    started.append(writing.enter_context(running(link_rows, url, log, writer, first, share)))
                time.sleep(dice.uniform(0.1, 3))
                kills += [kill_at_random(process, dice, 0.1) for process in started].count(True)
            if dice.random() < 0.3:
                kills += kill_at_random(recoverer, dice, 0.1)
                recoverer = stack.enter_context(running(recover_links, url))
            next_rows |= {writer: last + 1 for writer, last in last_acknowledged(folder).items()}
    return kills
