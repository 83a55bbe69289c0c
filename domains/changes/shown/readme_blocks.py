"""A block of the page of `changes` only: records from the history beside records from a copy, and what a feed costs."""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from shared.designs import Design, load_samples, metered, scratch_store
from shared.exhibit import below, markdown_table

if TYPE_CHECKING:
    import happybase

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
