"""Questions and writes of every variant, beside plain lists."""

from itertools import chain

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.messages import Message
from domains.messages.shown.design import DESIGN
from shared.keys import InvalidKey
from shared.tables import InvalidRecord
from shared.testing.paging import pages
from tests.domains.messages.plain_list import GROUP, USERS, PlainList, key_of
from tests.engines import examples

NOW_MS = 1_700_000_000_000
WITH_INTENTS = DESIGN.variants[:2]
LUNCH = Message("ada", "bob", NOW_MS, "m-1", "lunch?")
DINNER = attrs.evolve(LUNCH, body="dinner?")
COPY = Message("ada", "bob", NOW_MS, "#team/m-1", "party!", group="#team")
PARTY = Message("ada", "#team", NOW_MS, "m-1", "party!", members=("bob", "ada", "eve", "bob"))

only_with_intents = pytest.mark.parametrize("variant", WITH_INTENTS, ids=lambda variant: variant.name)


# ---- random writes and questions beside plain lists


sendable = st.builds(
    Message,
    st.sampled_from(USERS),
    st.sampled_from(USERS),
    st.sampled_from([NOW_MS, NOW_MS + 1]),
    st.sampled_from(["m", "m-1", "\0"]),
    st.sampled_from(["", "hello"]),
)
sendable |= st.builds(
    lambda message, members: attrs.evolve(message, receiver=GROUP, members=members),
    sendable,
    st.lists(st.sampled_from(USERS), min_size=1, max_size=3),
)
changes = st.tuples(st.sampled_from(["mark_read", "delete_from_inbox", "delete_from_outbox"]), st.integers(0, 99))
writes = st.lists(sendable | changes, max_size=14)


@settings(max_examples=examples(10), deadline=None)
@given(writes=writes, limit=st.integers(1, 4), who=st.tuples(st.sampled_from(USERS), st.sampled_from(USERS)))
@pytest.mark.parametrize("variant", DESIGN.variants, ids=lambda variant: variant.name)
def test_every_answer_is_that_of_plain_lists(engine, variant, writes, limit, who):
    with engine.shared_store(*variant.tables) as connection:
        messages, plain = variant.open(connection), PlainList()
        for write in writes:
            apply(write, messages, plain)
        check_answers(variant, messages, plain, who, limit)


def apply(write, messages, plain):
    """Runs a write on both; of a change, the number chooses one of the messages that the side has."""
    if isinstance(write, Message):
        first = next((message for message in plain.sent.values() if key_of(message) == key_of(write)), None)
        if first is None and key_of(write) in plain.ever:
            return
        again = write if first is None else attrs.evolve(first, is_read=False)  # the same message again
        messages.send(again)
        plain.send(again)
        return
    name, number = write
    box = plain.sent if name == "delete_from_outbox" else plain.received
    if box:
        message = [*box.values()][number % len(box)]
        getattr(messages, name)(message)
        getattr(plain, name)(message)


def check_answers(variant, messages, plain, who, limit):
    for user in (*who, GROUP):
        for question in ("inbox", "outbox", "unread"):
            if (question, user) == ("unread", GROUP):  # a group reads nothing
                continue
            wanted = getattr(plain, question)(user)
            ask = getattr(messages, question)
            assert [*chain(*pages(ask(user), limit))] == list(ask(user)) == wanted
            assert [*chain(*pages(ask(user, newest_first=False), limit))] == wanted[::-1]
            since = [message for message in wanted if message.sent_ms > NOW_MS]
            assert list(ask(user, since_ms=NOW_MS + 1)) == since
            assert list(ask(user, until_ms=NOW_MS + 1)) == wanted[len(since) :]
    talk = plain.conversation(*who, of_inboxes=variant not in WITH_INTENTS)
    assert list(messages.conversation(*who)) == [*chain(*pages(messages.conversation(*who), limit))] == talk
    assert list(messages.conversation(*who, newest_first=False)) == talk[::-1]


# ---- sending


SENT, GROUP_SENT = [("send", LUNCH)], [("send", PARTY)]
DELETED = [*SENT, ("delete_from_inbox", LUNCH), ("delete_from_outbox", LUNCH)]
OTHER = "message 'm-1' of 'ada' is stored with"
OTHER_BODY = "message 'm-1' of 'ada' had another body, and both sides deleted it"
UNKNOWN = "'bob' has no message 'm-1' of 'ada'"


def call(messages, steps):
    for name, message in steps:
        getattr(messages, name)(message)


def check_refused(messages, before, write, reason):
    call(messages, before)
    shown = list(messages.inbox("bob")), list(messages.outbox("ada"))
    with pytest.raises(ValueError, match=r"^Message\.") as refused:
        call(messages, [write])
    assert reason in str(refused.value)
    assert (list(messages.inbox("bob")), list(messages.outbox("ada"))) == shown


