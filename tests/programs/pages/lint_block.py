"""The block about lint: what a design accepts, and what the rules find in variants that are not to be copied."""

from shared.designs.design import Design
from shared.exhibit.cost_tables import listed
from shared.exhibit.linting import Linted, accepted_findings, lint_variant, needless
from shared.exhibit.markdown import below, filled, markdown_list


def lint_block(design: Design) -> str:
    """What `rowbook lint` finds in a design, and in variants that are not to be copied.

    Raises ValueError for a finding that is neither mended nor accepted.
    """
    right = [lint_variant(design, variant) for variant in design.variants if variant.is_to_copy]
    open_findings = [str(finding) for linted in right for finding in linted.findings]
    open_findings += [f"{accepted} accepts nothing" for accepted in needless(design, right)]
    if open_findings:
        raise ValueError(f"{design.name}: lint must find nothing that is not accepted (got {', '.join(open_findings)})")
    name = f"`rowbook lint {design.name}`"
    accepts = markdown_list(
        f"**{accepted.rule}** in {listed(dict.fromkeys(f'`{finding.table}`' for finding in findings))}, because "
        f"{accepted.reason}"
        for accepted, findings in accepted_findings(right)
    )
    blocks = [below(f"{name} finds nothing to mend. It accepts:", accepts) if accepts else f"{name} finds nothing."]
    wrong = [lint_variant(design, variant) for variant in design.variants if not variant.is_to_copy]
    if found := "; ".join(_findings_of(linted) for linted in wrong if linted.findings):
        blocks.append(filled(f"It also finds what is wrong with the keys that are not to be copied: {found}."))
    return "\n\n".join(blocks)


def _findings_of(linted: Linted) -> str:
    """The rules that a variant breaks."""
    rules = dict.fromkeys(f"**{finding.rule}**" for finding in linted.findings)
    return f"`{linted.variant.name}` {listed(rules)}"
