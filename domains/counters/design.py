"""What the suite shows of `counters`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import Repeats, parse_time

from . import keys
from .formats import FORMATS
from .keys import ERASURES, LOGIN_DAYS
from .published import PUBLISHED
from .readme_blocks import own_blocks
from .records import Login
from .repository import LoginRepository
from .traps import TRAPS
from .variants import increment, salted, sharded

SAMPLES = Path(__file__).parents[2] / "fixtures" / "counters"

MONDAY_MS, NEXT_MONDAY_MS = parse_time("2026-01-05"), parse_time("2026-01-12")
BUSY_DAY = {"day_ms": parse_time("2026-01-18")}

DAYS = AccessPattern(
    "a user's days of one week",
    LoginRepository.days,
    {"user": "u-17", "since_ms": MONDAY_MS, "until_ms": NEXT_MONDAY_MS},
)
DAY_COUNT = AccessPattern(
    "a user's logins of one day, counted", LoginRepository.day_count, {"user": "u-17", **BUSY_DAY}
)
DAY_TOTAL = AccessPattern("all logins of one day, counted", LoginRepository.day_total, BUSY_DAY)
TOP_USERS = AccessPattern("the ten top users of one day", LoginRepository.top_users, BUSY_DAY)
LATEST = AccessPattern("a user's latest logins", LoginRepository.logins, {"user": "u-17"}, limit=10)

EVERY_CELL = Exemption(
    "rows", "a count is the number of its cells, so all of them are read", (DAYS, DAY_COUNT, DAY_TOTAL)
)
NOT_IDEMPOTENT = Exemption("loading", "an increment that is sent again counts again")

NO_LOGINS = (
    "increments counters, so nothing shows what a crash or a lost reply left out or counted twice; "
    "if you keep the logins elsewhere, count them again into empty tables"
)

UNFILLED = (*LOGIN_DAYS.tables, *ERASURES.tables)
"""The tables that are empty until a day is folded, or a user is erased."""

BY_DAY = Accepted("rising", "one region absorbs the logins of most services; a salt of the user spreads those of a day")

DESIGN = Design(
    name="counters",
    question="How are logins counted for each user and day, so that a client that tries again never counts twice?",
    loads=(
        Load(
            "logins", Login, LoginRepository.store, SAMPLES / "logins.csv", FORMATS, Repeats, LoginRepository.store_all
        ),
    ),
    patterns=(DAYS, DAY_COUNT, DAY_TOTAL, TOP_USERS, LATEST),
    repository=LoginRepository,
    variants=(
        Variant(
            keys,
            "a cell for each login, counted when read",
            (EVERY_CELL,),
            unfilled=UNFILLED,
            accepted=(BY_DAY,),
            take_if="counts must be right, even after a lost reply",
            avoid_if="users have thousands of events a day, and you often ask for counts of today",
        ),
        Variant(
            salted,
            "the same cells, the days in buckets of users",
            (EVERY_CELL,),
            unfilled=UNFILLED,
            take_if="counts must be right, and one region cannot absorb all logins of a day",
            avoid_if="one user alone makes most of the events: a bucket holds whole users",
        ),
        Variant(
            increment,
            "counters to which HBase adds one",
            (NOT_IDEMPOTENT,),
            without_upkeep=NO_LOGINS,
            accepted=(BY_DAY,),
            take_if="you often ask for counts, and these may be too high after retries, or too low without",
            avoid_if="you bill or audit by a count, or keep a quota without retries",
        ),
        Variant(
            sharded,
            "the same counters, a day's total in eight rows",
            (NOT_IDEMPOTENT,),
            without_upkeep=NO_LOGINS,
            accepted=(BY_DAY,),
            take_if="you need the same as `increment`, and one row cannot absorb all increments of a day's total",
            avoid_if=(
                "one row can: `increment` then reads one row, not eight; or one user is too busy: it splits only totals"
            ),
        ),
    ),
    erases="a user",
    exemptions=(Exemption("rows", "all users of the day are read to find ten of them", (TOP_USERS,)),),
    traps=TRAPS,
    published=PUBLISHED,
    own_blocks=own_blocks,
)
