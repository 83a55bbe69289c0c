"""`feeds` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Variant
from shared.exhibit import ShownDesign

from ..design import DESIGN as OWN
from ..design import UNFILLED
from .variants import pull, texts

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="no timeline may lose a post, and some authors have a million followers",
            avoid_if="a reader follows hundreds of such authors: every page scans the stream of each",
        ),
        Variant(
            pull,
            "each post in its author's stream, if the author has followers",
            unfilled=UNFILLED,
            take_if="a post must cost the same, however many followers its author has",
            avoid_if="pages are read much more often than posts are stored",
        ),
        Variant(
            texts,
            "lines that hold the posts, without intents",
            without_upkeep=(
                "puts a post, then its lines, and no intent, so nothing finds a write that a crash interrupted; "
                "repeat the call, which completes it"
            ),
            take_if="you need a page in one scan and few calls per write, and clients always retry",
            avoid_if="authors have many followers: a post writes its text for each of them",
        ),
    ),
)
