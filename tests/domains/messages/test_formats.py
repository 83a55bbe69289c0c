"""Chat logs as messages: what was said to nobody in particular goes to `#channel`, and lines break ties."""

import json

import pytest

from domains.messages import Message
from domains.messages.formats import FORMATS
from shared.loading import read_lines
from shared.records import parse_time

LINE = {"line": 7, "ts": "2026-01-12T09:00:00Z", "sender": "ada|away", "receiver": "[bob]", "body": "a\tb"}
SENT_MS = parse_time("2026-01-12T09:00")


RECORD = {"sender": "ada", "receiver": "#team", "sent_ms": SENT_MS, "message_id": "m", "body": "x"}


@pytest.fixture
def read(tmp_path):
    """The lines of a file of these values, as records or reasons."""

    def read(*lines):
        path = tmp_path / "any.jsonl"
        path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
        return [line.record or line.reason for line in read_lines(path, Message, formats=FORMATS)]

    return read


def test_a_line_is_a_message_whose_id_is_its_number_and_what_was_said_to_nobody_goes_to_the_channel(read):
    messages = read(LINE, {**LINE, "line": 10, "receiver": None}, {**LINE, "line": 100})
    assert [(message.receiver, message.message_id) for message in messages] == [
        ("[bob]", "000007"),
        ("#channel", "000010"),
        ("[bob]", "000100"),
    ]
    assert messages[0] == Message("ada|away", "[bob]", SENT_MS, "000007", "a\tb")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"line": -1}, "line: must be 0..999999 (got -1)"),
        ({"line": "7"}, "line: must be 0..999999 (got '7')"),
        ({"line": 1_000_000}, "line: must be 0..999999 (got 1000000)"),
        ({"ts": "yesterday"}, "ts: must be a time"),
        ({"ts": 5}, "ts: "),
        ({"sender": ""}, "Message.sender: must be text, not empty (got '')"),
        ({"sender": 5}, "Message.sender: must be text (got 5)"),
        ({"body": None}, "Message.body: must be text (got None)"),
    ],
)
def test_a_line_that_is_not_a_message_is_refused(read, change, reason):
    good, refused = read(LINE, {**LINE, **change})
    assert isinstance(good, Message)
    assert refused.startswith(reason)


def test_a_line_without_a_body_is_refused(read):
    _good, refused = read(LINE, {"line": 8, "ts": LINE["ts"], "sender": "ada", "receiver": None})
    assert refused.startswith('must be a JSON object with line, ts, sender, receiver, body (got \'{"line": 8')


def test_json_lines_of_records_are_no_chat(read):
    (message,) = read({**RECORD, "members": ["bob", "bob", "eve"]})
    assert message == Message("ada", "#team", SENT_MS, "m", "x", members=("bob", "eve"))


@pytest.mark.parametrize("members", ["bob", 5, ["bob", 5], {"bob": 1}, None])
def test_members_that_are_no_list_of_names_are_refused(read, members):
    (reason,) = read({**RECORD, "members": members})
    assert reason.startswith("Message.members: must be a list of texts (got ")