@only_with_intents
@pytest.mark.parametrize(
    ("before", "write", "reason"),
    [
        (SENT, ("send", DINNER), f"Message.body: {OTHER} 'lunch?' (got 'dinner?')"),
        (SENT, ("send", attrs.evolve(LUNCH, is_read=True)), f"{OTHER} False (got True); use mark_read"),
        (GROUP_SENT, ("send", attrs.evolve(PARTY, members=("bob",))), "Message.members: "),
        (DELETED, ("send", DINNER), OTHER_BODY),
        ([], ("mark_read", LUNCH), UNKNOWN),
        ([], ("delete_from_inbox", LUNCH), UNKNOWN),
        ([], ("delete_from_outbox", LUNCH), UNKNOWN),
    ],
)
def test_a_write_of_another_or_of_an_unknown_message_is_refused_and_changes_nothing(messages, before, write, reason):
    check_refused(messages, before, write, reason)


@pytest.mark.parametrize(
    ("before", "write", "reason"),
    [
        (DELETED[:2], ("mark_read", LUNCH), UNKNOWN),
        (GROUP_SENT, ("send", COPY), "only a group message makes copies"),
        ([], ("send_to_group", LUNCH), "Message.members: a group message needs some; use send (got ())"),
    ],
)
def test_every_variant_refuses_a_write_that_no_message_allows(messages, before, write, reason):
    check_refused(messages, before, write, reason)


@only_with_intents
def test_a_message_that_neither_side_has_keeps_no_body(messages):
    messages.send(LUNCH)
    for delete, body in ((messages.delete_from_inbox, "lunch?"), (messages.delete_from_outbox, "")):
        delete(LUNCH)
        assert messages.writer.reader.read(messages.writer.source.row(LUNCH)).record.body == body
    messages.delete_from_inbox(LUNCH)  # once more, without the body


@only_with_intents
def test_a_body_that_a_release_without_digests_removed_is_not_compared(messages):
    call(messages, DELETED)
    messages.writer.write(LUNCH, lambda stored: attrs.evolve(stored, removed_body=None))
    messages.delete_from_outbox(LUNCH)
    messages.send(LUNCH)
    messages.send(DINNER)
    assert list(messages.inbox("bob")) == list(messages.outbox("ada")) == []


@pytest.mark.parametrize(
    "message",
    [
        attrs.evolve(LUNCH, receiver="\ud800"),
        attrs.evolve(PARTY, members=("bob", "b" * 32_767)),
    ],
    ids=["receiver", "long member"],
)
def test_a_message_whose_key_cannot_be_encoded_stores_nothing(messages, message):
    with pytest.raises((InvalidKey, InvalidRecord)):
        messages.send(message)
    assert list(messages.outbox("ada")) == list(messages.inbox("bob")) == []


# ---- groups


def test_a_group_message_reaches_members_beyond_one_step(connection, variant, monkeypatch):
    monkeypatch.setattr("domains.messages.delivering.MEMBERS_AT_ONCE", 3)
    monkeypatch.setattr("domains.messages.shown.variants.copies.MEMBERS_AT_ONCE", 3)
    messages = variant.open(connection)
    party = attrs.evolve(PARTY, members=tuple(f"m-{number}" for number in range(10)))
    messages.send(party)
    assert [messages.inbox(member).count() for member in party.members] == [1] * 10
    if variant in WITH_INTENTS:
        assert list(messages.upkeep.verify()) == []


# ---- records


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"message_id": "#1"}, "Message.message_id: must not start with # (got '#1')"),
        ({"group": "#team"}, "Message.message_id: must start with '#team/' (got 'm-1')"),
        ({"members": ("bob",)}, "Message.receiver: must start with #, without any /, because it has members"),
        ({"receiver": "#a/b", "members": ("bob",)}, "Message.receiver: must start with #, without any /"),
        ({"receiver": "#a", "members": ("#b",)}, "Message.members: must be names of users, not of groups (got '#b')"),
        ({"members": {"ada"}}, "Message.members: must be a list or tuple of names (got {'ada'})"),
        ({"members": [["ada"]]}, "Message.members: must be names of users (got [['ada']])"),
        ({"is_read": 1}, "Message.is_read: must be True or False (got 1)"),
        ({"receiver": "#a", "members": map(str, range(10_001))}, "Message.members: must be at most 10000 (got 10001)"),
    ],
)
def test_a_message_that_nobody_can_send_is_refused(change, reason):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        attrs.evolve(LUNCH, **change)
    assert str(refused.value).startswith(reason)
