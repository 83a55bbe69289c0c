"""A salt before both keys: a bucket of the record's key, and a bucket of the position.

Consecutive positions are in different buckets, so eight regions take the changes of one source, and each page of its
log reads eight ranges and merges them. The history of a record is in one bucket; the records of a table are in eight.
Choose it if one region cannot absorb the changes of one source.
"""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import HISTORY_CELLS, LOG_CELLS, ChangeByPosition, ChangeOfRecord, sources_table
from ..keys import TABLES as MAIN_TABLES

BUCKETS = 8

TABLES = MAIN_TABLES._replace(
    by_record=TableLayout(
        "changes_salted",
        "one change of a record",
        KeyLayout(ChangeOfRecord, Salt(of="key", buckets=BUCKETS)),
        HISTORY_CELLS,
    ),
    by_position=TableLayout(
        "changes_log_salted",
        "one change of a source",
        KeyLayout(ChangeByPosition, Salt(of="position", buckets=BUCKETS)),
        LOG_CELLS,
    ),
    sources=sources_table("changes_sources_salted"),
)
