"""`rowbook lint`, a chapter of `review`: findings of the rules in the tables of a design, and the sizes of cells."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
from rich.console import Console

from ...designs import Accepted, Design, Variant
from ...exhibit.linting import Linted, LintFinding, accepted_findings, lint_variant, needless
from ...exhibit.linting.sizes import SIZE_COLUMNS, SIZES_CAPTION, size_row, sized_tables, sizes_of
from ...keys.errors import listed
from ..named.designs import find_variants, full_name
from ..screen.progress import doing
from ..screen.terminal import count, heading, json_object, line, wrapped
from ..screen.text_tables import table

INDENT = 4
SHOWN = 3
"""Findings that a page with all chapters shows."""


def lint(out: Console, errors: Console, name: str, *, as_json: bool) -> int:
    """Prints what the rules find in a design, or in the variant that is named; returns the exit code: 1 for findings.

    Of a whole design, variants that are not to be copied are left out: their findings are what they show.
    """
    design, variants = find_variants(name)
    with doing(errors, name) as tell:
        findings = lint_design(design, variants, tell)
    if as_json:
        json_object(out, findings.as_json())
    else:
        findings.show(out)
    return int(bool(findings.number))


def lint_design(design: Design, variants: Sequence[Variant], tell: Callable[[str], None]) -> "LintFindings":
    """Applies the rules to these variants of a design."""
    is_whole = len(variants) == len(design.variants)
    linted: list[Linted] = []
    for variant in variants:
        if variant.is_to_copy or not is_whole:
            tell(f"linting {variant.name}")
            linted.append(lint_variant(design, variant))
    left_out = [full_name(design, variant) for variant in variants if is_whole and not variant.is_to_copy]
    return LintFindings(design, linted, list(needless(design, linted)) if is_whole else [], left_out)


@attrs.frozen
class LintFindings:
    """What the rules find in some variants of a design."""

    design: Design
    linted: Sequence[Linted]
    superfluous: Sequence[Accepted]
    """What the design accepts and no rule finds."""
    left_out: Sequence[str]
    """The variants that are not to be copied."""

    @property
    def number(self) -> int:
        """The number of findings that the design does not accept."""
        return sum(len(of_variant.findings) for of_variant in self.linted)

    def brief(self) -> Iterator[str]:
        """A few lines for a page with all chapters."""
        findings = [
            f"{full_name(self.design, of_variant.variant)}: {finding.rule}: {finding.table}: {finding.reason}"
            for of_variant in self.linted
            for finding in of_variant.findings
        ]
        yield from findings[:SHOWN]
        if len(findings) > SHOWN:
            yield f"and {count(len(findings) - SHOWN, 'finding')} more"
        if not findings:
            yield f"nothing to mend in {count(len(self.linted), 'variant')}"
        for accepted, of_rule in accepted_findings(self.linted):
            yield f"accepted: {accepted.rule} in {listed(dict.fromkeys(finding.table for finding in of_rule))}"

    def show(self, to: Console) -> None:
        """Writes all findings, with what mends them, and the sizes of keys and cells."""
        for of_variant in self.linted:
            if of_variant.findings:
                line(to, full_name(self.design, of_variant.variant), style="bold")
            for finding in of_variant.findings:
                wrapped(to, f"  {finding.rule}: {finding.table}: {finding.reason}", INDENT)
                wrapped(to, f"    to mend it, {finding.advice}", INDENT)
        clean = [full_name(self.design, of_variant.variant) for of_variant in self.linted if not of_variant.findings]
        if clean:
            wrapped(to, f"nothing to mend in {listed(clean)}", INDENT, "bold")
        for sentence in _not_judged(self.linted):
            wrapped(to, f"  not judged: {sentence}", INDENT)
        for accepted, findings in accepted_findings(self.linted):
            tables = listed(dict.fromkeys(finding.table for finding in findings))
            wrapped(to, f"  accepted: {accepted.rule} in {tables}, because {accepted.reason}", INDENT)
        for accepted in self.superfluous:
            wrapped(to, f"  accepted, but not found: {accepted.rule}{_in_tables(accepted)}: remove it", INDENT)
        if self.left_out:
            wrapped(
                to, f"not linted, because not to be copied: {', '.join(self.left_out)}; name one to lint it", INDENT
            )
        heading(to, "Sizes of the samples, in bytes before compression")
        table(to, SIZE_COLUMNS, map(size_row, sized_tables(self.linted)), SIZE_COLUMNS[1:], fitted=True)
        wrapped(to, SIZES_CAPTION, 0)

    def as_json(self) -> dict[str, Any]:
        """The findings, what is accepted, and the sizes."""
        return {
            "design": self.design.name,
            "findings": [
                _finding(of_variant, finding) for of_variant in self.linted for finding in of_variant.findings
            ],
            "accepted": [
                {**_finding(of_variant, finding), "because": accepted.reason}
                for of_variant in self.linted
                for finding, accepted in of_variant.accepted
            ],
            "accepted_without_finding": [
                {"rule": accepted.rule, "tables": accepted.tables, "because": accepted.reason}
                for accepted in self.superfluous
            ],
            "not_judged": _not_judged(self.linted),
            "not_linted": self.left_out,
            "sizes": [{"table": sized.layout.name, **sizes_of(sized)} for sized in sized_tables(self.linted)],
        }


def _in_tables(accepted: Accepted) -> str:
    return f" in {listed(accepted.tables)}" if accepted.tables else ""


def _not_judged(linted: Sequence[Linted]) -> list[str]:
    """What the samples of these variants do not show, each sentence once."""
    return list(dict.fromkeys(sentence for of_variant in linted for sentence in of_variant.not_judged))


def _finding(of_variant: Linted, finding: LintFinding) -> dict[str, Any]:
    return {
        "variant": of_variant.variant.name,
        "table": finding.table,
        "rule": finding.rule,
        "reason": finding.reason,
        "advice": finding.advice,
    }
