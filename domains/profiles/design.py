"""What the suite shows of `profiles`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import parse_time

from . import keys
from .crossing import wide_row_against_table
from .formats import FORMATS
from .published import COLUMNS, PUBLISHED
from .readme_blocks import own_blocks
from .records import OrderSummary, Profile
from .repository import ProfileRepository
from .traps import TRAPS
from .variants import one_cell, orders_table, slots, versions

SAMPLES = Path(__file__).parents[2] / "fixtures" / "profiles"

USER = {"user_id": "12345"}
WEEK = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}

PAGE = AccessPattern("the page of a user", ProfileRepository.page, USER)
NEWEST = AccessPattern("a user's newest orders", ProfileRepository.newest_orders, USER)
PROFILE = AccessPattern("a user's profile", ProfileRepository.profile, USER)
PREFIX = AccessPattern("users whose ids share a prefix", ProfileRepository.profiles, {"id_prefix": "12"}, limit=10)
NAMED = AccessPattern("users with one name", ProfileRepository.named, {"name": "Kim Lee"})
OF_WEEK = AccessPattern(
    "a user's orders of one week",
    orders_table.Repository.orders_of,
    {**USER, **WEEK},
    why_lacking="needs a table of orders, because the row of a user has the newest ones only",
)

DESIGN = Design(
    name="profiles",
    question="How can one get read a user's profile and newest orders?",
    loads=(
        Load("profiles", Profile, ProfileRepository.store, SAMPLES / "profiles.jsonl", FORMATS),
        Load(
            "orders",
            OrderSummary,
            ProfileRepository.add_order,
            SAMPLES / "orders.jsonl",
            identified_by=("user_id", "time_ms", "order_id"),
        ),
    ),
    patterns=(PAGE, NEWEST, PROFILE, PREFIX, NAMED, OF_WEEK),
    repository=ProfileRepository,
    variants=(
        Variant(
            keys,
            "a cell for each of the newest orders, in the user's row",
            take_if="pages are read more often than orders are added, and one process or several add them",
            avoid_if="you ask for older orders than a page shows, or a user gets thousands of orders a week",
        ),
        Variant(
            one_cell,
            "the newest ten orders in one cell",
            take_if="you need the same, also with thousands of orders, and users seldom get two of them at once",
            avoid_if="many writers add orders of one user at once: each makes the others read again",
        ),
        Variant(
            versions,
            "HBase's own versions: one column that keeps ten",
            wrong=Wrong("all orders of a user in one millisecond except the last one", (PAGE, NEWEST)),
        ),
        Variant(
            orders_table,
            "a table of its own for the orders",
            (Exemption("rows", "each order is a row of its own, and the page of a user shows ten", (PAGE,)),),
            take_if="you also ask for a user's older orders, or orders are added more often than pages are read",
            avoid_if="a page must be one call",
            accepted=(
                Accepted("long-key", "each attribute of an order has a column of its own, which a release may add"),
            ),
        ),
        Variant(
            slots,
            "published: the last ten orders in columns order_0 to order_9",
            (Exemption("loading", "an order that is stored again moves to the first column"),),
            wrong=Wrong(
                "orders that arrived earlier than ten others, and orders that two writers add at once", (PAGE, NEWEST)
            ),
        ),
    ),
    without_upkeep="stores a profile or an order in one row, and a crash leaves nothing to recover or to compare",
    erases="a user",
    exemptions=(Exemption("rows", "the name is in no row key, so a filter reads the whole table", (NAMED,)),),
    traps=TRAPS,
    published=PUBLISHED,
    published_columns=COLUMNS,
    crossing=wide_row_against_table,
    own_blocks=own_blocks,
)
