"""Two hours of a real channel: 3,316 messages, of which 1,823 were said to the whole channel."""

import json
from collections import Counter
from pathlib import Path

import pytest

from domains.messages import Message
from domains.messages.design import DESIGN
from domains.messages.formats import CHANNEL, FORMATS
from shared.loading import read_lines
from shared.records import parse_time
from shared.testing import stored_cells
from tests.engines import EMBEDDED

FILES = sorted((Path(__file__).parents[4] / "shared" / "data" / "messages").glob("*.messages.jsonl"))

pytestmark = pytest.mark.skipif(not FILES, reason="the real messages are not on this machine")


def by_hand():
    """Every message of the files, without the code of the design."""
    for path in FILES:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


@pytest.fixture(scope="module")
def records():
    lines = [line for path in FILES for line in read_lines(path, Message, formats=FORMATS)]
    assert [line.reason for line in lines if line.reason] == []
    return [line.record for line in lines]


@pytest.fixture(scope="module", params=DESIGN.variants[:3], ids=lambda variant: variant.name)
def loaded(request, engine, records):
    """Variant, connection and repository with all messages."""
    few = records if engine.name == EMBEDDED else records[:60]
    with engine.store(*request.param.tables) as connection:
        messages = request.param.open(connection)
        for message in few:
            messages.send(message)
        yield request.param, connection, messages, few


def test_the_files_hold_what_plain_python_finds(records):
    assert len(records) == len({*records}) == len([*by_hand()]) == 3316
    assert sum(message.receiver == CHANNEL for message in records) == 1823
    assert sum(said["receiver"] is None for said in by_hand()) == 1823


def test_without_a_tie_breaker_746_messages_would_be_lost(records):
    keys = {(message.receiver, message.sent_ms, message.sender) for message in records}
    assert len(records) - len(keys) == 746


def test_every_box_holds_the_messages_of_the_files_in_the_order_of_time(loaded):
    _variant, _connection, messages, records = loaded
    received = Counter(message.receiver for message in records)
    for receiver, count in received.items():
        stored = list(messages.inbox(receiver))
        assert len(stored) == count
        assert [message.sent_ms for message in stored] == sorted((m.sent_ms for m in stored), reverse=True)
    for sender, count in Counter(message.sender for message in records).items():
        assert messages.outbox(sender).count() == count
    ((first, second), _count), *_ = Counter(
        tuple(sorted([m.sender, m.receiver])) for m in records if m.receiver != CHANNEL
    ).most_common(1)
    wanted = {m for m in records if {m.sender, m.receiver} == {first, second}}
    assert {*messages.conversation(first, second)} == wanted != set()


def test_names_that_differ_in_case_or_start_alike_are_other_users(loaded):
    _variant, _connection, messages, records = loaded
    for name in ("m1dn1ght", "M1dn1ght", "amigappc", "amigappc|OoO|hel", "teamwork", "teamwork_"):
        assert messages.outbox(name).count() == sum(message.sender == name for message in records)


def test_loading_the_files_again_changes_nothing(loaded):
    variant, connection, messages, records = loaded
    before = stored_cells(connection, variant.tables)
    for message in records:
        messages.send(message)
    assert stored_cells(connection, variant.tables) == before


def test_times_are_those_of_the_files(records):
    assert {message.sent_ms for message in records} == {parse_time(said["ts"]) for said in by_hand()}
