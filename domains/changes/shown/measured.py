"""What the pages of `changes` measure for themselves."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import attrs

from shared.designs import Cost, Design, load_samples, metered, scratch_store
from shared.exhibit import Crossing, Series, below, markdown_table

from ..keys import TABLES
from ..records import Change, State
from ..repository import ChangeRepository
from .variants import whole_rows

if TYPE_CHECKING:
    import happybase

# ---- three ways to a record as it is now: its history, whole rows, a copy; by how often the record has changed


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


def crossing(_design: Design) -> Crossing:
    """The bytes that a client fetches for a record, and those that it moves to store one change."""
    ways: dict[str, list[Way]] = {"history": [], "whole-rows": [], "copy": []}
    for count in CHANGES:
        changes = [*_changes(count)]
        ways["history"].append(_way(ChangeRepository, TABLES, changes))
        ways["whole-rows"].append(_way(whole_rows.Repository, whole_rows.TABLES, changes))
        ways["copy"].append(_way(ChangeRepository, TABLES, changes, copies=True))
    history, whole = (Series(name, [way.now.bytes_fetched for way in ways[name]]) for name in ("history", "whole-rows"))
    less = next(count for count, of, other in zip(CHANGES, history.values, whole.values, strict=True) if other < of)
    last = CHANGES[-1]
    moved = {name: _moved(of_name[-1].store) / last for name, of_name in ways.items()}
    return Crossing(
        f"From {less} changes on, whole rows are cheaper to read",
        "bytes fetched for the record now",
        "changes since the INSERT",
        CHANGES,
        (history, whole),
        f"After {last} changes, reading a copy takes {ways['copy'][-1].now.bytes_fetched:,} bytes. Storing a change "
        f"moves {moved['history']:.0f} bytes with the history, {moved['whole-rows']:.0f} with whole rows, and "
        f"{moved['copy']:.0f} with a copy fed after each change.",
    )


def _moved(cost: Cost) -> int:
    """The bytes that are sent and fetched."""
    return cost.bytes_fetched + sum(cost.bytes_sent.values())


# ---- a block of the page of `changes` only: records from the history beside records from a copy, and what a feed costs


TABLE = "shop", "users"
KEY = "30"


def own_blocks(design: Design) -> dict[str, str]:
    """What a record and a table cost from either, and what the feed of the copy costs."""
    with closing(scratch_store(design.main.tables)) as connection:
        changes = load_samples(connection, design, design.main)
        with metered(connection) as fed:
            applied = changes.copies.feed(*TABLE)
        rows = [
            _row(
                connection,
                "one record",
                lambda: [changes.state(*TABLE, KEY)],
                lambda: [changes.copies.record(*TABLE, KEY)],
            ),
            _row(connection, "all records", lambda: changes.states(*TABLE), lambda: [*changes.copies.records(*TABLE)]),
        ]
    caption = (
        f"The records of `{'.'.join(TABLE)}` now. The feed of the copy took {fed.rpcs:,} RPCs for {applied:,} changes: "
        "one put for each change, because Thrift1 dates all cells of a call alike."
    )
    columns = ("question", "rows, history", "bytes, history", "rows, copy", "bytes, copy")
    return {"copy": below(caption, markdown_table(columns, rows))}


def _row(connection: "happybase.Connection", what: str, *ways: Callable[[], list[Any]]) -> tuple[str, ...]:
    """The rows and bytes that each way fetches for the same answer."""
    figures: list[str] = []
    answers: list[list[Any]] = []
    for ask in ways:
        with metered(connection) as cost:
            answers.append(ask())
        figures += [f"{cost.rows_fetched:,}", f"{cost.bytes_fetched:,}"]
    assert all(answer == answers[0] for answer in answers)
    return what, *figures
