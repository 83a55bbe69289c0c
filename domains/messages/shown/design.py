"""`messages` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant
from shared.exhibit import ShownDesign

from ..design import DESIGN as OWN
from ..design import GETS, LATEST, OTHER_PEERS, TALK, UNREAD
from ..keys import UNFINISHED
from .variants import by_pair, copies, one_table

GETS_OF_PAIR = Exemption("ranges", "a page gets the messages of its lines, all in one call", (TALK,))

BOTH_FAMILIES = Exemption(
    "rows",
    "the embedded store keeps both families together; HBase has files for each, and reads only those of the inbox",
    (LATEST,),
)
IS_READ = Exemption("rows", "no row key holds whether a message is read, so a filter reads the inbox", (UNREAD,))

NO_INTENTS = (
    "puts a message into the outbox, then into the inboxes, and no intent, so nothing finds a write that a crash "
    "interrupted; repeat the call, which completes it"
)

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you need inbox, outbox and unread messages, and deleted messages must never come back",
            avoid_if="six calls per message are too many",
        ),
        Variant(
            by_pair,
            "one more table: the conversations of each pair of users",
            (GETS, GETS_OF_PAIR),
            unfilled=(UNFINISHED.layout, *by_pair.ERASURES.tables),
            take_if="you need the same as `messages`, and often show the conversation of two users",
            avoid_if="you rarely show conversations: their list costs one extra put per message",
        ),
        Variant(
            copies,
            "the whole message in both boxes, without intents",
            (OTHER_PEERS, IS_READ),
            without_upkeep=NO_INTENTS,
            take_if="you need inbox and outbox, a TTL and only two calls per message, and clients always retry",
            avoid_if="you often ask for unread messages: that reads the whole inbox",
        ),
        Variant(
            one_table,
            "like `copies`, with both boxes in one table of two families",
            (OTHER_PEERS, IS_READ, BOTH_FAMILIES),
            without_upkeep=NO_INTENTS,
            take_if="you need the same as `copies`, in one table",
            avoid_if="inbox and outbox should split into regions separately",
        ),
    ),
)
