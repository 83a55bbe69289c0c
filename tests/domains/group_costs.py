"""What one message to a group costs, in `messages`, in its variant `copies` and in `feeds`, on an empty embedded store.

Ten earlier messages fill the page; the first of them also compares the clocks, which needs two more RPCs.
"""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import attrs

from domains import feeds, messages
from domains.feeds.shown.measured import put_followers
from domains.messages.shown.variants import copies
from shared.designs import metered
from shared.stores import connect
from shared.tables import create_tables

AT_MS = 1_768_219_200_000
PAGE = 10


@attrs.frozen
class GroupCost:
    """The RPCs of one send, the rows that it leaves, and the RPCs of the page that a member then reads."""

    sending: int
    rows: int
    reading: int


def cost_of_copies(members: int, tables: Any = messages.TABLES, of: Any = messages.MessageRepository) -> GroupCost:
    """A message to a group whose members get copies; with no members, they all read the group's own inbox."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, tables)
        repository = of(connection)
        names = tuple(f"u-{number}" for number in range(members))
        for number in range(PAGE):
            earlier = messages.Message("bob", "#team", AT_MS - number, f"m-{number}", "hello", members=names[:1])
            repository.send(earlier)
        party = messages.Message("ada", "#team", AT_MS + 1, f"m-{PAGE}", "party!", members=names)
        newest = (repository.inbox(names[0] if names else "#team"), "body")
        return _measured(connection, tables, lambda: repository.send(party), *newest)


def cost_in_variant_copies(members: int) -> GroupCost:
    """The same in `messages:copies`."""
    return cost_of_copies(members, copies.TABLES, copies.Repository)


def cost_in_feeds(readers: int, pull_above: int) -> GroupCost:
    """A post of a group that is an author of `feeds`, and the page of a reader who follows only this group."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, feeds.TABLES)
        repository = feeds.FeedRepository(connection, pull_above=pull_above)
        put_followers(connection, "team", readers)  # as `follow` leaves them, in few calls
        for number in range(PAGE):
            repository.post(feeds.Post("team", AT_MS - number, number, "bob: hello"))
        party = feeds.Post("team", AT_MS + 1, PAGE, "party!")
        return _measured(connection, feeds.TABLES, lambda: repository.post(party), repository.timeline("r-0"), "text")


def _measured(connection: Any, tables: Any, send: Callable[[], Any], question: Any, text: str) -> GroupCost:
    before = _rows_of(connection, tables)
    with metered(connection) as sent:
        send()
    rows = _rows_of(connection, tables) - before
    with metered(connection) as read:
        page = question.page(PAGE)
    assert getattr(page.records[0], text) == "party!"
    return GroupCost(sent.rpcs, rows, read.rpcs)


def _rows_of(connection: Any, tables: Any) -> int:
    return sum(1 for table in tables for _row in connection.table(table.name).scan())
