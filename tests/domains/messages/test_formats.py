"""Chat logs as messages: what was said to nobody in particular goes to `#channel`, and lines break ties."""

import json

import pytest

from domains.messages import Message
from domains.messages.formats import FORMATS
from shared.loading import read_lines
from shared.records import parse_time

LINE = {"line": 7, "ts": "2026-01-12T09:00:00Z", "sender": "ada|away", "receiver": "[bob]", "body": "a\tb"}
SENT_MS = parse_time("2026-01-12T09:00")


@pytest.fixture
def read(tmp_path):
    """The lines of a file of these values, as records or reasons."""

    def read(*lines):
        path = tmp_path / "any.jsonl"
        path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
        return [line.record or line.reason for line in read_lines(path, Message, formats=FORMATS)]

    return read


def test_a_line_is_a_message_whose_id_is_its_number(read):
    assert read(LINE) == [Message("ada|away", "[bob]", SENT_MS, "000007", "a\tb")]


def test_what_was_said_to_nobody_goes_to_the_channel(read):
    assert read({**LINE, "receiver": None}) == [Message("ada|away", "#channel", SENT_MS, "000007", "a\tb")]


def test_lines_of_one_minute_are_different_messages_in_the_order_of_their_numbers(read):
    messages = read(LINE, {**LINE, "line": 10}, {**LINE, "line": 100})
    assert sorted(messages, key=lambda message: message.message_id) == messages
    assert len({*messages}) == 3


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


def test_json_lines_of_records_are_no_chat(tmp_path):
    path = tmp_path / "any.jsonl"
    message = {"sender": "ada", "receiver": "#team", "sent_ms": SENT_MS, "message_id": "m", "body": "x"}
    path.write_text(json.dumps({**message, "members": ["bob", "bob", "eve"]}) + "\n", encoding="utf-8")
    (line,) = read_lines(path, Message, formats=FORMATS)
    assert line.record == Message("ada", "#team", SENT_MS, "m", "x", members=("bob", "eve"))


@pytest.mark.parametrize("members", ["bob", 5, ["bob", 5], {"bob": 1}, None])
def test_members_that_are_no_list_of_names_are_refused(tmp_path, members):
    path = tmp_path / "any.jsonl"
    message = {"sender": "ada", "receiver": "#team", "sent_ms": SENT_MS, "message_id": "m", "body": "x"}
    path.write_text(json.dumps({**message, "members": members}) + "\n", encoding="utf-8")
    (line,) = read_lines(path, Message, formats=FORMATS)
    assert line.reason.startswith("Message.members: must be a list of texts (got ")
