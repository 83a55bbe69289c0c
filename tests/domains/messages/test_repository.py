"""Questions and writes of every variant, beside plain lists."""

from itertools import islice

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.messages import Message, MessageConflict, UnknownMessage
from domains.messages.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidKey
from shared.tables import InvalidRecord
from tests.domains.messages.plain_list import GROUP, USERS, PlainList, key_of
from tests.engines import EMBEDDED, examples

NOW_MS = 1_700_000_000_000
WITH_INTENTS = DESIGN.variants[:2]
LUNCH = Message("ada", "bob", NOW_MS, "m-1", "lunch?")
PARTY = Message("ada", "#team", NOW_MS, "m-1", "party!", members=("bob", "ada", "eve", "bob"))

only_with_intents = pytest.mark.parametrize("variant", WITH_INTENTS, ids=lambda variant: variant.name)


def pages(query, limit):
    """All records, in pages of `limit`."""
    records, cursor = [], None
    while True:
        page = query.page(limit, cursor)
        assert len(page.records) <= limit
        records += page.records
        cursor = page.cursor
        if cursor is None:
            return records


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


@settings(max_examples=examples(25), deadline=None)
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
            assert pages(ask(user), limit) == list(ask(user)) == wanted
            assert pages(ask(user, newest_first=False), limit) == wanted[::-1]
            since = [message for message in wanted if message.sent_ms > NOW_MS]
            assert list(ask(user, since_ms=NOW_MS + 1)) == since
            assert list(ask(user, until_ms=NOW_MS + 1)) == wanted[len(since) :]
    talk = plain.conversation(*who, of_inboxes=variant not in WITH_INTENTS)
    assert list(messages.conversation(*who)) == pages(messages.conversation(*who), limit) == talk
    assert list(messages.conversation(*who, newest_first=False)) == talk[::-1]


def test_every_user_of_the_samples_reads_what_plain_lists_have(engine, messages):
    plain = PlainList()
    for message in islice(DESIGN.loads[0].sample_records(), None if engine.name == EMBEDDED else 60):
        messages.send(message)
        plain.send(message)
    users = {message.sender for message in plain.sent.values()}
    for user in users:
        assert list(messages.inbox(user)) == plain.inbox(user)
        assert list(messages.outbox(user)) == plain.outbox(user)
        assert list(messages.unread(user)) == plain.unread(user)
        assert list(messages.conversation("u-17", user)) == plain.conversation("u-17", user)


# ---- sending


def test_two_messages_of_one_pair_in_one_millisecond_are_two(messages):
    second = attrs.evolve(LUNCH, message_id="m-2")
    messages.send(LUNCH)
    messages.send(second)
    assert list(messages.inbox("bob")) == list(messages.outbox("ada")) == [LUNCH, second]


@only_with_intents
@pytest.mark.parametrize("change", [{"body": "dinner?"}, {"is_read": True}], ids=str)
def test_another_message_under_the_same_key_is_refused(messages, change):
    messages.send(LUNCH)
    with pytest.raises(MessageConflict, match="message 'm-1' of 'ada' is stored with"):
        messages.send(attrs.evolve(LUNCH, **change))
    assert list(messages.inbox("bob")) == [LUNCH]


@only_with_intents
def test_other_members_of_a_group_message_are_refused(messages):
    messages.send(PARTY)
    with pytest.raises(MessageConflict, match=r"Message\.members"):
        messages.send(attrs.evolve(PARTY, members=("bob",)))


def test_the_same_message_again_after_both_sides_deleted_it_brings_nothing_back(messages):
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    messages.delete_from_outbox(LUNCH)
    messages.send(LUNCH)
    assert list(messages.inbox("bob")) == list(messages.outbox("ada")) == list(messages.unread("bob")) == []
    assert list(messages.conversation("ada", "bob")) == []


@only_with_intents
def test_a_message_that_neither_side_has_keeps_no_body(messages):
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    (stored,) = messages.writer.reader.read_all([messages.writer.source.row(LUNCH)]).values()
    assert stored.record.body == "lunch?"
    messages.delete_from_outbox(LUNCH)
    (stored,) = messages.writer.reader.read_all([messages.writer.source.row(LUNCH)]).values()
    assert stored.record.body == ""


def deleted_by_both(messages):
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    messages.delete_from_outbox(LUNCH)


