"""A hash of the owner first: four hex digits of its md5, the last ones as published (S4.4), then the owner.

They spread owners whose ids count up, or start alike, over the whole table. Every question names its owner, so the
digits are computed again and it costs the same. The published hash is that of the whole key, which would scatter the
documents of one owner over 65,536 ranges. Choose it if new owners write more than one region can absorb. One owner is
still one range, in one region until HBase splits it.
"""

from functools import partial

from shared.intents import erasures_tables
from shared.keys import HashPrefix, KeyLayout
from shared.tables import TableLayout

from ...keys import DOCUMENTS, PARTS, DocumentOfOwner, GenerationOfDocument
from ...repository import DocumentRepository

SALT = HashPrefix(of="owner", bytes=4, hex=True, take="last")

SALTED = DOCUMENTS.like("documents_salted", KeyLayout(DocumentOfOwner, SALT))
SALTED_PARTS = TableLayout(
    "documents_salted_parts", PARTS.holds, KeyLayout(GenerationOfDocument, SALT), PARTS.cells, PARTS.families
)
ERASURES = erasures_tables("documents_salted_erasures", writers=1)
"""Of its own, because an erasure names rows of its source."""

TABLES = (*SALTED.tables, SALTED_PARTS, *ERASURES.tables)
Repository = partial(DocumentRepository, documents=SALTED, parts=SALTED_PARTS, erasures=ERASURES)
