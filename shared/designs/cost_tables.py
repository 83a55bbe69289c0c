"""Measured costs as rows of text, for the terminal and for READMEs."""

from collections.abc import Iterable

from .metering import Measured

PATTERN_COLUMNS = (
    "question",
    "`rowbook ask`",
    "beyond the ranges",
    "ranges",
    "RPCs",
    "rows read",
    "rows returned",
    "bytes fetched",
    "bytes per key",
)


def pattern_rows(measured: Iterable[Measured]) -> list[tuple[str, ...]]:
    """One row of text per pattern, under `PATTERN_COLUMNS`."""
    return [(each.pattern.question, f"`{each.pattern.words}`", *_figures(each)) for each in measured]


def _figures(each: Measured) -> tuple[str, ...]:
    cost = each.cost
    if each.refused:
        return ("refused", *["-"] * (len(PATTERN_COLUMNS) - 3))
    return (
        each.beyond_ranges or "-",
        str(len(cost.ranges)),
        str(cost.rpcs),
        "-" if cost.rows_read is None else str(cost.rows_read),
        str(len(each.records)),
        str(cost.bytes_fetched),
        f"{cost.key_bytes / cost.rows_fetched:.1f}" if cost.rows_fetched else "-",
    )
