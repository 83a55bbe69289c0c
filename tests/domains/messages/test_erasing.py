"""Erasing a user: which rows go at once, what `recover` removes or completes later, and what stays for others."""

import time
from contextlib import suppress
from itertools import count

import attrs
import pytest

from domains.messages import TABLES, Message, MessageRepository, StoredMessage
from domains.messages.design import DESIGN
from domains.messages.erasing import after_erase
from domains.messages.keys import INBOX
from shared.keys import InvalidQuestion
from shared.testing import WatchedConnection, WriterDied, dying_at, dying_before
from shared.writes import WriterClock, claim
from shared.writes.intents import FORGET_MS, WINDOW_MS
from tests.engines import EMBEDDED

NOON_MS = 1_768_219_200_000
TO_DAN = Message("ada", "dan", NOON_MS, "1", "hello")
BY_DAN = Message("dan", "ada", NOON_MS + 1, "2", "hi")
TO_BOB = Message("ada", "bob", NOON_MS + 2, "3", "dan says hi")
TO_TEAM = Message("bob", "#team", NOON_MS + 3, "4", "lunch", members=("ada", "dan", "eve"))
DAN_TO_TEAM = Message("dan", "#team", NOON_MS + 4, "5", "where?", members=("ada", "bob"))
ROWS = 8
"""The sources that name dan: two messages, a group message and its two copies, his copy; one he has deleted, a note."""


@pytest.fixture(params=[DESIGN.main, *(v for v in DESIGN.variants if v.name == "by-pair")], ids=lambda v: v.name)
def variant(request):
    return request.param


@pytest.fixture
def passes(monkeypatch, engine):
    """Lets so many milliseconds pass, for all writers and for the store."""
    if engine.name != EMBEDDED:
        pytest.skip("the time of a real server cannot be moved")
    now_ns, passed_ns = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + passed_ns[0])

    def let_pass(milliseconds):
        passed_ns[0] += milliseconds * 1_000_000

    return let_pass


def opened(variant, connection):
    """A repository with a clock of its own, because a test may move the time."""
    return variant.open(connection, clock=WriterClock())


def team(variant, connection):
    """The user dan sends and receives messages, also with a group, has read some, and has deleted one."""
    messages = opened(variant, connection)
    note, old = Message("dan", "dan", NOON_MS, "n", "note"), Message("eve", "dan", NOON_MS - 1, "o", "old")
    for message in (TO_DAN, BY_DAN, TO_BOB, TO_TEAM, DAN_TO_TEAM, note, old):
        messages.send(message)
    messages.mark_read(TO_DAN)
    messages.delete_from_inbox(old)
    messages.delete_from_outbox(old)
    return messages


def rows_that_name(connection, variant, name):
    """How many rows, columns or values of all tables hold a name; bodies do not count."""
    body = TO_BOB.body.encode()
    return sum(
        name.encode() in b"".join((row, *cells, *cells.values())).replace(body, b"")
        for table in {table.name for table in variant.tables}
        for row, cells in connection.table(table).scan()
    )


def check_others(messages):
    """Whatever dan was erased from, the others have what is theirs."""
    bodies = {user: sorted(message.body for message in messages.inbox(user)) for user in ("ada", "bob", "eve", "#team")}
    assert bodies == {"ada": ["lunch"], "bob": ["dan says hi"], "eve": ["lunch"], "#team": ["lunch"]}
    assert [message.members for message in messages.outbox("bob")] == [("ada", "eve")]
    assert list(messages.outbox("ada")) == [TO_BOB]
    assert [finding for finding in messages.upkeep.verify() if not finding.is_harmless] == []


def test_recover_removes_what_an_erasure_has_left_once_it_is_old_enough(connection, variant, passes):
    messages = team(variant, connection)
    assert messages.erase("dan") == ROWS
    check_others(messages)
    for question in (messages.inbox, messages.outbox, messages.unread):
        assert list(question("dan")) == []
    passes(FORGET_MS - 10_000)
    assert (messages.upkeep.recover().failed, messages.upkeep.recover().settled) == ((), 0)
    passes(20_000)
    assert messages.upkeep.recover().settled == 1
    assert rows_that_name(connection, variant, "dan") == 0
    assert messages.erase("dan") == messages.erase("nobody") == 0
    check_others(messages)