@only_with_intents
def test_another_body_under_the_key_of_a_message_that_both_sides_deleted_is_refused(messages):
    deleted_by_both(messages)
    with pytest.raises(MessageConflict, match="message 'm-1' of 'ada' had another body, and both sides deleted it"):
        messages.send(attrs.evolve(LUNCH, body="dinner?"))
    messages.delete_from_inbox(LUNCH)  # once more, without the body
    messages.send(LUNCH)
    assert list(messages.inbox("bob")) == list(messages.outbox("ada")) == []


@only_with_intents
def test_a_body_that_a_release_without_digests_removed_is_not_compared(messages):
    deleted_by_both(messages)
    messages.writer.write(LUNCH, lambda stored: attrs.evolve(stored, removed_body=None))
    messages.delete_from_outbox(LUNCH)
    messages.send(LUNCH)
    messages.send(attrs.evolve(LUNCH, body="dinner?"))
    assert list(messages.inbox("bob")) == list(messages.outbox("ada")) == []


@pytest.mark.parametrize(
    "message",
    [
        attrs.evolve(LUNCH, receiver="\ud800"),
        attrs.evolve(LUNCH, message_id="m" * 32_767),
        attrs.evolve(PARTY, members=("bob", "\ud800")),
        attrs.evolve(PARTY, members=("bob", "b" * 32_767)),
    ],
    ids=["receiver", "id", "member", "long member"],
)
def test_a_message_whose_key_cannot_be_encoded_stores_nothing(messages, message):
    with pytest.raises((InvalidKey, InvalidRecord)):
        messages.send(message)
    assert list(messages.outbox("ada")) == list(messages.inbox("bob")) == []


# ---- for one side


@only_with_intents
def test_deleting_for_one_side_leaves_the_other(messages):
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    assert (list(messages.inbox("bob")), list(messages.unread("bob"))) == ([], [])
    assert list(messages.outbox("ada")) == list(messages.conversation("ada", "bob")) == [LUNCH]
    assert list(messages.conversation("bob", "ada")) == []
    messages.delete_from_outbox(LUNCH)
    assert list(messages.conversation("ada", "bob")) == []


@only_with_intents
@pytest.mark.parametrize("write", ["mark_read", "delete_from_inbox", "delete_from_outbox"])
def test_a_message_that_was_never_sent_is_unknown(messages, write):
    with pytest.raises(UnknownMessage, match="'bob' has no message 'm-1' of 'ada'"):
        getattr(messages, write)(LUNCH)


def test_a_message_that_its_receiver_deleted_cannot_be_marked_as_read(messages):
    messages.send(LUNCH)
    messages.delete_from_inbox(LUNCH)
    with pytest.raises(UnknownMessage):
        messages.mark_read(LUNCH)
    assert list(messages.outbox("ada")) == [LUNCH]


def test_the_sender_sees_that_a_message_was_read(messages):
    messages.send(LUNCH)
    messages.mark_read(LUNCH)
    messages.mark_read(LUNCH)
    assert list(messages.outbox("ada")) == list(messages.inbox("bob")) == [attrs.evolve(LUNCH, is_read=True)]
    assert list(messages.unread("bob")) == []


def test_notes_to_oneself_are_a_conversation_with_oneself(messages):
    note = attrs.evolve(LUNCH, receiver="ada", message_id="m-2")
    messages.send(LUNCH)
    messages.send(note)
    assert list(messages.conversation("ada", "ada")) == [note]
    assert list(messages.conversation("ada", "bob")) == [LUNCH]


# ---- groups


def test_each_member_but_the_sender_gets_one_copy(messages):
    messages.send_to_group(PARTY)
    assert PARTY.members == ("bob", "ada", "eve")
    for member in ("bob", "eve"):
        copy = Message("ada", member, NOW_MS, "#team/m-1", "party!", group="#team")
        assert list(messages.inbox(member)) == list(messages.unread(member)) == [copy]
        assert list(messages.outbox(member)) == []
    assert list(messages.inbox("ada")) == []
    assert list(messages.inbox("#team")) == list(messages.outbox("ada")) == [PARTY]


def test_a_copy_and_a_direct_message_of_one_id_are_two(messages):
    messages.send(LUNCH)
    messages.send(PARTY)
    messages.send(attrs.evolve(PARTY, receiver="#all"))
    assert messages.inbox("bob").count() == 3
    assert list(messages.conversation("ada", "bob")) == [LUNCH]


