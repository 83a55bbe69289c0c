"""What the suite shows of `activity`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import Repeats, parse_time

from . import keys
from .crossing import user_first_against_time_first
from .formats import FORMATS
from .published import PUBLISHED
from .records import Action
from .repository import ActivityRepository
from .traps import TRAPS
from .variants import hash_prefix, legible_hash, reversed, salted, time_first, user_and_time

SAMPLES = Path(__file__).parents[2] / "fixtures" / "activity"

WEEK = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}
FRIDAY = {"since_ms": parse_time("2026-01-16"), "until_ms": parse_time("2026-01-17")}
USER = {"user": "u-17"}

PERIOD = AccessPattern("a user's week", ActivityRepository.of_user, {**USER, **WEEK})
LATEST = AccessPattern("a user's latest actions", ActivityRepository.of_user, USER, limit=10)
OF_VERB = AccessPattern("a user's failed logins", ActivityRepository.of_user, {**USER, **WEEK, "verb": "login failed"})
DAY_OF_ALL = AccessPattern("all users, one day", ActivityRepository.of_all, FRIDAY, limit=200)
LATEST_OF_ALL = AccessPattern("the latest actions of all users", ActivityRepository.of_all, {}, limit=10)
ALIKE = AccessPattern("users named alike, a week", ActivityRepository.users_like, {"user_prefix": "138", **WEEK})
ONE = AccessPattern(
    "one action by its key",
    ActivityRepository.action,
    {**USER, "time_ms": parse_time("2026-01-22T00:38:09"), "tie": bytes.fromhex("d8122b789ec0180c")},
)

OF_ANY_TIME = Exemption("rows", "the user comes before the time, so these users' rows of any time are read", (ALIKE,))
TIME_BEFORE_USER = (PERIOD, LATEST, ALIKE)
TAKE_HASH = "user ids start alike or count up, and every question names its user"

DESIGN = Design(
    name="activity",
    question="Which row keys find the actions of one user, and which those of all users?",
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
    patterns=(PERIOD, LATEST, OF_VERB, DAY_OF_ALL, LATEST_OF_ALL, ALIKE, ONE),
    repository=ActivityRepository,
    variants=(
        Variant(
            keys,
            "user, newest first",
            (OF_ANY_TIME,),
            take_if="every question names its user, or users whose ids start alike",
            avoid_if="you ask for all users, which it refuses, or adjacent users write more than one region can absorb",
        ),
        Variant(
            hash_prefix,
            "four hex digits of the user's md5, then user",
            take_if=TAKE_HASH,
            avoid_if="you ask for all users, or for users named alike: it refuses both",
        ),
        Variant(
            legible_hash,
            "eight hex digits of the user's md5 and a _, then user",
            take_if="you have such a table, or people read keys in the HBase shell",
            avoid_if="you are free to choose: `hash-prefix` reads the same rows, and its cells are five bytes shorter",
        ),
        Variant(
            reversed,
            "user's id reversed, of fixed width",
            take_if="ids are phone numbers, or others whose last characters differ",
            avoid_if="an id may have more than 20 bytes, or you ask for all users, or for users named alike",
        ),
        Variant(
            salted,
            "bucket of the user, then time",
            (
                Exemption(
                    "rows",
                    "in a bucket the rows of all its users are in order of time, so other users are read",
                    TIME_BEFORE_USER,
                ),
            ),
            take_if="you ask for all users, and write more than one region can absorb",
            avoid_if="you mostly ask for one user, or one user alone writes that much",
        ),
        Variant(
            time_first,
            "time, newest first, then user",
            (Exemption("rows", "the time comes first, so the rows of all users are read", TIME_BEFORE_USER),),
            take_if="you ask for all users, and write little",
            avoid_if="one region cannot absorb all writes: they all go to the first region",
            accepted=(Accepted("rising", "this key is for few writes; a salt of the user spreads them"),),
        ),
        Variant(
            user_and_time,
            "published: user and time, oldest first, without a tie",
            (
                OF_ANY_TIME,
                Exemption("loading", "an action that is stored again replaces another one of its millisecond"),
            ),
            wrong=Wrong(
                "all actions of a user in one millisecond except the last one", (PERIOD, LATEST, OF_VERB, ALIKE)
            ),
        ),
    ),
    without_upkeep="stores each action in one put, so there is nothing to recover or to compare",
    erases="a user",
    exemptions=(
        Exemption("rows", "the verb is in no row key, so other verbs are read too", (OF_VERB,)),
        Exemption("order", "they come in row-key order, which has the user first in some variants", (ALIKE,)),
    ),
    accepted=(
        Accepted(
            "long-key",
            "each attribute has a column of its own, which a release may add, and details are longer than those of the "
            "samples",
        ),
    ),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=user_first_against_time_first,
)
