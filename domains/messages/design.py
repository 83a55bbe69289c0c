"""What the suite shows of `messages`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import LATE_PUTS, Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .keys import ERASURES, UNFINISHED
from .published import PUBLISHED
from .records import Message
from .repository import MessageRepository
from .traps import TRAPS
from .variants import by_pair, copies, one_table

SAMPLES = Path(__file__).parents[2] / "fixtures" / "messages"

WEEK_MS = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")}

LATEST = AccessPattern("a user's inbox", MessageRepository.inbox, {"user": "ada"})
WEEK = AccessPattern("an inbox of one week", MessageRepository.inbox, {"user": "u-17", **WEEK_MS})
SENT = AccessPattern("a user's outbox", MessageRepository.outbox, {"user": "ada"}, limit=10)
UNREAD = AccessPattern("a user's unread messages", MessageRepository.unread, {"user": "u-17"})
TALK = AccessPattern("the messages of two users", MessageRepository.conversation, {"owner": "u-17", "peer": "ada"})

GETS = Exemption(
    "ranges",
    "a page gets the messages of its lines in one call, and the bodies of group messages in another",
    (LATEST, UNREAD),
)
GETS_OF_PAIR = Exemption("ranges", "a page gets the messages of its lines, all in one call", (TALK,))
OTHER_PEERS = Exemption(
    "rows", "the inboxes of the two users hold the messages of all others, which the client skips", (TALK,)
)
BOTH_FAMILIES = Exemption(
    "rows",
    "the embedded store keeps both families together; HBase has files for each, and reads only those of the inbox",
    (LATEST,),
)
IS_READ = Exemption("rows", "no row key holds whether a message is read, so a filter reads the inbox", (UNREAD,))

UNFILLED = (UNFINISHED.layout, *ERASURES.tables)
"""The tables that are empty once all is delivered and nobody is being erased."""

NO_INTENTS = (
    "puts a message into the outbox, then into the inboxes, and no intent, so nothing finds a write that a crash "
    "interrupted; repeat the call, which completes it"
)

IS_READ_ALONE = Accepted(
    "long-key",
    "a server-side filter compares `is_read`, which needs a cell of its own, and bodies are longer than those of the "
    "samples",
)

DESIGN = Design(
    name="messages",
    question="How does every user read inbox, outbox and unread messages, if one message belongs in several lists?",
    loads=(
        Load(
            "messages",
            Message,
            MessageRepository.send,
            SAMPLES / "messages.jsonl",
            FORMATS,
            store_all=MessageRepository.send_all,
        ),
    ),
    patterns=(LATEST, WEEK, SENT, UNREAD, TALK),
    repository=MessageRepository,
    variants=(
        Variant(
            keys,
            "the design itself",
            (GETS, OTHER_PEERS),
            unfilled=UNFILLED,
            take_if="you need inbox, outbox and unread messages, and deleted messages must never come back",
            avoid_if="six calls per message are too many, or one for each member of a group",
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
            accepted=(IS_READ_ALONE,),
            take_if="you need inbox and outbox, a TTL and only two calls per message, and clients always retry",
            avoid_if="you often ask for unread messages: that reads the whole inbox",
        ),
        Variant(
            one_table,
            "like `copies`, with both boxes in one table of two families",
            (OTHER_PEERS, IS_READ, BOTH_FAMILIES),
            without_upkeep=NO_INTENTS,
            accepted=(IS_READ_ALONE,),
            take_if="you need the same as `copies`, in one table",
            avoid_if="inbox and outbox should split into regions separately",
        ),
    ),
    erases="a user",
    accepted=(LATE_PUTS,),
    traps=TRAPS,
    published=PUBLISHED,
)
