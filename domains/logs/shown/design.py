"""`logs` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Accepted, AccessPattern, Exemption, Variant
from shared.exhibit import ShownDesign

from ..design import ALIKE, KIND_BEFORE_TIME, LATEST, OF_KIND, ONE_HOST, TEN_MINUTES
from ..design import DESIGN as OWN
from ..repository import LogRepository
from .variants import modulo, oldest_first, padded, random, salted, slices, time_first

OF_A_HOST = (OF_KIND, LATEST, ONE_HOST, ALIKE)

TIME_FIRST = Exemption("rows", "the time comes first, so the rows of all hosts are read", OF_A_HOST)

FEW_WRITES = Accepted("rising", "this key is for few writes")

LATEST_OF_ALL = AccessPattern("the latest events of all hosts", LogRepository.latest_of_all, {}, limit=10)
ALL_HOSTS = AccessPattern("all hosts, ten minutes", LogRepository.window, TEN_MINUTES)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    patterns=(*OWN.patterns[:2], LATEST_OF_ALL, ALL_HOSTS, *OWN.patterns[2:]),
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you ask for the latest events of one host and kind",
            avoid_if="you ask for all hosts in a period, which it refuses",
        ),
        Variant(
            oldest_first,
            "host, kind, oldest first",
            (KIND_BEFORE_TIME,),
            take_if="you mostly read one host and kind from the oldest event to the newest",
            avoid_if="you mostly read the latest events: they are a reverse scan",
        ),
        Variant(
            time_first,
            "time first",
            (TIME_FIRST,),
            take_if="you ask for all hosts, and write little",
            avoid_if="one region server cannot take all writes",
            accepted=(FEW_WRITES,),
        ),
        Variant(
            modulo,
            "bucket of the time, then time",
            (TIME_FIRST,),
            mistake="every question reads all eight buckets, and times in whole seconds all fall into one of them",
        ),
        Variant(
            salted,
            "bucket of the host, then time",
            (
                Exemption(
                    "rows",
                    "in a bucket the rows of all its hosts are in order of time, so other hosts and kinds are read",
                    OF_A_HOST,
                ),
            ),
            take_if="you ask for all hosts, and write more than one region server can take",
            avoid_if="one host alone writes that much: all its rows are in one bucket",
        ),
        Variant(
            slices,
            "slices of fifteen minutes, then host",
            (
                Exemption(
                    "rows",
                    "a question without a host reads whole slices",
                    (ALL_HOSTS, ALIKE),
                ),
            ),
            take_if="you ask for all events of one host in some hours",
            avoid_if="you ask for the latest events, which it refuses",
            accepted=(FEW_WRITES,),
        ),
        Variant(
            padded,
            "host padded with x, kind, newest first",
            (KIND_BEFORE_TIME,),
            take_if="programs that you cannot change pad the host with `x`",
            avoid_if="a host's name may contain an `x`",
        ),
        Variant(
            random,
            "a random number first",
            (Exemption("loading", "an event that is stored again gets another number, so it becomes another row"),),
            mistake="no reader can compute the number, so every question is refused",
        ),
    ),
)
