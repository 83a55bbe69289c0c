"""What the suite shows of `changes`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import parse_time

from . import keys
from .crossing import history_against_whole_rows
from .formats import FORMATS
from .published import PUBLISHED
from .readme_blocks import own_blocks
from .records import Change
from .repository import ChangeRepository
from .traps import TRAPS
from .variants import by_table, published, salted, thin_log, whole_rows

SAMPLES = Path(__file__).parents[2] / "fixtures" / "changes"

RECORD = {"source": "shop", "table": "users", "key": "30"}
FRIDAY = {"as_of_ms": parse_time("2026-01-16T15:00:00")}
STOCK = {"source": "shop", "table": "stock"}

HISTORY = AccessPattern("a record's latest changes", ChangeRepository.history, RECORD, limit=10)
NOW = AccessPattern("a record now", ChangeRepository.state, RECORD)
THEN = AccessPattern("a record as of a time", ChangeRepository.state, {**RECORD, **FRIDAY})
ALL_THEN = AccessPattern(
    "a table's records as of a time", ChangeRepository.states, {"source": "shop", "table": "users", **FRIDAY}
)
SINCE = AccessPattern(
    "a source's changes since a position", ChangeRepository.since, {"source": "shop", "after": 10_000}, limit=50
)
OF_TABLE = AccessPattern("a table's changes in order", ChangeRepository.of_table, STOCK, limit=50)

NOT_FED = (*keys.COPY.tables, *keys.CHECKPOINTS.tables)
"""Tables that a feed fills."""

REBUILT = Exemption("rows", "a record is rebuilt from all its changes since its INSERT", (NOW, THEN))
OTHER_TABLES = Exemption("rows", "the key has no table, so the changes of other tables are read too", (OF_TABLE,))

DESIGN = Design(
    name="changes",
    question="How are the changes of a database stored so that a record can be rebuilt, and a reader misses none?",
    loads=(
        Load(
            "changes",
            Change,
            ChangeRepository.store,
            SAMPLES / "changes.jsonl",
            FORMATS,
            store_all=ChangeRepository.store_all,
            has_own_order=True,
        ),
    ),
    patterns=(HISTORY, NOW, THEN, ALL_THEN, SINCE, OF_TABLE),
    repository=ChangeRepository,
    variants=(
        Variant(
            keys,
            "by record and by position, whole changes in both",
            (REBUILT, OTHER_TABLES),
            NOT_FED,
            take_if="you ask for records and for the log, and one region can absorb the changes of a source",
            avoid_if="many readers follow single tables of a large source, or records change thousands of times",
        ),
        Variant(
            by_table,
            "a log for each table",
            (REBUILT,),
            NOT_FED,
            take_if="readers follow single tables, as copies do",
            avoid_if="they follow whole sources of many tables",
        ),
        Variant(
            salted,
            "buckets of record keys and of positions",
            (REBUILT, OTHER_TABLES),
            NOT_FED,
            take_if="one region cannot absorb the changes of one source",
            avoid_if="it can: log pages read eight ranges",
        ),
        Variant(
            thin_log,
            "the log holds only the key of the other row",
            (REBUILT, OTHER_TABLES),
            NOT_FED,
            take_if="storage is tight, and the log is read rarely",
            avoid_if="readers follow it: each page gets the changes",
        ),
        Variant(
            whole_rows,
            "the whole record with each change",
            (Exemption("rows", "the time is in no row key, so later changes are read too", (THEN,)), OTHER_TABLES),
            NOT_FED,
            take_if="you often ask for a record now",
            avoid_if="you mostly write: an UPDATE first reads the record",
        ),
        Variant(
            published,
            "published: one table; seconds, and positions as text",
            (
                REBUILT,
                Exemption(
                    "rows", "the key has no source and no table, so all records with this key are read", (HISTORY,)
                ),
                Exemption("order", "the changes of one second come oldest first", (HISTORY,)),
            ),
            wrong=Wrong("the newest of several changes in one second", (NOW, THEN, ALL_THEN)),
            without_upkeep="is one table without a watermark, so there is nothing to compare it with",
        ),
    ),
    erases="a record",
    accepted=(
        Accepted(
            "long-key",
            "a change has a cell for each column that changed, so that columns of any name can be stored",
        ),
    ),
    exemptions=(Exemption("rows", "all changes of the table are read, to compute its records", (ALL_THEN,)),),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=history_against_whole_rows,
    own_blocks=own_blocks,
)
