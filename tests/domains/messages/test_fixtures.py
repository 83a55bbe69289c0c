"""The sample files hold what breaks row keys."""

from domains.messages.design import DESIGN
from domains.messages.published import inbox_row_key


def test_there_are_group_messages_notes_to_oneself_and_messages_that_are_read():
    messages = list(DESIGN.loads[0].sample_records())
    assert sum(bool(message.members) for message in messages) == 10
    assert len(messages) - len({(message.receiver, message.sent_ms, message.sender) for message in messages}) == 39
    assert any(message.sender in message.members for message in messages)
    assert any(message.sender == message.receiver for message in messages)
    assert {message.is_read for message in messages} == {True, False}


def test_thirteen_declared_digits_are_nineteen_and_a_day_of_seconds_has_87_slices():
    assert inbox_row_key("u-17", 1_700_000_000_000, "u-3") == "u-17_9223370336854775807_u-3"
    slices = {inbox_row_key("u", (1_700_000_000 + second) * 1000, "v")[2:15] for second in range(86_400)}
    assert len(slices) == 87
