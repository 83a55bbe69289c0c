"""What the first lines of `keys.py` say of each variant is what its page shows."""

import re
from operator import attrgetter

import pytest

from domains.changes import keys
from domains.changes.design import DESIGN, NOW, OF_TABLE, SINCE
from tests.copies import ROOT

SAID = {
    variant: costs
    for variant, _key, *costs in (
        re.split(" {2,}", line) for line in re.findall(r"^    ([a-z-]+ {2,}\S.*)$", keys.__doc__, re.MULTILINE)[1:]
    )
}


def shown():
    """The measured costs on the page, by variant and question."""
    costs = {}
    page = (ROOT / "domains" / "changes" / "README.md").read_text(encoding="utf-8")
    generated = page.partition("<!-- generated: costs -->")[2].partition("<!-- end -->")[0]
    for line in generated.splitlines():
        question, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if question == "question":
            variants = [cell.removesuffix(" (wrong)") for cell in cells]
        elif len(cells) > 1:
            costs |= {(variant, question): cell or cells[0] for variant, cell in zip(variants, cells, strict=True)}
    return costs


def in_short(words):
    """A cost without numbers of gets and of rows."""
    words = re.sub(r", 1 get$", "", words)
    return re.sub(r"\d+(?= gets)|[\d.]+x, ", "", words).replace(",  gets", ", gets")


@pytest.mark.parametrize("variant", DESIGN.variants, ids=attrgetter("name"))
def test_a_reader_of_the_keys_learns_what_every_variant_costs(variant):
    costs = shown()
    questions = [question.question for question in (NOW, SINCE, OF_TABLE)]
    assert [in_short(costs[variant.name, question]) for question in questions] == SAID[variant.name]
