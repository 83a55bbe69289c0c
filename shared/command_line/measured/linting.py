"""`rowbook lint`: findings of the rules in the tables of a design, and the sizes of keys and cells."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from ...designs import Accepted, Design
from ...exhibit.linting import Linted, LintFinding, accepted_findings, lint_variant, needless
from ...exhibit.linting.sizes import SIZE_COLUMNS, SIZES_CAPTION, size_row, sized_tables, sizes_of
from ...keys.errors import listed
from ..named.designs import find_variants, full_name
from ..screen.progress import doing
from ..screen.terminal import heading, json_object, line, wrapped
from ..screen.text_tables import table

INDENT = 4


def lint(out: Console, errors: Console, name: str, *, as_json: bool) -> int:
    """Prints what the rules find in a design, or in the variant that is named; returns the exit code: 1 for findings.

    Of a whole design, variants that are not to be copied are left out: their findings are what they show.
    """
    design, variants = find_variants(name)
    is_whole = len(variants) == len(design.variants)
    wanted = [variant for variant in variants if variant.is_to_copy or not is_whole]
    linted: list[Linted] = []
    with doing(errors, name) as tell:
        for variant in wanted:
            tell(full_name(design, variant))
            linted.append(lint_variant(design, variant))
    left_out = [full_name(design, variant) for variant in variants if is_whole and not variant.is_to_copy]
    superfluous = list(needless(design, linted)) if is_whole else []
    if as_json:
        json_object(out, _as_json(design, linted, superfluous, left_out))
    else:
        _show(out, design, linted, superfluous, left_out)
    return int(any(of_variant.findings for of_variant in linted))


def _show(
    to: Console, design: Design, linted: Sequence[Linted], superfluous: Sequence[Accepted], left_out: Sequence[str]
) -> None:
    for of_variant in linted:
        if of_variant.findings:
            line(to, full_name(design, of_variant.variant), style="bold")
        for finding in of_variant.findings:
            wrapped(to, f"  {finding.rule}: {finding.table}: {finding.reason}", INDENT)
            wrapped(to, f"    to mend it, {finding.advice}", INDENT)
    clean = [full_name(design, of_variant.variant) for of_variant in linted if not of_variant.findings]
    if clean:
        wrapped(to, f"nothing to mend in {listed(clean)}", INDENT, "bold")
    for sentence in _not_judged(linted):
        wrapped(to, f"  not judged: {sentence}", INDENT)
    for accepted, findings in accepted_findings(linted):
        tables = listed(dict.fromkeys(finding.table for finding in findings))
        wrapped(to, f"  accepted: {accepted.rule} in {tables}, because {accepted.reason}", INDENT)
    for accepted in superfluous:
        wrapped(to, f"  accepted, but not found: {accepted.rule}{_in_tables(accepted)}: remove it", INDENT)
    if left_out:
        wrapped(to, f"not linted, because not to be copied: {', '.join(left_out)}; name one to lint it", INDENT)
    heading(to, "Sizes of the samples, in bytes before compression")
    table(to, SIZE_COLUMNS, map(size_row, sized_tables(linted)), SIZE_COLUMNS[1:], fitted=True)
    wrapped(to, SIZES_CAPTION, 0)


def _in_tables(accepted: Accepted) -> str:
    return f" in {listed(accepted.tables)}" if accepted.tables else ""


def _not_judged(linted: Sequence[Linted]) -> list[str]:
    """What the samples of these variants do not show, each sentence once."""
    return list(dict.fromkeys(sentence for of_variant in linted for sentence in of_variant.not_judged))


def _as_json(
    design: Design, linted: Sequence[Linted], superfluous: Sequence[Accepted], left_out: Sequence[str]
) -> dict[str, Any]:
    return {
        "design": design.name,
        "findings": [_finding(of_variant, finding) for of_variant in linted for finding in of_variant.findings],
        "accepted": [
            {**_finding(of_variant, finding), "because": accepted.reason}
            for of_variant in linted
            for finding, accepted in of_variant.accepted
        ],
        "accepted_without_finding": [
            {"rule": accepted.rule, "tables": accepted.tables, "because": accepted.reason} for accepted in superfluous
        ],
        "not_judged": _not_judged(linted),
        "not_linted": left_out,
        "sizes": [{"table": sized.layout.name, **sizes_of(sized)} for sized in sized_tables(linted)],
    }


def _finding(of_variant: Linted, finding: LintFinding) -> dict[str, Any]:
    return {
        "variant": of_variant.variant.name,
        "table": finding.table,
        "rule": finding.rule,
        "reason": finding.reason,
        "advice": finding.advice,
    }
