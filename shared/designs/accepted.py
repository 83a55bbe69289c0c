"""The rules of `rowbook lint` by name, and findings that a design accepts."""

import attrs

from ..records.fields import one_of

LINT_RULES = {
    "rising": "the key starts with a time or with numbers that count up, and nothing spreads it",
    "unsplit": "a prefix spreads the rows, but the table has no split points",
    "text-number": "a question compares numbers that the key holds as text",
    "unbound": "no question gives a part of the key, and questions compare a later one",
    "long-key": "the key is repeated in every cell of a row, and takes more bytes than all that the cells hold",
    "many-ranges": "a question would read more ranges than a plan may have",
    "few-buckets": "the values that a bucket is computed from are too few, or too regular, to fill the buckets",
    "tie": "two records may have the same key, and then one replaces the other",
    "no-ttl": "points are stored, and nothing removes the old ones",
    "source-ttl": "the cell that decides a write can expire",
    "ttls-differ": "a part of a record expires before the rest",
    "kept-tombstones": "a family keeps tombstones, which a table created through Thrift1 alone does not do",
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


LATE_PUTS = Accepted(
    "kept-tombstones",
    "a table that keeps none loses nothing: only a put that arrives minutes late, after a compaction of all files, can "
    "bring back a line of a list, which `verify` finds",
)
"""For designs with lists that an `IntentWriter` derives from sources."""
