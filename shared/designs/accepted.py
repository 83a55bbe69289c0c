"""The rules of `rowbook lint` by name, and findings that a design accepts."""

import attrs

from ..records.fields import one_of

LINT_RULES = {
    "rising": "all new rows go to one place, because the key, or its next part after a common start, rises",
    "unsplit": "a prefix spreads the rows, but the table has no split points, or most of its regions have no row",
    "text-number": "a question compares numbers that the key holds as text",
    "unbound": "no question gives this part of the key, but questions compare a later part",
    "whole-table": "a question reads all rows of the table, and returns few of them",
    "long-key": "the key, repeated in every cell, takes more than half of all bytes",
    "many-ranges": "a question reads many ranges for few records, or needs more than a plan may have",
    "few-buckets": "the values that a bucket is computed from are too few, or too regular, to fill the buckets",
    "tie": "two records may have the same key, so one replaces the other",
    "wide-row": "a row gets a cell for each event of its owner, without end",
    "no-ttl": "points are stored, and nothing removes the old ones",
    "source-ttl": "the cell that decides a write can expire",
    "ttls-differ": "a part of a record expires before the rest",
}
"""The rules, each with what a finding of it says. A finding also says why it is one, and what to do."""


@attrs.frozen
class Accepted:
    """A finding that a design keeps, and why; the design's page prints it."""

    rule: str = attrs.field(validator=one_of(*LINT_RULES))
    """A key of `LINT_RULES`."""
    reason: str
    """Why the design keeps it, as a clause after "because"."""
    tables: tuple[str, ...] = ()
    """The names of the tables in which the finding is accepted; empty for all."""
