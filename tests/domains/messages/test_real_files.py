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

FILES = sorted((Path(__file__).parents[4] / "shared" / "data" / "messages").glob("*.messages.jsonl"))


@pytest.mark.skipif(not FILES, reason="the real messages are not on this machine")
@pytest.mark.parametrize("name", ["copies", pytest.param("messages", marks=pytest.mark.long)])
def test_every_box_holds_the_messages_of_the_files_in_the_order_of_time(engine, name):
    (variant,) = (variant for variant in DESIGN.variants if variant.name == name)
    records = [line.record for path in FILES for line in read_lines(path, Message, formats=FORMATS)]
    by_hand = [json.loads(line) for path in FILES for line in path.read_text(encoding="utf-8").splitlines()]
    told = Counter((said["sender"], said["receiver"] or CHANNEL, parse_time(said["ts"])) for said in by_hand)
    assert Counter((message.sender, message.receiver, message.sent_ms) for message in records) == told
    assert (len({*records}), len(told), sum(said["receiver"] is None for said in by_hand)) == (3316, 3316 - 746, 1823)
    with engine.store(*variant.tables) as connection:
        messages = variant.open(connection)
        for message in records:
            messages.send(message)
        for user in {message.sender for message in records} | {message.receiver for message in records}:
            of_user = [message for message in records if message.receiver == user]
            assert {*(received := list(messages.inbox(user)))} == {*of_user}
            assert [message.sent_ms for message in received] == sorted((m.sent_ms for m in of_user), reverse=True)
            assert messages.outbox(user).count() == sum(message.sender == user for message in records)
