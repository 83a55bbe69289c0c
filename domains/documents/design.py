"""What the suite shows of `documents`: its questions, variants and published mistakes. A copy does not need it."""

from pathlib import Path

from shared.designs import LATE_PUTS, Accepted, AccessPattern, Design, Exemption, Load, Variant, Wrong
from shared.records import parse_time

from . import keys
from .crossing import filter_against_index
from .formats import FORMATS
from .keys import ERASURES, PARTS, UNSETTLED
from .published import PUBLISHED
from .readme_blocks import own_blocks
from .records import Document
from .repository import DocumentRepository
from .traps import TRAPS
from .variants import history, indexed, put_only, salted

SAMPLES = Path(__file__).parents[2] / "fixtures" / "documents"

OWNER = {"owner": "acme"}
WATCHED = {**OWNER, "document_id": "user000003"}
LATER_MS = parse_time("2100-01-01")
"""After the samples were stored, whenever that is: the store dates them."""

ONE = AccessPattern("a document by its id", DocumentRepository.document, WATCHED)
ALL = AccessPattern("an owner's documents", DocumentRepository.of_owner, OWNER)
ALIKE = AccessPattern("those whose ids start alike", DocumentRepository.of_owner, {**OWNER, "id_prefix": "user00001"})
PATHS = AccessPattern("their chosen paths", DocumentRepository.summaries, OWNER)
HAVING = AccessPattern("those with one value", DocumentRepository.having, {**OWNER, "path": "name.last", "value": "Ng"})
AS_OF = AccessPattern("all as of a time", DocumentRepository.of_owner, {**OWNER, "as_of_ms": LATER_MS})
NEWEST = AccessPattern("a document's last 3 changes", DocumentRepository.versions, WATCHED)

IN_NO_KEY = Exemption("rows", "no row key holds the value, so all documents of the owner are read", (HAVING,))

UNFILLED = (PARTS, UNSETTLED.layout, *ERASURES.tables)
"""The tables that are empty while no document is in parts and no owner is being erased."""

DESIGN = Design(
    name="documents",
    question="How are nested documents stored so that no change is lost, and parts of them can be asked for?",
    loads=(
        Load(
            "documents",
            Document,
            DocumentRepository.store,
            SAMPLES / "edits.jsonl",
            FORMATS,
            identified_by=("owner", "document_id"),
        ),
    ),
    patterns=(ONE, ALL, ALIKE, PATHS, HAVING, AS_OF, NEWEST),
    repository=DocumentRepository,
    variants=(
        Variant(
            keys,
            "the design itself",
            (IN_NO_KEY,),
            unfilled=UNFILLED,
            take_if="several writers change one document, and every question names the owner",
            avoid_if="five calls for a change are too many, or more than the last 10 changes must be kept",
        ),
        Variant(
            salted,
            "a hash of the owner, then the owner",
            (IN_NO_KEY,),
            unfilled=(salted.SALTED_PARTS, UNSETTLED.layout, *salted.ERASURES.tables),
            accepted=(
                Accepted("long-key", "each chosen path has a column of its own, which a server-side filter compares"),
            ),
            take_if="owners' ids count up, and new owners write more than one region can absorb",
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
            avoid_if="you list or compare the values of chosen paths, or erase owners: it refuses both",
        ),
        Variant(
            put_only,
            "a put for each change, and HBase's versions",
            without_upkeep="puts one row for each change, and does not look at what it replaces",
            wrong=Wrong("every change that another one of the same millisecond replaces", (NEWEST,)),
        ),
    ),
    erases="an owner",
    accepted=(LATE_PUTS,),
    traps=TRAPS,
    published=PUBLISHED,
    crossing=filter_against_index,
    own_blocks=own_blocks,
)
