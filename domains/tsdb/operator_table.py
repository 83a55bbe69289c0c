"""The block of the page with every aggregator, downsampling and filter, from the code that computes them."""

from shared.designs.pages import markdown_table

from .aggregation import AGGREGATORS, DOWNSAMPLERS
from .query_text import FILLS, FILTER_KINDS, NONE, UNITS_MS

_BETWEEN = {
    "linear": "aggregators that interpolate where a series has no point",
    "zero": "aggregators that take 0 there",
    "max": "aggregators that take the largest number there",
    "min": "aggregators that take the least number there",
}


def operators_block() -> str:
    """A table of the words that a query text may have."""
    names: dict[str, list[str]] = {}
    for aggregator in AGGREGATORS.values():
        names.setdefault(_BETWEEN[str(aggregator.between)], []).append(aggregator.name)
    rows = [
        *names.items(),
        ("the aggregator that leaves each series as it is", [NONE]),
        ("downsampling, such as `1h-avg`", [*DOWNSAMPLERS]),
        ("units of its intervals", [*UNITS_MS]),
        ("its numbers for intervals without points, such as `1h-avg-zero`", [*FILLS]),
        ("rates", ["rate", "rate{counter,MAX,RESET}", "rate{dropcounter,MAX,RESET}"]),
        ("filters by whole values: `{host=literal_or(web-1)}`", [kind for kind in FILTER_KINDS if "literal" in kind]),
        ("filters by patterns", [kind for kind in FILTER_KINDS if "literal" not in kind]),
    ]
    return markdown_table(
        ("in a query", "words"), [[what, " ".join(f"`{word}`" for word in words)] for what, words in rows]
    )
