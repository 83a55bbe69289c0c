"""A delivery to a group that is stopped at any call, and a member who deletes the copy meanwhile."""

from contextlib import suppress

from domains.messages.design import DESIGN
from shared.testing import WatchedConnection, WriterDied, dying_at

from .stopped_writes import COPY, MEMBERS, PARTY


def test_what_a_member_deleted_comes_back_neither_by_recovery_nor_by_the_same_message_again(engine):
    """The sender dies at each call; then one member deletes the copy, if it is there; then all is completed."""
    deaths = deleted = 0
    while True:
        with engine.store(*DESIGN.main.tables) as connection:
            watched = WatchedConnection(connection, dying_at(deaths))
            with suppress(WriterDied):
                DESIGN.main.open(watched).send_to_group(PARTY)
            messages = DESIGN.main.open(connection)
            had_copy = messages.inbox("bob").first() is not None
            if had_copy:
                messages.delete_from_inbox(messages.inbox("bob").first())
                deleted += 1
            assert messages.upkeep.recover(older_than_ms=0).failed == ()
            messages.send_to_group(PARTY)
            assert messages.upkeep.recover(older_than_ms=0).failed == ()
            bodies = {member: [message.body for message in messages.inbox(member)] for member in MEMBERS}
            assert bodies == {"bob": [] if had_copy else ["party!"], "eve": ["party!"]}
            assert list(messages.inbox("eve")) == list(messages.unread("eve")) == [COPY]
            assert list(messages.upkeep.verify()) == []
        if not watched.is_stopped:
            break
        deaths += 1
    assert (deaths, deleted) == (13, 6)
