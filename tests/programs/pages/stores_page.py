"""The page of the stores: their filters and limits."""

import logging

from shared.events import EVENTS
from shared.exhibit.markdown import markdown_list, markdown_table
from shared.keys.limits import MAX_CELL_BYTES, MAX_FILTER_BYTES, MAX_ROW_BYTES
from shared.stores.embedded import mutations, rules, scanners
from shared.stores.filters import comparators, java_patterns
from shared.stores.filters import language as filter_language
from shared.stores.server import memory, messages
from shared.stores.server import thrift_server as server
from tests.programs.pages.flipped_bits import flipped_bits_blocks

FILTERS = (
    "RowFilter(=, 'binary:r')",
    "PrefixFilter('p')",
    "InclusiveStopFilter('r')",
    "PageFilter(10)",
    "SingleColumnValueFilter('f', 'q', =, 'binary:v', true, true)",
    "SingleColumnValueExcludeFilter('f', 'q', =, 'binary:v', true, true)",
    "DependentColumnFilter('f', 'q', true, =, 'binary:v')",
    "FamilyFilter(=, 'binary:f')",
    "QualifierFilter(=, 'binary:q')",
    "ColumnPrefixFilter('p')",
    "MultipleColumnPrefixFilter('p', 'q')",
    "ColumnRangeFilter('a', true, 'b', false)",
    "ColumnValueFilter('f', 'q', =, 'binary:v')",
    "FirstKeyOnlyFilter()",
    "ColumnCountGetFilter(3)",
    "ColumnPaginationFilter(3, 0)",
    "ValueFilter(=, 'binary:v')",
    "KeyOnlyFilter()",
    "TimestampsFilter(5, 7)",
    "KeyOnlyFilter() AND PageFilter(10)",
    "PrefixFilter('a') OR PrefixFilter('b')",
    "SKIP ValueFilter(=, 'binary:v')",
    "WHILE ValueFilter(=, 'binary:v')",
)
"""Each filter of the filter language, with all its arguments; a test checks that none is missing."""


def _comparators_table() -> str:
    """The table in the docstring of `Comparison`."""
    lines = (comparators.Comparison.__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if line.strip().startswith("|"))


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".") + "."


def stores_blocks() -> dict[str, str]:
    """The blocks of the pages of the stores, from docstrings and constants; of a filter, its first trap."""
    of_filters: list[str] = []
    for words in FILTERS:
        filter = filter_language.parse_filter(words.encode())
        _, is_trap, trap = " ".join((filter.__doc__ or "").split()).replace("Traps: ", "Trap: ").partition(" Trap: ")
        if is_trap:
            of_filters.append(f"`{words}`: {_first_sentence(trap)}")
    of_limits = (
        ("row key", f"1 to {MAX_ROW_BYTES:,} bytes"),
        ("family", f"1 to {rules.MAX_FAMILY_BYTES} bytes"),
        ("cell", f"{MAX_CELL_BYTES:,} bytes: row, family, qualifier, value and 20 more"),
        ("idle scanner", f"{scanners.SCANNER_IDLE_S} s"),
        ("idle connection to `rowbook serve`, as to HBase's gateway", f"{server.CLIENT_IDLE_S:.0f} s"),
        ("framed message to `rowbook serve`, as to HBase's gateway", f"{messages.MAX_FRAME_BYTES:,} bytes"),
        ("buffered message to `rowbook serve`", f"{messages.MAX_MESSAGE_BYTES:,} bytes"),
        (
            "unanswered messages, unread replies, all clients",
            f"{memory.MAX_BUFFERED_BYTES:,} bytes, or `--buffer-mib`; up to {memory.SMALL_BYTES:,} always pass",
        ),
        ("text of a filter", f"{MAX_FILTER_BYTES:,} bytes"),
        ("all patterns of a filter, their counted repeats written out", f"{java_patterns.MAX_STEPS:,} steps"),
        ("search of a cell for a pattern", f"{comparators.MATCH_S} s"),
        (
            "open scanners",
            f"{scanners.MAX_SCANNER_BYTES:,} bytes; beyond that the least recently used one is closed",
        ),
        ("batch in one transaction", f"{mutations.MAX_ATOMIC_MUTATIONS:,} mutations"),
    )
    of_events = (
        (f"`{name}`", logging.getLevelName(kind.level).lower() if kind.level else "hook only", kind.when)
        for name, kind in EVENTS.items()
    )
    return {
        "events": markdown_table(("event", "level", "when"), of_events),
        "filters": markdown_list(of_filters),
        "comparators": _comparators_table(),
        "limits": markdown_table(("what", "limit"), of_limits),
    } | flipped_bits_blocks()
