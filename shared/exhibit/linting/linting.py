"""The findings of a variant: those to mend, and those that its design accepts."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from ...designs.accepted import Accepted
from ...designs.design import Design, Variant
from .key_rules import FEWEST_ROWS
from .rules import LintFinding, lint
from .subjects import LintedTable, linted_tables


@attrs.frozen
class Linted:
    """A variant, its tables, and what the rules find in them."""

    variant: Variant
    tables: Sequence[LintedTable]
    findings: Sequence[LintFinding]
    """The findings that nobody accepts."""
    accepted: Sequence[tuple[LintFinding, Accepted]]

    @property
    def not_judged(self) -> list[str]:
        """What the samples are too few to show, each as a sentence without its full stop."""
        rows_of = {table.layout.name: len(table.new_rows) for table in self.tables if table.is_filled}
        sentences = [
            f"{name}: its samples have {rows} of the {FEWEST_ROWS} rows that show where new ones go"
            for name, rows in rows_of.items()
            if rows < FEWEST_ROWS
        ]
        if not all(table.samples.is_in_order for table in self.tables):
            sentences.append(
                "no field tells when a record is written, so only keys with numbers that count up are judged"
            )
        return sentences


def lint_variant(design: Design, variant: Variant) -> Linted:
    """What the rules find in the tables of a variant, from the samples stored in memory, and all questions asked."""
    tables = linted_tables(design, variant)
    findings: list[LintFinding] = []
    accepted: list[tuple[LintFinding, Accepted]] = []
    for finding in lint(tables):
        reason = next((other for other in _accepted_by(design, variant) if accepts(other, finding)), None)
        if reason is None:
            findings.append(finding)
        else:
            accepted.append((finding, reason))
    return Linted(variant, tables, findings, accepted)


def accepts(accepted: Accepted, finding: LintFinding) -> bool:
    """Whether a design accepts this finding."""
    return accepted.rule == finding.rule and (not accepted.tables or finding.table in accepted.tables)


def needless(design: Design, linted: Iterable[Linted]) -> Iterator[Accepted]:
    """What a design accepts although no rule finds it in its variants, all of which must be given."""
    linted = list(linted)
    used = [accepted for of_variant in linted for _finding, accepted in of_variant.accepted]
    declared = [accepted for of_variant in linted for accepted in _accepted_by(design, of_variant.variant)]
    yield from dict.fromkeys(accepted for accepted in declared if accepted not in used)


def accepted_findings(linted: Iterable[Linted]) -> list[tuple[Accepted, list[LintFinding]]]:
    """What the variants accept, each once, with the findings that it accepts."""
    findings_of: dict[Accepted, list[LintFinding]] = {}
    for of_variant in linted:
        for finding, accepted in of_variant.accepted:
            findings_of.setdefault(accepted, []).append(finding)
    return list(findings_of.items())


def _accepted_by(design: Design, variant: Variant) -> tuple[Accepted, ...]:
    return (*variant.accepted, *design.accepted)
