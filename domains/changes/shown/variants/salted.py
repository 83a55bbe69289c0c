"""A salt before both keys: a bucket of the record's key, and a bucket of the position.

Consecutive positions are in different buckets, so eight regions take the changes of one source, and each page of its
log reads eight ranges and merges them. The history of a record is in one bucket; the records of a table are in eight.
Choose it if one region cannot absorb the changes of one source.
"""

from functools import partial

from shared.keys import KeyLayout, Salt

from ...keys import BY_POSITION, BY_RECORD, CHECKPOINTS, COPY, SOURCES, ChangeByPosition, ChangeOfRecord
from ...repository import ChangeRepository

BUCKETS = 8

HISTORY = BY_RECORD.like("changes_salted", KeyLayout(ChangeOfRecord, Salt(of="key", buckets=BUCKETS)))
LOG = BY_POSITION.like("changes_log_salted", KeyLayout(ChangeByPosition, Salt(of="position", buckets=BUCKETS)))
OF_LOG = SOURCES.like("changes_sources_salted")

TABLES = (*HISTORY.tables, *LOG.tables, *OF_LOG.tables, *COPY.tables, *CHECKPOINTS.tables)
Repository = partial(ChangeRepository, by_record=HISTORY, by_position=LOG, sources=OF_LOG)