def test_erasing_may_die_at_any_call_and_recovery_completes_it(engine, variant, passes):
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            team(variant, connection)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                opened(variant, watched).erase("dan")
            messages = opened(variant, connection)
            messages.upkeep.recover(older_than_ms=0)
            back = Message("dan", "zoe", time.time_ns() // 1_000_000 + 1000, "b", "I am back")
            messages.send(back)
            has_begun = rows_that_name(connection, variant, "dan") > 0 and messages.outbox("dan").count() < 4
            passes(WINDOW_MS)
            messages.upkeep.recover()
            if has_begun:
                assert list(messages.outbox("dan")) == list(messages.inbox("zoe")) == [back]
                check_others(messages)
            assert messages.erase("dan") > 0
            passes(FORGET_MS + 1000)
            assert messages.upkeep.recover().failed == ()
            assert rows_that_name(connection, variant, "dan") == 0
            if not watched.is_stopped:
                break
    assert number > 25


def test_recovery_may_die_at_any_call_and_another_one_ends_the_erasure(engine, variant, passes):
    for number in count():
        with engine.shared_store(*variant.tables) as connection:
            team(variant, connection).erase("dan")
            passes(FORGET_MS + 1000)
            watched = WatchedConnection(connection, dying_at(number))
            with suppress(WriterDied):
                opened(variant, watched).upkeep.recover()
            assert opened(variant, connection).upkeep.recover().failed == ()
            assert rows_that_name(connection, variant, "dan") == 0
            if not watched.is_stopped:
                break
    assert number > 5


def send_to_dan(messages):
    messages.send(Message("eve", "dan", NOON_MS + 9, "9", "are you there?"))


def send_to_the_team(messages):
    messages.send(Message("eve", "#team", NOON_MS + 9, "9", "dinner", members=("ada", "dan", "bob")))


def read(messages):
    for message in messages.unread("dan"):
        messages.mark_read(message)


@pytest.mark.parametrize("rival", [send_to_dan, send_to_the_team, read], ids=lambda rival: rival.__name__)
def test_another_write_may_come_before_any_call_and_a_second_erasure_leaves_nothing(engine, passes, rival):
    variant = DESIGN.main
    for number in count(0, 3):
        with engine.shared_store(*variant.tables) as connection:
            team(variant, connection)
            calls = []

            def meanwhile(at, call, calls=calls, connection=connection, number=number):
                calls.append(call)
                if at == number:
                    with suppress(ValueError):
                        rival(opened(variant, connection))

            opened(variant, WatchedConnection(connection, meanwhile)).erase("dan")
            messages = opened(variant, connection)
            messages.erase("dan")
            assert [finding for finding in messages.upkeep.verify() if not finding.is_harmless] == []
            passes(FORGET_MS + 1000)
            assert messages.upkeep.recover().failed == ()
            assert rows_that_name(connection, variant, "dan") == 0
            if len(calls) <= number:
                break


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


def test_an_erasure_whose_eraser_died_is_found_once_it_is_ten_minutes_old(connection, variant, passes):
    team(variant, connection)
    dying = WatchedConnection(connection, dying_before(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        opened(variant, dying).erase("dan")
    messages = opened(variant, connection)
    messages.writer.recover(older_than_ms=0)
    assert list(messages.upkeep.verify()) == []
    passes(WINDOW_MS)
    (finding,) = messages.upkeep.verify()
    reason = "erase has not ended; if it is not at work, rowbook recover messages ends it"
    assert (finding.kind, finding.table, finding.row, finding.reason) == (
        "unsettled",
        "messages_erasures",
        b"dan",
        reason,
    )
    assert [is_mended for _, is_mended in messages.upkeep.repair()] == []
    assert list(messages.upkeep.verify()) == []
    check_others(messages)


def test_a_message_that_cannot_be_read_counts_as_remaining_and_is_named(connection, variant, passes):
    messages = team(variant, connection)
    inbox = variant.tables[0]
    connection.table(inbox.name).put(inbox.row(TO_DAN), {INBOX.cells.columns[0]: b"?"})
    connection.table(inbox.name).put(b"no key", {INBOX.cells.columns[0]: b"?"})
    assert messages.erase("dan") > 0
    passes(FORGET_MS + 1000)
    (failed,) = {reason.partition(": ")[0] for reason in messages.upkeep.recover().failed}
    assert failed == inbox.name


def test_a_group_is_nobody():
    assert {table.name for table in TABLES} >= {"messages_erasures"}
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
