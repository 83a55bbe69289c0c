"""Erasing a user, beyond what every design promises: deliveries under way, damaged messages, and groups."""

import attrs
import pytest

from domains.messages import MessageRepository, StoredMessage
from domains.messages.erasing import after_erase
from shared.keys import InvalidQuestion
from shared.writes import claim

from .erased import ERASED, TO_TEAM

VARIANTS = ERASED.variants


def test_a_member_who_is_erased_in_a_delivery_leaves_no_other_member_without_a_copy(connection, variant, monkeypatch):
    monkeypatch.setattr("domains.messages.delivering.MEMBERS_AT_ONCE", 1)
    messages, slow = variant.open(connection), variant.open(connection)
    claimed = []

    def claim_after_the_erasure(*arguments):
        if not claimed:
            claimed.append(messages._erasures.erase("ada"))
        return claim(*arguments)

    monkeypatch.setattr("domains.messages.delivering.claim", claim_after_the_erasure)
    slow.send(TO_TEAM)
    assert [message.body for user in ("dan", "eve") for message in messages.inbox(user)] == ["lunch", "lunch"]
    messages.erase("ada")
    assert list(messages.inbox("ada")) == list(messages.upkeep.verify()) == []


@pytest.mark.parametrize("erased", ["bob", "!zed"])
def test_a_late_delivery_brings_nothing_of_an_erased_user_back(connection, variant, monkeypatch, erased):
    """The delivery has read the message before the erasure, which completes it, and then deletes the copies."""
    message = attrs.evolve(TO_TEAM, members=("!zed", "ada"))
    messages, slow = variant.open(connection), variant.open(connection)
    deleted = []

    def claim_after_the_erasure(*arguments):
        if not deleted:
            deleted.append(True)
            messages.erase(erased)
        return claim(*arguments)

    monkeypatch.setattr("domains.messages.delivering.claim", claim_after_the_erasure)
    slow.send(message)
    assert list(messages.inbox("!zed")) == list(messages.upkeep.verify()) == []
    assert len(list(messages.inbox("ada"))) == (erased == "!zed")


def test_group_messages_are_erased_before_their_copies(connection, variant):
    """So no delivery that sees a deleted copy takes its message for one that was sent again."""
    messages = variant.open(connection)
    messages.send(attrs.evolve(TO_TEAM, members=("!zed", "ada")))
    ((*rows,),) = messages._erasures._rows_of("bob", None)
    receivers = [variant.tables[0].key.decode(row).receiver for row in rows]
    assert receivers == ["#team", "!zed", "ada"]


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
