"""`activity` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Accepted, AccessPattern, Exemption, Variant, Wrong
from shared.exhibit import ShownDesign

from ..design import ALIKE, FRIDAY, LATEST, OF_ANY_TIME, OF_VERB, PERIOD
from ..design import DESIGN as OWN
from ..repository import ActivityRepository
from .variants import hash_prefix, legible_hash, reversed, salted, time_first, user_and_time

TIME_BEFORE_USER = (PERIOD, LATEST, ALIKE)
TAKE_HASH = "user ids count up or share a prefix, and every question names its user"

DAY_OF_ALL = AccessPattern("all users, one day", ActivityRepository.of_all, FRIDAY, limit=200)
LATEST_OF_ALL = AccessPattern("the latest actions of all users", ActivityRepository.of_all, {}, limit=10)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    patterns=(*OWN.patterns[:3], DAY_OF_ALL, LATEST_OF_ALL, *OWN.patterns[3:]),
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="every question names its user, or a prefix of user ids",
            avoid_if="you ask for all users, which it refuses",
        ),
        Variant(
            hash_prefix,
            "four hex digits of the user's md5, then user",
            take_if=TAKE_HASH,
            avoid_if="you ask for users by a prefix of their ids, which it refuses",
        ),
        Variant(
            legible_hash,
            "eight hex digits of the user's md5 and a _, then user",
            take_if="you have such a table, or people read keys in the HBase shell",
            avoid_if="you are free to choose: `hash-prefix` reads the same rows, with shorter keys",
        ),
        Variant(
            reversed,
            "user's id reversed, of fixed width",
            take_if="ids are phone numbers, or others whose last characters differ",
            avoid_if="an id may be longer than 20 bytes",
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
            take_if="you ask for all users, and write more than one region server can take",
            avoid_if="you mostly ask for one user",
        ),
        Variant(
            time_first,
            "time, newest first, then user",
            (Exemption("rows", "the time comes first, so the rows of all users are read", TIME_BEFORE_USER),),
            take_if="you ask for all users, and write little",
            avoid_if="one region server cannot take all writes",
            accepted=(Accepted("rising", "this key is for few writes"),),
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
)
