"""The loads and questions of `activity`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import Repeats, parse_time

from . import keys
from .formats import FORMATS
from .records import Action
from .repository import ActivityRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "activity"

WEEK = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}
FRIDAY = {"since_ms": parse_time("2026-01-16"), "until_ms": parse_time("2026-01-17")}
USER = {"user": "u-17"}

PERIOD = AccessPattern("a user's week", ActivityRepository.of_user, {**USER, **WEEK})
LATEST = AccessPattern("a user's latest actions", ActivityRepository.of_user, USER, limit=10)
OF_VERB = AccessPattern("a user's failed logins", ActivityRepository.of_user, {**USER, **WEEK, "verb": "login failed"})
ALIKE = AccessPattern("users by prefix, a week", ActivityRepository.users_like, {"user_prefix": "138", **WEEK})
ONE = AccessPattern(
    "one action by its key",
    ActivityRepository.action,
    {**USER, "time_ms": parse_time("2026-01-22T00:38:09"), "tie": bytes.fromhex("d8122b789ec0180c")},
)

OF_ANY_TIME = Exemption("rows", "the user comes before the time, so these users' rows of any time are read", (ALIKE,))

DESIGN = Design(
    name="activity",
    question="Which row keys find the actions of one user, and which find the actions of all users?",
    loads=(
        Load(
            "actions",
            Action,
            ActivityRepository.store,
            SAMPLES / "actions.jsonl",
            FORMATS,
            Repeats,
            ActivityRepository.store_all,
        ),
    ),
    patterns=(PERIOD, LATEST, OF_VERB, ALIKE, ONE),
    repository=ActivityRepository,
    variants=(Variant(keys, "user, newest first", (OF_ANY_TIME,)),),
    without_upkeep="stores each action in one put, so there is nothing to recover or to compare",
    erases="a user",
    exemptions=(
        Exemption("rows", "the verb is in no row key, so other verbs are read too", (OF_VERB,)),
        Exemption("order", "actions of several users come in row-key order, which may have the user first", (ALIKE,)),
    ),
)
