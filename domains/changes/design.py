"""What the suite shows of `changes`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .published import PUBLISHED
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
        ),
    ),
    patterns=(HISTORY, NOW, THEN, ALL_THEN, SINCE, OF_TABLE),
    repository=ChangeRepository,
    variants=(
        Variant(keys, "by record and by position", (), keys.TABLES[3:], take_if="x", avoid_if="y"),
        Variant(by_table, "a log for each table", (), keys.TABLES[3:], take_if="x", avoid_if="y"),
        Variant(salted, "buckets of keys and of positions", (), keys.TABLES[3:], take_if="x", avoid_if="y"),
        Variant(thin_log, "the log holds only the key of the other row", (), keys.TABLES[3:], take_if="x", avoid_if="y"),
        Variant(whole_rows, "the whole record with each change", (), keys.TABLES[3:], take_if="x", avoid_if="y"),
        Variant(
            published,
            "published: one table, key reversed, seconds, position as text",
            wrong=Wrong("the newest change of a second", (NOW, THEN, ALL_THEN)),
            without_upkeep="is one table without a watermark, so there is nothing to compare it with",
        ),
    ),
    erases="a record of any table",
    traps=TRAPS,
    published=PUBLISHED,
)
