"""`documents` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant, Wrong
from shared.exhibit import ShownDesign

from ..design import DESIGN as OWN
from ..design import HAVING, IN_NO_KEY, NEWEST, UNFILLED
from ..keys import UNSETTLED
from .variants import history, indexed, put_only, salted

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="several writers change one document, and every question names the owner",
            avoid_if="five calls for a change are too many",
        ),
        Variant(
            salted,
            "a hash of the owner, then the owner",
            (IN_NO_KEY,),
            unfilled=(salted.SALTED_PARTS, UNSETTLED.layout, *salted.ERASURES.tables),
            take_if="owners' ids count up, and new owners write more than one region server can take",
            avoid_if="you list owners whose ids start alike: they are scattered",
        ),
        Variant(
            indexed,
            "one more table: an index of the chosen paths",
            (Exemption("ranges", "a page gets the documents of its lines, all in one call", (HAVING,)),),
            unfilled=UNFILLED,
            take_if="you often ask for a value that few of an owner's documents have",
            avoid_if="most documents have the values that you ask for: each costs a line and a get",
        ),
        Variant(
            history,
            "a column for each revision, without intents",
            without_upkeep=(
                "puts one cell for each change, which one call decides, so nothing can disagree after a crash"
            ),
            take_if="every change must be kept, also two of one millisecond",
            avoid_if="you erase owners, which it refuses",
        ),
        Variant(
            put_only,
            "a put for each change, and HBase's versions",
            without_upkeep="puts one row for each change, and does not look at what it replaces",
            wrong=Wrong("every change that another one of the same millisecond replaces", (NEWEST,)),
        ),
    ),
)
