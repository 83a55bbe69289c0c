"""Every rule of lint, and what they find in some tables."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from ...tables import TableLayout
from . import cell_rules, key_rules
from .key_rules import ReasonsAndAdvice
from .subjects import LintedTable


@attrs.frozen
class LintFinding:
    """Something in a table that costs more than it seems, or loses records."""

    rule: str
    """A key of `LINT_RULES`."""
    table: str
    reason: str
    """Why it is a finding, as a sentence without its full stop."""
    advice: str
    """What to do, as a clause that starts with a verb."""


RULE_OF: Mapping[str, Callable[[LintedTable], ReasonsAndAdvice]] = {
    "rising": key_rules.rising,
    "unsplit": key_rules.unsplit,
    "text-number": key_rules.text_number,
    "unbound": key_rules.unbound,
    "whole-table": key_rules.whole_table,
    "long-key": cell_rules.long_key,
    "many-ranges": key_rules.many_ranges,
    "few-buckets": key_rules.few_buckets,
    "tie": key_rules.tie,
    "wide-row": key_rules.wide_row,
    "no-ttl": cell_rules.no_ttl,
    "source-ttl": cell_rules.source_ttl,
    "ttls-differ": cell_rules.ttls_differ,
}
"""The function of each of the `LINT_RULES`."""


def lint(tables: Iterable[LintedTable]) -> list[LintFinding]:
    """The findings of all rules in some tables, each once, in the order of the rules."""
    tables = list(tables)
    layouts_of: defaultdict[type[Any], list[TableLayout[Any, Any]]] = defaultdict(list)
    for table in tables:
        layouts_of[table.layout.cells.record].append(table.layout)
    tables = [attrs.evolve(table, of_records=layouts_of[table.layout.cells.record]) for table in tables]
    findings = (
        LintFinding(rule, table.layout.name, reason, advice)
        for rule, tell in RULE_OF.items()
        for table in tables
        for reason, advice in tell(table)
    )
    return list(dict.fromkeys(findings))
