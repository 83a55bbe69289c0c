"""What questions read as the data grows, in sentences."""

from collections.abc import Iterable, Iterator, Mapping

from ..designs.design import Design
from .cost_tables import listed
from .growth import GROWS_BY, TIMES, Growth, RecordedGrowth


def how_many_grow(design: Design, recorded: RecordedGrowth, mark: str = "") -> str:
    """`4 of 6 costs of logs grow`, `no cost of catalog grows, but 2 of one-table do`.

    A variant is named if costs grow in it that are constant or refused in the design itself. `mark` encloses names.
    """
    growing, own = len(_with_course("grows", recorded.own)), len(recorded.own)
    costs = f"{'every' if growing else 'no'} cost" if growing in (0, own) else f"{growing} of {own} costs"
    words = f"{costs} of {mark}{design.name}{mark} {'grow' if 1 < growing < own else 'grows'}"
    of_variants = {variant: len(recorded.differing(variant)["grows"]) for variant in recorded.others}
    others = [f"{number} of {mark}{variant}{mark}" for variant, number in of_variants.items() if number]
    if not others:
        return words
    verb = "does" if sum(of_variants.values()) == 1 else "do"
    return f"{words}, and so {verb} {listed(others)}" if growing else f"{words}, but {listed(others)} {verb}"


def growth_sentence(design: Design, recorded: RecordedGrowth) -> str:
    """How many costs of the design itself are constant, and which grow; then the variants that differ."""
    constant = len(_with_course("constant", recorded.own))
    how_many = "all" if constant in (0, len(recorded.own)) else f"{constant} of {len(recorded.own)}"
    stay = "grow" if not constant else "stays flat" if constant == 1 else "stay flat"
    courses = f"{how_many} costs of `{design.name}` {stay}"
    first, last = (f"{recorded.records[at]:,}" for at in (0, -1))
    sizes = f"From {first} to {last} {listed(load.name for load in design.loads)}"
    clauses = list(_factors(recorded.own))
    factors = [f"With {TIMES[-1] // TIMES[-2]} times the data, {'; '.join(clauses)}."] if clauses else []
    return " ".join([f"{sizes}, {courses}.", *factors, *_ends(recorded.own), *_variants(recorded)])


def _with_course(course: str, growths: Mapping[str, Growth]) -> list[str]:
    return [question for question, growth in growths.items() if growth.course == course]


def _quoted(questions: Iterable[str]) -> str:
    return listed(f'"{question}"' for question in questions)


def _factors(growths: Mapping[str, Growth]) -> Iterator[str]:
    """By how much costs of the design itself grow: a clause for each factor."""
    alike: dict[str, list[str]] = {}
    for question, growth in growths.items():
        if growth.factor >= GROWS_BY:
            alike.setdefault(f"{growth.factor:.1f}".removesuffix(".0"), []).append(question)
    for factor, questions in alike.items():
        is_every = len(questions) == len(growths) > 1
        verb = "reads" if is_every or len(questions) == 1 else "read"
        yield f"{'every question' if is_every else _quoted(questions)} {verb} {factor} times as much"


def _ends(growths: Mapping[str, Growth]) -> Iterator[str]:
    """At which size a page would read too much, and what happens then."""
    alike: dict[int, dict[str, list[str]]] = {}
    for question, growth in growths.items():
        if growth.ends:
            alike.setdefault(TIMES[len(growth.read)], {}).setdefault(growth.ends, []).append(question)
    for times, by_end in alike.items():
        clauses: list[str] = []
        if refused := by_end.get("refused"):
            clauses.append(f"{_quoted(refused)} {'is' if len(refused) == 1 else 'are'} refused")
        if early := by_end.get("ends early"):
            clauses.append(f"a page of {_quoted(early)} ends early")
        yield f"At {times} times the samples, {listed(clauses)}."


def _variants(recorded: RecordedGrowth) -> Iterator[str]:
    """The variants that may be copied and differ: how many more costs are constant in them, and which grow."""
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for variant in recorded.others:
        differing = recorded.differing(variant)
        alike.setdefault((tuple(differing["constant"]), tuple(differing["grows"])), []).append(f"`{variant}`")
    alike.pop(((), ()), None)
    for (constant, growing), variants in alike.items():
        flat = f"{len(constant)} more cost{' stays' if len(constant) == 1 else 's stay'} flat"
        clauses = [flat] if constant else []
        clauses += [f"{_quoted(growing)} {'grows' if len(growing) == 1 else 'grow'}"] if growing else []
        yield f"In {listed(variants)}, {listed(clauses)}."