def test_copies_outlive_the_deletes_of_sender_group_and_other_members(messages):
    messages.send(PARTY)
    messages.delete_from_outbox(PARTY)
    messages.delete_from_inbox(PARTY)
    messages.delete_from_inbox(messages.inbox("eve").first())
    assert [message.body for message in messages.inbox("bob")] == ["party!"]
    assert list(messages.inbox("eve")) == list(messages.inbox("#team")) == []


def test_a_group_message_reaches_members_beyond_one_step(connection, variant, monkeypatch):
    monkeypatch.setattr("domains.messages.delivering.MEMBERS_AT_ONCE", 3)
    monkeypatch.setattr("domains.messages.variants.copies.MEMBERS_AT_ONCE", 3)
    messages = variant.open(connection)
    party = attrs.evolve(PARTY, members=tuple(f"m-{number}" for number in range(10)))
    messages.send(party)
    assert [messages.inbox(member).count() for member in party.members] == [1] * 10
    if variant in WITH_INTENTS:
        assert list(messages.upkeep.verify()) == []


def rpcs_of_group(connection, variant, count):
    """The calls of a message to a group of so many members; a message before has compared the clocks."""
    messages = variant.open(connection)
    messages.send(LUNCH)
    party = attrs.evolve(PARTY, receiver=f"#{count}", members=tuple(f"m-{number}" for number in range(count)))
    with metered(connection) as cost:
        messages.send(party)
    return cost.rpcs


@pytest.mark.parametrize("variant", [DESIGN.main, DESIGN.variants[2]], ids=lambda variant: variant.name)
def test_a_group_message_needs_the_calls_that_the_readme_says(connection, variant):
    calls = [rpcs_of_group(connection, variant, count) for count in (10, 100)]
    assert calls == ([26, 116] if variant in WITH_INTENTS else [2, 2])


def test_a_copy_cannot_be_sent(messages):
    messages.send(PARTY)
    with pytest.raises(MessageConflict, match="only a group message makes copies"):
        messages.send(messages.inbox("bob").first())


def test_a_message_without_members_is_not_a_group_message(messages):
    with pytest.raises(ValueError, match=r"Message\.members"):
        messages.send_to_group(LUNCH)


# ---- records


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sender": ""}, "Message.sender: must be text, not empty (got '')"),
        ({"sent_ms": -1}, "Message.sent_ms: must be 0..253402300799999 (got -1)"),
        ({"message_id": "#1"}, "Message.message_id: must not start with # (got '#1')"),
        ({"group": "#team"}, "Message.message_id: must start with '#team/' (got 'm-1')"),
        ({"members": ("bob",)}, "Message.receiver: must start with #, without any /, because it has members"),
        ({"receiver": "#a/b", "members": ("bob",)}, "Message.receiver: must start with #, without any /"),
        ({"receiver": "#a", "members": ("#b",)}, "Message.members: must be names of users, not of groups (got '#b')"),
        ({"members": "ada"}, "Message.members: must be a list or tuple of names (got 'ada')"),
        ({"members": b"ada"}, "Message.members: must be a list or tuple of names (got b'ada')"),
        ({"members": {"ada": 1}}, "Message.members: must be a list or tuple of names (got {'ada': 1})"),
        ({"members": {"ada"}}, "Message.members: must be a list or tuple of names (got {'ada'})"),
        ({"members": frozenset()}, "Message.members: must be a list or tuple of names (got frozenset())"),
        ({"members": None}, "Message.members: must be a list or tuple of names (got None)"),
        ({"members": [["ada"]]}, "Message.members: must be names of users (got [['ada']])"),
        ({"is_read": 1}, "Message.is_read: must be True or False (got 1)"),
        ({"receiver": "#a", "members": range(3)}, "Message.members: must be names of users, not of groups (got 0)"),
        (
            {"receiver": "#a", "members": map(str, range(10_001))},
            "Message.members: must be at most 10000 (got 10001)",
        ),
    ],
)
def test_a_message_that_nobody_can_send_is_refused(change, reason):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        attrs.evolve(LUNCH, **change)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize("name", ["sender", "receiver", "message_id", "group", "members"])
def test_an_error_shows_the_start_of_a_long_text(name):
    long = "#" * 10**6
    with pytest.raises(ValueError, match=r"^Message\.") as refused:
        attrs.evolve(LUNCH, **{"members": (long,), name: (long,) if name == "members" else long})
    assert len(str(refused.value)) < 400
