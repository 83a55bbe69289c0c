"""The block about lint: what a design accepts, and what the rules find in variants that are not to be copied."""

from shared.designs.accepted import LINT_RULES
from shared.designs.design import Design
from shared.exhibit.cost_tables import listed
from shared.exhibit.linting import Linted, accepted_findings, lint_variant, needless
from shared.exhibit.markdown import below, filled, markdown_list


def lint_block(design: Design) -> str:
    """What `rowbook lint` finds in a design. Raises ValueError for a finding that is neither mended nor accepted."""
    right = [lint_variant(design, variant) for variant in design.variants if variant.is_to_copy]
    open_findings = [str(finding) for linted in right for finding in linted.findings]
    open_findings += [f"{accepted} accepts nothing" for accepted in needless(design, right)]
    if open_findings:
        raise ValueError(f"{design.name}: lint must find nothing that is not accepted (got {', '.join(open_findings)})")
    items = [
        f"**{accepted.rule}** in {listed(dict.fromkeys(f'`{finding.table}`' for finding in findings))}: "
        f"{LINT_RULES[accepted.rule]}; accepted, because {accepted.reason}"
        for accepted, findings in accepted_findings(right)
    ]
    caption = f"`rowbook lint {design.name}` finds nothing to mend"
    blocks = [below(f"{caption}. It accepts:", markdown_list(items)) if items else filled(f"{caption}.")]
    wrong = [lint_variant(design, variant) for variant in design.variants if not variant.is_to_copy]
    if wrong:
        shown = [line for linted in wrong for line in _findings_of(linted)]
        blocks.append(below("What it finds in the variants that are not to be copied:", markdown_list(shown)))
    return "\n\n".join(blocks)


def _findings_of(linted: Linted) -> list[str]:
    name = linted.variant.name
    findings = [
        f"`{name}`: **{finding.rule}** in `{finding.table}`: {finding.reason}; to mend it, {finding.advice}"
        for finding in linted.findings
    ]
    return findings or [f"`{name}`: nothing; what it loses does not show in the layout of its tables"]
