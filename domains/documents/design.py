"""The loads and questions of `documents`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .formats import FORMATS
from .keys import ERASURES, PARTS, UNSETTLED
from .records import Document
from .repository import DocumentRepository
from .restoring import document_in, restore
from .stored import StoredDocument

SAMPLES = Path(__file__).parents[2] / "fixtures" / "documents"

OWNER = {"owner": "acme"}
WATCHED = {**OWNER, "document_id": "user000003"}
LATER_MS = parse_time("2100-01-01")
"""After the samples were stored, whenever that is: the store dates them. The page measures an earlier time."""

ONE = AccessPattern("a document by its id", DocumentRepository.document, WATCHED)
ALL = AccessPattern("an owner's documents", DocumentRepository.of_owner, OWNER)
ALIKE = AccessPattern("documents by id prefix", DocumentRepository.of_owner, {**OWNER, "id_prefix": "user00001"})
PATHS = AccessPattern("chosen paths only", DocumentRepository.summaries, OWNER)
HAVING = AccessPattern(
    "documents with a given value", DocumentRepository.having, {**OWNER, "path": "name.last", "value": "Ng"}
)
AS_OF = AccessPattern("documents as of a time", DocumentRepository.of_owner, {**OWNER, "as_of_ms": LATER_MS})
NEWEST = AccessPattern("a document's last 3 changes", DocumentRepository.versions, WATCHED)

IN_NO_KEY = Exemption("rows", "no row key holds the value, so all documents of the owner are read", (HAVING,))

UNFILLED = (PARTS, UNSETTLED.layout, *ERASURES.tables)
"""The tables that are empty while no document is in parts and no owner is being erased."""

DESIGN = Design(
    name="documents",
    question="How are nested documents stored so that no change is lost, and parts of them can be read alone?",
    loads=(
        Load(
            "documents",
            Document,
            DocumentRepository.store,
            SAMPLES / "edits.jsonl",
            FORMATS,
            lines_by=("owner", "document_id", "revision"),
            lines_of={StoredDocument: document_in},
            restore=restore,
            identified_by=("owner", "document_id"),
        ),
    ),
    patterns=(ONE, ALL, ALIKE, PATHS, HAVING, AS_OF, NEWEST),
    repository=DocumentRepository,
    variants=(Variant(keys, "the design itself", (IN_NO_KEY,), unfilled=UNFILLED),),
    erases="an owner",
)
