"""Three ways to a record as it is now: its history, whole rows, a copy; by how often the record has changed."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import attrs

from shared.designs import Cost, Design, metered, scratch_store
from shared.exhibit import Crossing, Panel, Series, lower_where

from ..keys import TABLES
from ..records import Change, State
from ..repository import ChangeRepository
from .variants import whole_rows

CHANGES = (1, 2, 4, 8, 16, 32, 64, 128)
COLUMNS = 8
RECORD = "shop", "users", "30"


@attrs.frozen
class Way:
    """What one way costs for a record with some number of changes."""

    store: Cost
    """All changes, with the feed of the copy if there is one."""
    now: Cost
    """The record as it is now."""


def _changes(count: int) -> Iterator[Change]:
    """An INSERT of all columns, then updates of one column each."""
    source, table, key = RECORD
    for number in range(count):
        columns = range(COLUMNS) if number == 0 else [number % COLUMNS]
        values = {f"column_{column}": f"{number:08}" for column in columns}
        yield Change(source, number + 1, table, key, "UPDATE" if number else "INSERT", number, f"t-{number}", values)


def _way(repository_of: Callable[[Any], Any], tables: Any, changes: list[Change], *, copies: bool = False) -> Way:
    with closing(scratch_store(tables)) as connection:
        repository = repository_of(connection)
        with metered(connection) as store:
            for change in changes:
                repository.store(change)
                if copies:
                    repository.copies.feed(change.source, change.table)
        with metered(connection) as now:
            state: State | None = (repository.copies.record if copies else repository.state)(*RECORD)
        assert state is not None
        assert len(state.values) == COLUMNS
    return Way(store, now)


def history_against_whole_rows(_design: Design) -> Crossing:
    """The bytes that a client fetches for a record, and those that it moves to store one change."""
    ways: dict[str, list[Way]] = {"history": [], "whole-rows": [], "copy": []}
    for count in CHANGES:
        changes = [*_changes(count)]
        ways["history"].append(_way(ChangeRepository, TABLES, changes))
        ways["whole-rows"].append(_way(whole_rows.Repository, whole_rows.TABLES, changes))
        ways["copy"].append(_way(ChangeRepository, TABLES, changes, copies=True))
    now = [Series(name, [way.now.bytes_fetched for way in of_name]) for name, of_name in ways.items()]
    store = [
        Series(name, [_moved(way.store) / count for way, count in zip(of_name, CHANGES, strict=True)])
        for name, of_name in ways.items()
    ]
    where = lower_where(CHANGES, "changes", *now[:2])
    last = CHANGES[-1]
    read = {name: of_name[-1].now.bytes_fetched for name, of_name in ways.items()}
    moved = {name: _moved(of_name[-1].store) / last for name, of_name in ways.items()}
    return Crossing(
        "A record from its history, from whole rows, from a copy",
        f"For a record now, fewer bytes: {where}",
        CHANGES,
        (
            Panel("bytes fetched for the record now", "changes since the INSERT", now),
            Panel("bytes moved to store one change", "changes since the INSERT", store),
        ),
        f"A record of {COLUMNS} columns, of which each UPDATE changes one. For the record now, fewer bytes: {where}. "
        f"After {last} changes, the client fetches {read['history']:,} bytes of the history, {read['whole-rows']:,} of "
        f"a whole row, {read['copy']:,} of a copy. To store one change, it sends and fetches {moved['history']:.0f} "
        f"bytes, {moved['whole-rows']:.0f} with a whole row, {moved['copy']:.0f} with a copy that is fed after each "
        "change.",
    )


def _moved(cost: Cost) -> int:
    """The bytes that are sent and fetched."""
    return cost.bytes_fetched + sum(cost.bytes_sent.values())
