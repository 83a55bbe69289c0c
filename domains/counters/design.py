"""The loads and questions of `counters`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import Repeats, parse_time

from . import keys
from .formats import FORMATS
from .keys import ERASURES, LOGIN_DAYS
from .records import Login
from .repository import LoginRepository

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

UNFILLED = (*LOGIN_DAYS.tables, *ERASURES.tables)
"""The tables that are empty until a day is folded, or a user is erased."""

BY_DAY = Accepted("rising", "one region can take the logins of most services; a salt of the user spreads a day's")

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
        Variant(keys, "a cell for each login, counted when read", (EVERY_CELL,), unfilled=UNFILLED, accepted=(BY_DAY,)),
    ),
    erases="a user",
    exemptions=(Exemption("rows", "all users of the day are read to find ten of them", (TOP_USERS,)),),
)
