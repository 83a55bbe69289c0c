"""The story of the design: store changes, ask for a record then and now, feed a copy, and survive a dead feeder.

Run it: python -m domains.changes.example
"""

from contextlib import suppress
from typing import Any

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import Change, State
from .repository import ChangeRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    changes = ChangeRepository(connection)

    at_ms = parse_time("2020-02-06T08:08:37")
    ann = Change("shop", 101, "users", "30", "INSERT", at_ms, "t-1", {"UNAME": "AAA1", "AGE": "21"})
    older = Change("shop", 102, "users", "30", "UPDATE", at_ms, "t-1", {"AGE": "22"})  # the same millisecond
    renamed = Change("shop", 105, "users", "30", "UPDATE", at_ms + 60_000, "t-2", {"UNAME": "AAA3"})
    bob = Change("shop", 106, "users", "31", "INSERT", at_ms + 60_000, "t-2", {"UNAME": "BBB1", "AGE": None})
    print(changes.store_all([ann, older]), "changes of one transaction stored")
    print(changes.store_all([renamed, bob]), "of the next one")
    changes.store(bob)  # a retry: the same change again changes nothing

    print("the history of user 30, newest first:")
    history = list(changes.history("shop", "users", "30"))
    print(*history, sep="\n")
    assert history == [renamed, older, ann]
    now, then = changes.state("shop", "users", "30"), changes.state("shop", "users", "30", as_of_ms=at_ms)
    print("now:", now, "and a minute before:", then)
    assert now == State("shop", "users", "30", 105, at_ms + 60_000, {"UNAME": "AAA3", "AGE": "22"})
    assert then == State("shop", "users", "30", 102, at_ms, {"UNAME": "AAA1", "AGE": "22"})
    assert list(changes.since("shop", after=102)) == [renamed, bob]

    with suppress(PowerCut):
        dying: Any = ChangeRepository(connection)
        dying.copies.apply = _cut_the_power
        dying.copies.feed("shop", "users")
    print("a feeder died; recovery continues:", changes.upkeep.recover())
    deleted = Change("shop", 107, "users", "31", "DELETE", at_ms + 90_000, "t-3", {"UNAME": "BBB1", "AGE": None})
    changes.store(deleted)
    print(changes.copies.feed("shop", "users"), "change applied to the copy:", *changes.copies.records("shop", "users"))
    assert list(changes.copies.records("shop", "users")) == changes.states("shop", "users") == [now]
    assert list(changes.upkeep.verify()) == []


class PowerCut(Exception):
    """The feeder is dead."""


def _cut_the_power(*_arguments: object) -> None:
    raise PowerCut


if __name__ == "__main__":
    main()
