"""The traps: the wrong way fails as predicted, the right way gives what was wanted. Numbers are counted anew here."""

from contextlib import ExitStack

import pytest

from domains.messages.design import DESIGN
from domains.messages.published import inbox_row_key


@pytest.fixture(scope="module")
def outcomes(engine):
    """By the name of a trap, what came of it."""
    with ExitStack() as stores, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shared.designs.traps.connect", lambda _url: stores.enter_context(engine.store()))
        yield {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}


@pytest.fixture(scope="module")
def messages():
    return list(DESIGN.loads[0].sample_records())


def test_the_published_key_overwrites_messages_of_one_pair_and_millisecond(outcomes, messages):
    outcome = outcomes["no tie-breaker"]
    lost = len(messages) - len({(message.receiver, message.sent_ms, message.sender) for message in messages})
    assert outcome.wrong == f"{320 - lost} rows; {lost} messages were overwritten"
    assert (lost, outcome.right) == (39, "320 rows")


def test_thirteen_declared_digits_are_nineteen(outcomes):
    key = inbox_row_key("u-17", 1_700_000_000_000, "u-3")
    assert key == "u-17_9223370336854775807_u-3"
    digits = key.split("_")[1]
    assert (len(digits), 2**63 - 1 - int(digits[:13])) == (19, 9_223_362_813_484_438_953)
    outcome = outcomes["a declared width that is not the width"]
    assert outcome.wrong == "19 digits, of which the first 13 are read as 9223362813484438953 ms"
    assert outcome.right == "8 bytes, read as 2023-11-14T22:13:20Z"


def test_a_day_of_seconds_has_87_slices_of_thirteen_digits():
    start_s = 1_700_000_000
    slices = {inbox_row_key("u", (start_s + second) * 1000, "v")[2:15] for second in range(86_400)}
    assert len(slices) == 87


def test_under_the_receiver_a_sender_finds_only_notes_to_oneself(outcomes, messages):
    outcome = outcomes["a receiver that leads for both sides"]
    sent = [message for message in messages if message.sender == "u-17"]
    notes = [message for message in sent if message.receiver == "u-17"]
    received = [message for message in messages if message.receiver == "u-17"]
    assert outcome.task == f"the {len(sent)} messages that u-17 sent"
    assert outcome.wrong == (
        f"{len(notes)} of them, notes to oneself, among {len(received)} messages that u-17 received"
    )
    assert outcome.right == f"{len(sent)} messages, from the rows of their owner"


def test_a_separator_in_a_name_finds_another_inbox(outcomes, messages):
    outcome = outcomes["a separator that names contain"]
    counts = [sum(message.receiver == name for message in messages) for name in ("ada", "ada_1")]
    assert outcome.wrong == f"{sum(counts)} messages, of ada and ada_1"
    assert outcome.right == f"{counts[0]} messages, of ada"
