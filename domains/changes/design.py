"""The loads and questions of `changes`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .records import Change
from .repository import ChangeRepository

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
            lines_by=("source", "position"),
        ),
    ),
    patterns=(HISTORY, NOW, THEN, ALL_THEN, SINCE, OF_TABLE),
    repository=ChangeRepository,
    variants=(Variant(keys, "by record and by position, whole changes in both", (REBUILT, OTHER_TABLES), NOT_FED),),
    erases="a record",
    accepted=(Accepted("rising", "the log of a source is read in its order, and one region absorbs most sources"),),
    exemptions=(Exemption("rows", "all changes of the table are read, to compute its records", (ALL_THEN,)),),
)
