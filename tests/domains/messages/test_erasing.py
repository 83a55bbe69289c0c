"""Erasing a user, beyond what every design promises: deliveries under way, damaged messages, and groups."""

from functools import partial

import attrs
import pytest

from domains.messages import MessageRepository, StoredMessage
from domains.messages.erasing import after_erase
from shared.intents.without_intents import claim
from shared.keys import InvalidQuestion

from .erased import ERASED, TO_TEAM

VARIANTS = ERASED.variants

of_the_design = pytest.mark.parametrize("variant", VARIANTS[:1], ids=["messages"])


@pytest.fixture
def erase_meanwhile(monkeypatch):
    """Erases a user, by a function that is given, before the first copies of a delivery are claimed."""

    def erase_meanwhile(erase, user):
        calls = iter([partial(erase, user)])

        def claim_after_the_erasure(*arguments):
            for call in calls:
                call()
            return claim(*arguments)

        monkeypatch.setattr("domains.messages.delivering.claim", claim_after_the_erasure)

    return erase_meanwhile


@of_the_design
def test_a_member_who_is_erased_in_a_delivery_leaves_no_other_member_without_a_copy(
    messages, monkeypatch, erase_meanwhile
):
    monkeypatch.setattr("domains.messages.delivering.MEMBERS_AT_ONCE", 1)
    erase_meanwhile(messages._erasures.erase, "ada")
    messages.send(TO_TEAM)
    assert [message.body for user in ("dan", "eve") for message in messages.inbox(user)] == ["lunch", "lunch"]
    messages.erase("ada")
    assert list(messages.inbox("ada")) == list(messages.upkeep.verify()) == []


def test_what_an_erased_sender_sends_again_reaches_all_members_but_not_after_they_delete_it(connection, variant):
    messages = variant.open(connection)
    messages.send(TO_TEAM)
    messages.erase("bob")
    messages.send_to_group(TO_TEAM)
    bodies = {user: [message.body for message in messages.inbox(user)] for user in TO_TEAM.members}
    assert bodies == {user: ["lunch"] for user in TO_TEAM.members}
    assert [message.receiver for message in messages.unread("ada")] == ["ada"]
    messages.delete_from_inbox(messages.inbox("ada").first())
    messages.send_to_group(TO_TEAM)
    assert list(messages.inbox("ada")) == list(messages.upkeep.verify()) == []


@pytest.mark.parametrize("erased", ["bob", "!zed"])
def test_a_late_delivery_brings_nothing_of_an_erased_user_back(connection, variant, messages, erased, erase_meanwhile):
    """The delivery has read the message before the erasure, which completes it, and then deletes the copies."""
    erase_meanwhile(messages.erase, erased)
    variant.open(connection).send(attrs.evolve(TO_TEAM, members=("!zed", "ada")))
    assert list(messages.inbox("!zed")) == list(messages.upkeep.verify()) == []
    assert len(list(messages.inbox("ada"))) == (erased == "!zed")


@of_the_design
def test_group_messages_are_erased_before_their_copies(variant, messages):
    """So no delivery that sees a deleted copy takes its message for one that was sent again."""
    messages.send(attrs.evolve(TO_TEAM, members=("!zed", "ada")))
    ((*rows,),) = messages._erasures._rows_of("bob", None)
    receivers = [variant.tables[0].key.decode(row).receiver for row in rows]
    assert receivers == ["#team", "!zed", "ada"]


def test_a_group_is_nobody():
    with pytest.raises(InvalidQuestion, match=r"^user: must not be a group \(got '#team'\)$"):
        MessageRepository.erase(None, "#team")


def test_a_member_whose_copy_is_delivered_is_no_longer_counted():
    sent = attrs.evolve(StoredMessage.of(TO_TEAM), delivered=2)
    left = [after_erase(user, sent) for user in ("ada", "eve", "zoe")]
    counts = [(message.members, message.delivered) for message in left]
    assert counts == [(("dan", "eve"), 1), (("ada", "dan"), 2), (TO_TEAM.members, 2)]
