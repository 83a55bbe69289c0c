"""A log for each table: in the key of the log the table comes before the position.

All changes of one table are one range. The changes of a source are one range for each of its tables, and the client
merges them; the row of the source names its tables. Choose it if readers follow single tables, as copies do.
"""

from typing import Any

from shared.keys import EscapedText, KeyLayout, UInt64, any_of, part, row_key
from shared.queries import Query
from shared.tables import TableLayout

from ..keys import LOG_CELLS_OF_TABLE, sources_table
from ..keys import TABLES as MAIN_TABLES
from ..records import Change, StoredSource
from ..repository import ChangeRepository


@row_key
class ChangeOfTable:
    """One change in the log of its table.

    Order:  by source, then by table, then by position, oldest first.
    Serves: the changes of a table after a position; those of a source, by one range for each table.
    Costs:  one get of the watermark, and one scan of a page's rows and one more, or as many scans as there are tables.
            New rows go to one region for each busy table.
    Fixed:  the sequence of the parts.
    Source: none
    """

    source: str = part(EscapedText, "the database whose record changed; any text")
    table: str = part(EscapedText, "its table")
    position: int = part(UInt64, "the number of the change in the log of its source")


TABLES = MAIN_TABLES._replace(
    by_position=TableLayout(
        "changes_log_by_table", "one change of a table", KeyLayout(ChangeOfTable), LOG_CELLS_OF_TABLE
    ),
    sources=sources_table("changes_sources_by_table"),
)


class Repository(ChangeRepository):
    """Keeps a log for each table."""

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, TABLES, **options)

    def _of_source(self, stored: StoredSource, positions: Any) -> Query[Change]:
        tables = any_of(sorted(stored.tables), merged=True)
        plan = self._by_position.plan(source=stored.source, table=tables, position=positions)
        return Query(self._by_position, plan)

    def _of_table(self, stored: StoredSource, table: str, positions: Any) -> Query[Change]:
        plan = self._by_position.plan(source=stored.source, table=table, position=positions)
        return Query(self._by_position, plan)
