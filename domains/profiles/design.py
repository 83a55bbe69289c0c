"""The loads and questions of `profiles`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant

from . import keys
from .formats import FORMATS
from .keys import SHOWN, TRIM_AT
from .records import OrderSummary, Profile
from .repository import ProfileRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "profiles"

USER = {"user_id": "12345"}

PAGE = AccessPattern("the page of a user", ProfileRepository.page, USER)
NEWEST = AccessPattern("a user's newest orders", ProfileRepository.newest_orders, USER)
PROFILE = AccessPattern("a user's profile", ProfileRepository.profile, USER)
PREFIX = AccessPattern("users whose ids share a prefix", ProfileRepository.profiles, {"id_prefix": "12"}, limit=10)
NAMED = AccessPattern("users with one name", ProfileRepository.named, {"name": "Kim Lee"})
DESIGN = Design(
    name="profiles",
    question="How does a single get read a user's profile and newest orders?",
    loads=(
        Load("profiles", Profile, ProfileRepository.store, SAMPLES / "profiles.jsonl", FORMATS),
        Load(
            "orders",
            OrderSummary,
            ProfileRepository.add_order,
            SAMPLES / "orders.jsonl",
            lines_by=("user_id", "time_ms", "order_id"),
            identified_by=("user_id", "time_ms", "order_id"),
        ),
    ),
    patterns=(PAGE, NEWEST, PROFILE, PREFIX, NAMED),
    repository=ProfileRepository,
    variants=(Variant(keys, "a cell for each of the newest orders, in the user's row"),),
    without_upkeep="stores a profile or an order in one row, and a crash leaves nothing to recover or to compare",
    erases="a user",
    accepted=(
        Accepted("wide-row", f"a writer that finds {TRIM_AT} orders in a row deletes all but the newest {SHOWN}"),
    ),
    exemptions=(Exemption("rows", "the name is in no row key, so a filter reads the whole table", (NAMED,)),),
)
