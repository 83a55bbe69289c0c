"""What only the page of `activity` shows: which part belongs in front, measured for mixes of two questions."""

from typing import Any

from shared.designs import Design, Variant, load_samples, metered
from shared.designs.pages import below, markdown_table
from shared.keys import between
from shared.queries import Query
from shared.records import parse_time
from shared.stores import connect
from shared.tables import BoundTable, create_tables

SINCE_MS, UNTIL_MS = parse_time("2026-01-16"), parse_time("2026-01-17")
USER = "u-17"
OF_ONE_USER = (50, 75, 90, 95, 99)
"""So many of 100 questions are about one user."""


def own_blocks(design: Design) -> dict[str, str]:
    """The rows that 100 questions read, if the user is in front, if the time is, and if each has a table."""
    by_name = {variant.name: variant for variant in design.variants}
    user_first, time_first = (_rows_read(design, by_name[name]) for name in (design.name, "time-first"))
    ways = (user_first, time_first, (user_first[0], time_first[1]))
    rows = [(str(of_one), str(100 - of_one), *(f"{_of_100(of_one, *way):,}" for way in ways)) for of_one in OF_ONE_USER]
    least = next(of_one for of_one in range(101) if _of_100(of_one, *user_first) < _of_100(of_one, *time_first))
    columns = ("of one user", "of all users", "`activity`", "`time-first`", "a table for each")
    caption = (
        "Rows read by 100 questions about one day, some of them of one user, the others of all users, on the samples. "
        "`activity` refuses the latter, so it pays a full table scan for each. A question of one user reads "
        f"{user_first[0]} rows there, and {time_first[0]} in `time-first`; one of all users {user_first[1]:,} and "
        f"{time_first[1]}. So the user in front reads fewer rows only if {least} or more of 100 questions name a user."
    )
    return {"front": below(caption, markdown_table(columns, rows))}


def _of_100(of_one: int, rows_of_one: int, rows_of_all: int) -> int:
    """The rows that 100 questions read, so many of them of one user."""
    return of_one * rows_of_one + (100 - of_one) * rows_of_all


def _rows_read(design: Design, variant: Variant) -> tuple[int, int]:
    """The rows that a variant reads for a day of one user, and for that day of all users; a full scan if it refuses."""
    connection = connect("embedded:")
    create_tables(connection, variant.tables)
    repository = load_samples(connection, design, variant)
    table = BoundTable(connection, variant.tables[0])
    of_all: Query[Any] = Query(table, table.whole_table(), where={"time_ms": between(SINCE_MS, UNTIL_MS)})
    if variant is not design.main:
        of_all = repository.of_all(SINCE_MS, UNTIL_MS)
    of_one, all_ = (_fetched(connection, query) for query in (repository.of_user(USER, SINCE_MS, UNTIL_MS), of_all))
    return of_one, all_


def _fetched(connection: Any, query: Query[Any]) -> int:
    """The rows that a query fetches to find what it must find."""
    with metered(connection) as cost:
        assert query.count()
    return cost.rows_fetched
