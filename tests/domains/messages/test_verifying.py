"""Damaged rows stop no others; lost copies are found and come back."""

import attrs
import pytest

from domains.messages import Message, delivering
from domains.messages.keys import UNFINISHED, UNREAD
from domains.messages.shown.design import DESIGN
from shared.testing import WatchedConnection, WriterDied, dying_before

NOW_MS = 1_700_000_000_000
LUNCH = Message("ada", "bob", NOW_MS, "m-1", "lunch?")
TEA = attrs.evolve(LUNCH, message_id="m-2", body="tea?")
PARTY = Message("ada", "#team", NOW_MS, "m-3", "party!", members=("bob", "ada", "eve", "cyd"))

VARIANTS = DESIGN.variants[:2]


def rows_of(messages, table):
    return messages.writer.rows(table.name)


def damage(messages, message):
    """The cell of a message is no longer one that can be read."""
    rows_of(messages, messages.writer.source).put(
        messages.writer.source.row(message), {messages.writer.cells.columns[0]: b"?"}
    )


def die_before_the_copies(connection, variant):
    """A sender that dies once the lines of the copies are there, and the group message."""
    decisions = []

    def is_of_a_copy(call):
        decisions.extend([call] if call.name == "checkAndPut" else [])
        return len(decisions) == 2

    with pytest.raises(WriterDied):
        variant.open(WatchedConnection(connection, dying_before(is_of_a_copy))).send(PARTY)


# ---- damaged rows


def test_a_damaged_group_message_is_named_by_the_inbox_of_its_members(messages):
    messages.send(PARTY)
    messages.send(LUNCH)
    damage(messages, PARTY)
    reported = []
    assert list(messages.inbox("bob").on_invalid(reported.append)) == [LUNCH]
    assert {invalid.row for invalid in reported} == {messages.writer.source.row(PARTY)}
    assert {finding.kind for finding in messages.upkeep.verify()} == {"undecodable"}


def test_one_bad_row_of_unfinished_messages_stops_neither_recovery_nor_repair(connection, variant, messages):
    die_before_the_copies(connection, variant)
    rows_of(messages, UNFINISHED.layout).put(b"a", {b"m:x": b"\xc3"})
    damage(messages, PARTY)
    assert {finding.kind for finding in messages.upkeep.verify()} >= {"undecodable"}
    failed = messages.upkeep.recover(older_than_ms=0).failed
    assert [reason for reason in failed if reason.startswith("messages_unfinished: row 61: ")]
    assert ("undecodable", b"a") in [(finding.kind, finding.row) for finding, _ in messages.upkeep.repair()]


# ---- copies


def test_the_lines_of_copies_that_are_about_to_be_created_are_no_findings(connection, variant, messages):
    die_before_the_copies(connection, variant)
    assert list(rows_of(messages, UNREAD.layout).scan())
    assert list(messages.upkeep.verify()) == []
    assert messages.upkeep.recover(older_than_ms=0).failed == ()
    assert list(messages.upkeep.verify()) == []


def test_a_lost_copy_is_found_and_comes_back_unread(messages):
    messages.send(PARTY)
    for question in (messages.mark_read, messages.delete_from_inbox):
        question(messages.inbox("eve").first())
    (copy,) = messages.inbox("bob")
    row = messages.writer.source.row(copy)
    assert list(messages.upkeep.verify()) == []
    rows_of(messages, messages.writer.source).delete(row)
    (missing,) = [finding for finding in messages.upkeep.verify() if finding.kind == "missing"]
    assert (missing.row, missing.source_row) == (row, messages.writer.source.row(PARTY))
    assert str(missing).endswith(": the copy of 'bob' is lost")
    assert (missing, True) in list(messages.upkeep.repair())
    assert list(messages.inbox("bob")) == list(messages.unread("bob")) == [copy]
    assert list(messages.inbox("eve")) == list(messages.upkeep.verify()) == []
    verifier = messages.upkeep
    list(verifier.verify())
    assert verifier.counts["copy"] == 3


def test_a_copy_that_repair_could_not_create_is_not_mended(messages, monkeypatch):
    messages.send(PARTY)
    rows_of(messages, messages.writer.source).delete(messages.writer.source.row(messages.inbox("bob").first()))
    monkeypatch.setattr(delivering, "claim", lambda _writer, copies: 0)
    outcomes = list(messages.upkeep.repair())
    assert [is_mended for finding, is_mended in outcomes if finding.reason.endswith("is lost")] == [False]
