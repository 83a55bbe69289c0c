"""`tsdb` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Variant
from shared.exhibit import ShownDesign

from ..design import DESIGN as OWN
from .variants import salted

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="your OpenTSDB has no salt, or you have no OpenTSDB",
            avoid_if="one metric has more writes than one region server can take",
        ),
        Variant(
            salted,
            "the same rows in buckets, by OpenTSDB's salt",
            take_if="your OpenTSDB sets `tsd.storage.salt.*`, or one metric is busy",
            avoid_if="you ask for many short periods: each question reads one range for each bucket",
        ),
    ),
)
