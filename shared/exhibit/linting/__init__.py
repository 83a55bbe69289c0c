"""Lint: rules that look for what a table costs more than it seems, or loses.

    lint([LintedTable(layout), ...])       what layouts alone show
    lint(linted_tables(design, variant))   with the samples stored in memory, and all questions asked
    lint_variant(design, variant)          the same, without what the design accepts

To read: `rules.py` lists the rules; `key_rules.py` and `cell_rules.py` have a function for each,
`sample_values.py` tells what values are, and `subjects.py` is what the rules look at.
"""

from .linting import Linted, accepted_findings, lint_variant, needless
from .rules import RULE_OF, LintFinding, lint
from .subjects import Asked, Cell, LintedTable, Refused, Samples, linted_tables

__all__ = [
    "RULE_OF",
    "Asked",
    "Cell",
    "LintFinding",
    "Linted",
    "LintedTable",
    "Refused",
    "Samples",
    "accepted_findings",
    "lint",
    "lint_variant",
    "linted_tables",
    "needless",
]
