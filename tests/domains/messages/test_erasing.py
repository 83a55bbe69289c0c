"""Erasing a user, beyond what every design promises: deliveries under way, damaged messages, and groups."""

import attrs
import pytest

from domains.messages import MessageRepository, StoredMessage
from domains.messages.erasing import after_erase
from domains.messages.keys import INBOX
from shared.keys import InvalidQuestion
from shared.writes import WriterClock, claim
from shared.writes.intents import FORGET_MS

from .erased import ERASED, TO_DAN, TO_TEAM, team

VARIANTS = ERASED.variants


def test_a_member_who_is_erased_in_a_delivery_leaves_no_other_member_without_a_copy(connection, variant, monkeypatch):
    monkeypatch.setattr("domains.messages.delivering.MEMBERS_AT_ONCE", 1)
    messages, slow = variant.open(connection), variant.open(connection)
    claimed = []

    def claim_after_the_erasure(writer, copies):
        if not claimed:
            claimed.append(messages._erasures.erase("ada"))
        return claim(writer, copies)

    monkeypatch.setattr("domains.messages.delivering.claim", claim_after_the_erasure)
    slow.send(TO_TEAM)
    assert [message.body for user in ("dan", "eve") for message in messages.inbox(user)] == ["lunch", "lunch"]
    messages.erase("ada")
    assert list(messages.inbox("ada")) == list(messages.upkeep.verify()) == []


def test_a_message_that_cannot_be_read_counts_as_remaining_and_is_named(connection, variant, passes):
    team(lambda: variant.open(connection, clock=WriterClock()))
    messages = variant.open(connection, clock=WriterClock())
    inbox = variant.tables[0]
    connection.table(inbox.name).put(inbox.row(TO_DAN), {INBOX.cells.columns[0]: b"?"})
    connection.table(inbox.name).put(b"no key", {INBOX.cells.columns[0]: b"?"})
    assert messages.erase("dan") > 0
    passes(FORGET_MS + 1000)
    (failed,) = {reason.partition(": ")[0] for reason in messages.upkeep.recover().failed}
    assert failed == inbox.name


def test_a_group_is_nobody():
    with pytest.raises(InvalidQuestion, match=r"^user: must not be a group \(got '#team'\)$"):
        MessageRepository.erase(None, "#team")


def test_a_member_whose_copy_is_delivered_is_no_longer_counted():
    sent = attrs.evolve(StoredMessage.of(TO_TEAM), delivered=2)
    left = {user: after_erase(user, sent) for user in ("ada", "dan", "eve", "zoe")}
    counts = {user: (message.members, message.delivered) for user, message in left.items()}
    assert counts == {
        "ada": (("dan", "eve"), 1),
        "dan": (("ada", "eve"), 1),
        "eve": (("ada", "dan"), 2),
        "zoe": (TO_TEAM.members, 2),
    }
