"""The differences from OpenTSDB 2.4.1 that the page lists: other answers, and features that only OpenTSDB has.

`tests/opentsdb` asks a real OpenTSDB. It fails if an entry is no longer true, and if a difference is not listed.
"""

import attrs

from ..asking.downsampling import MAX_INTERVALS
from ..asking.query_text import SEARCH_S


@attrs.frozen
class Difference:
    """One question or write in which OpenTSDB and this design differ."""

    name: str
    """The name of its check in `tests/opentsdb`."""
    what: str
    theirs: str
    ours: str


DIFFERENCES = (
    Difference("end", "end of a period", "inclusive", "exclusive"),
    Difference("moment", "a period of one millisecond", "an error", "as any other"),
    Difference(
        "early",
        "a start or end before 1970-04-26T17:46:40Z, in milliseconds",
        "taken for seconds",
        "as any other",
    ),
    Difference("empty", "a group without points in the period", "answered without points", "left out"),
    Difference("float", "an int of a single series whose next point is a float", "shown as a float", "an int"),
    Difference("unknown", "a metric, tag or literal value without a UID", "an error", "no points, and a warning"),
    Difference("no-name", "a UID without a name", "an error if the question has to name it", "always an error"),
    Difference("infinite", "an infinite result or stored number", "an error", "`inf`"),
    Difference(
        "salt",
        "sums of floats, and `dev`, in a salted table",
        "added by bucket: other last digits",
        "as without a salt",
    ),
    Difference(
        "intervals",
        f"more than {MAX_INTERVALS:,} intervals of all series to fill, or by the calendar",
        "answered",
        "an error",
    ),
    Difference("null", "an interval that the fill policy `null` fills", "null", "NaN, as with `nan`"),
    Difference(
        "second-tag",
        "several filters on one tag, if another tag of the question has a lower UID",
        "may ignore a literal one",
        "applies all",
    ),
    Difference(
        "explicit",
        "`explicit_tags` with several literal values of each of two tags",
        "does not read some of the series",
        "reads all",
    ),
    Difference("steps", "unknown or misspelt steps of `m`; repeated ones", "ignored; the last one counts", "an error"),
    Difference(
        "regexp",
        "patterns of `regexp`",
        "Java's, for as long as they search",
        f"Python's, nearly the same, {SEARCH_S} s for a value",
    ),
    Difference(
        "ties",
        "cells of one time and timestamp",
        "the order of its heap decides",
        "a point in seconds, or the smallest qualifier",
    ),
    Difference("overlap", "two rows with points of the same times", "each point twice, or an error", "the first row's"),
    Difference("overwritten", "a point overwritten while its hour is compacted", "may be lost", "stays"),
    Difference("deletion", "deletion of a period", "whole hours, with their annotations", "the points of the period"),
)

MISSING_AGGREGATORS = {
    "median, mult, diff, squareSum, pfsum": ("median", "mult", "diff", "squareSum", "pfsum"),
    "percentiles": (
        *("p50", "p75", "p90", "p95", "p99", "p999"),
        *(f"ep{of}r{kind}" for of in (50, 75, 90, 95, 99, 999) for kind in (3, 7)),
    ),
}
"""The aggregators that only OpenTSDB has, by the words that the page uses for them."""

MISSING = (
    *MISSING_AGGREGATORS,
    "`0all-` intervals",
    "time zones other than UTC; times such as `2013/01/01-00:00`, or in seconds since 1970",
    "`percentiles[...]` and `show-histogram-buckets`",
    "`pre-agg` and `rollup_...`",
    "POST JSON",
    "`/api/query/exp`, `/api/query/gexp`, `/api/query/last`",
    "the fill policy `scalar`",
)
"""The features that only OpenTSDB has, in words."""
