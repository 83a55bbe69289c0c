"""A hash of the owner first: four hex digits of its md5, the last ones as published (S4.4), then the owner.

They spread owners whose ids count up, or start alike, over the whole table. Every question names its owner, so the
digits are computed again and it costs the same. The published hash is that of the whole key, which would scatter the
documents of one owner over 65,536 ranges. Choose it if new owners write more than one region can absorb. One owner is
still one range, in one region until HBase splits it.
"""

from shared.keys import HashPrefix, KeyLayout
from shared.tables import TableLayout
from shared.writes import erasures_tables, intents_table

from ..keys import DOCUMENTS, PARTS, SUMMARIES, DocumentOfOwner, GenerationOfDocument
from ..keys import TABLES as MAIN_TABLES

SALT = HashPrefix(of="owner", bytes=4, hex=True, take="last")

SALTED = TableLayout(
    "documents_salted", DOCUMENTS.holds, KeyLayout(DocumentOfOwner, SALT), DOCUMENTS.cells, DOCUMENTS.families
)

ERASURES, (ERASED_DOCUMENTS,) = erasures_tables("documents_salted_erasures", writers=1)
INTENTS = intents_table("documents_salted_intents")
"""Erasures and intents of its own, because they name rows of its source."""

TABLES = MAIN_TABLES._replace(
    documents=SALTED,
    summaries=TableLayout(SALTED.name, SUMMARIES.holds, SALTED.key, SUMMARIES.cells, SUMMARIES.families),
    parts=TableLayout(
        "documents_salted_parts",
        PARTS.holds,
        KeyLayout(GenerationOfDocument, SALT),
        PARTS.cells,
        PARTS.families,
    ),
    erasures=ERASURES,
    erased_documents=ERASED_DOCUMENTS,
    intents=INTENTS,
)
