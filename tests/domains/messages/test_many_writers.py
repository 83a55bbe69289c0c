"""Sixteen processes at once on one inbox: nothing is lost, and nothing deleted comes back."""

from contextlib import ExitStack, closing
from operator import attrgetter

import attrs
import pytest

from domains.messages.design import DESIGN
from shared.stores import connect
from shared.tables import create_tables
from tests.domains.messages.sending import READER, send_messages, sent_by
from tests.engines import EMBEDDED
from tests.shared.writes.processes import running

WRITERS = 16
MESSAGES = 6
"""Messages that each of them sends."""


@pytest.fixture
def url(engine, tmp_path, variant):
    """A store that several processes open."""
    with engine.url(str(tmp_path / "messages.db"), *variant.tables) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, variant.tables)
        yield url


def expected():
    for writer in range(WRITERS):
        for number in range(MESSAGES):
            if number % 5:
                yield attrs.evolve(sent_by(writer, number), is_read=number % 4 == 0)


def by_id(message):
    return message.sender, message.sent_ms


@pytest.mark.parametrize("variant", [DESIGN.main, DESIGN.variants[2]], ids=attrgetter("name"))
def test_sixteen_processes_that_write_to_one_inbox_lose_nothing(url, variant, tmp_path):
    with ExitStack() as stack:
        done = [tmp_path / f"{writer}.done" for writer in range(WRITERS)]
        processes = [
            stack.enter_context(running(send_messages, url, variant.name, writer, MESSAGES, done[writer]))
            for writer in range(WRITERS)
        ]
        for process in processes:
            process.join(300)
    assert all(path.exists() for path in done)
    with closing(connect(url)) as connection:
        messages = variant.open(connection)
        received = sorted(expected(), key=by_id)
        assert sorted(messages.inbox(READER), key=by_id) == received
        assert sorted(messages.unread(READER), key=by_id) == [message for message in received if not message.is_read]
        assert all(messages.outbox(f"w-{writer}").count() == MESSAGES for writer in range(WRITERS))
        if variant in DESIGN.variants[:2]:
            assert messages.upkeep.pending() == []
            assert list(messages.upkeep.verify()) == []
