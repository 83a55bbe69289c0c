"""`changes` as the suite shows it: with its variants, published mistakes and measurements."""

import attrs

from shared.designs import Exemption, Variant, Wrong
from shared.exhibit import ShownDesign

from ..design import ALL_THEN, HISTORY, NOT_FED, NOW, OTHER_TABLES, REBUILT, THEN
from ..design import DESIGN as OWN
from .variants import by_table, published, salted, thin_log, whole_rows

DESIGN = ShownDesign.of(
    OWN,
    __package__,
    variants=(
        attrs.evolve(
            OWN.main,
            take_if="you ask for records and for the log",
            avoid_if="many readers follow single tables of a large source",
        ),
        Variant(
            by_table,
            "a log for each table",
            (REBUILT,),
            NOT_FED,
            take_if="readers follow single tables, as copies do",
            avoid_if="they follow whole sources of many tables",
        ),
        Variant(
            salted,
            "buckets of record keys and of positions",
            (REBUILT, OTHER_TABLES),
            NOT_FED,
            take_if="one region server cannot take the changes of one source",
            avoid_if="it can: log pages read eight ranges",
        ),
        Variant(
            thin_log,
            "the log holds only the key of the other row",
            (REBUILT, OTHER_TABLES),
            NOT_FED,
            take_if="storage is tight, and the log is read rarely",
            avoid_if="readers follow it: each page gets the changes",
        ),
        Variant(
            whole_rows,
            "the whole record with each change",
            (Exemption("rows", "the time is in no row key, so later changes are read too", (THEN,)), OTHER_TABLES),
            NOT_FED,
            take_if="you often ask for a record now",
            avoid_if="you mostly write: an UPDATE first reads the record",
        ),
        Variant(
            published,
            "published: one table; seconds, and positions as text",
            (
                REBUILT,
                Exemption(
                    "rows", "the key has no source and no table, so all records with this key are read", (HISTORY,)
                ),
                Exemption("order", "the changes of one second come oldest first", (HISTORY,)),
            ),
            wrong=Wrong("the newest of several changes in one second", (NOW, THEN, ALL_THEN)),
            without_upkeep="is one table without a watermark, so there is nothing to compare it with",
        ),
    ),
)
