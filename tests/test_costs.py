"""Costs that hold: what a variant promises of a question is still so where its tables are sixteen times as large.

`Variant.same_ranges` and `Variant.rows_as_returned` name the questions of which something is promised. Here the tables
grow, and every pattern of these questions is asked at every size. A promise is broken by a pattern that

- reads more ranges or fewer when the tables have grown (`same_ranges`),
- reads more than two rows for each that it returns and each range that it opens (`rows_as_returned`),
- is refused (either).

A name that is no question of the design is a broken promise too.
"""

from functools import cache

import attrs
import pytest

from domains.cli import DESIGNS
from fixtures.logs import make_logs
from fixtures.orders import make_orders
from shared.designs import measure
from tests.engines import Embedded

GENERATED = {
    "orders": lambda times: make_orders.orders(320 * times),
    "logs": lambda times: make_logs.logs(60 * times),
}
SIZES = (1, 4, 16)
"""How many times the samples."""
ROWS_FOR_ONE = 2
"""A range is read one row further to see that it ends, and of several that are merged each is read a little ahead."""

EMBEDDED = Embedded()

BY_NAME = {design.name: design for design in DESIGNS}
PROMISING = [
    (design.name, variant.name)
    for design in DESIGNS
    for variant in design.variants
    if variant.same_ranges or variant.rows_as_returned
]


def variant_named(design_name, name):
    (found,) = (variant for variant in BY_NAME[design_name].variants if variant.name == name)
    return found


# ---- tables that grow -------------------------------------------------------------------------------


@cache
def additions(design_name):
    """For each size the records that the size before did not have; each size as if loaded from one file."""
    design = BY_NAME[design_name]
    seen, found = {}, []
    for times in SIZES:
        passed = design.each_file()
        size = dict.fromkeys(passed(design.record(**values)) for values in GENERATED[design_name](times))
        found.append([record for record in size if record not in seen])
        seen |= size
    return found


@cache
def grown(design_name, variant_name, engine=EMBEDDED):
    """A list for each size: every question of a variant, measured in its tables at that size."""
    design, variant = BY_NAME[design_name], variant_named(design_name, variant_name)
    with engine.store(*variant.tables) as connection:
        repository = variant.open(connection)
        measured = []
        for added in additions(design_name):
            for record in added:
                design.store(repository, record)
            measured.append(measure(connection, repository, design.patterns))
        return measured


def test_every_design_has_records_of_any_number():
    assert GENERATED.keys() == BY_NAME.keys()


@pytest.mark.parametrize("design_name", BY_NAME)
def test_every_size_has_at_least_three_times_the_records_of_the_one_before(design_name):
    first, second, third = map(len, additions(design_name))
    assert first + second >= 3 * first
    assert first + second + third >= 3 * (first + second)


# ---- promises ---------------------------------------------------------------------------------------


def broken(variant, measured):
    """What a variant promises and, measured at each size, does not keep: a line for each, as `rowbook ask` takes it."""
    questions = {each.pattern.name for each in measured[0]}
    named = (*variant.same_ranges, *variant.rows_as_returned)
    found = [f"{name}: is no question" for name in named if name not in questions]
    for sizes in zip(*measured, strict=True):  # one pattern at every size
        pattern = sizes[0].pattern
        if pattern.name in named and (reason := refused(sizes)):
            found.append(f"{pattern.words}: is refused, {reason}")
            continue
        if pattern.name in variant.same_ranges and (wrong := ranges_that_change(sizes)):
            found.append(f"{pattern.words}: {wrong}")
        if pattern.name in variant.rows_as_returned and (wrong := rows_too_many(sizes)):
            found.append(f"{pattern.words}: {wrong}")
    return found


def refused(sizes):
    """Why a pattern is refused, at the first size where it is."""
    return next((each.refused for each in sizes if each.refused), "")


def ranges_that_change(sizes):
    """In how many ranges a pattern reads at each size, where that is not the same."""
    ranges = [len(each.cost.ranges) for each in sizes]
    return f"reads {', '.join(map(str, ranges))} ranges" if len(set(ranges)) > 1 else ""


def rows_too_many(sizes):
    """What a pattern reads and returns, at the first size where that is out of proportion."""
    for each in sizes:
        rows, ranges = len(each.records), len(each.cost.ranges)
        if each.rows_read > ROWS_FOR_ONE * (rows + ranges):
            return f"reads {each.rows_read} rows, returns {rows} (ranges: {ranges})"
    return ""


@pytest.fixture(scope="module", params=PROMISING, ids=":".join)
def promising(request, engine):
    """A variant that promises something, and what was measured of it."""
    return variant_named(*request.param), grown(*request.param, engine)


@pytest.mark.long
def test_what_a_variant_promises_holds_at_every_size(promising):
    assert broken(*promising) == []


@pytest.mark.long
def test_every_question_of_which_something_is_promised_finds_records_at_every_size(promising):
    variant, measured = promising
    named = {*variant.same_ranges, *variant.rows_as_returned}
    asked = [each for size in measured for each in size if each.pattern.name in named]
    assert [each.pattern.question for each in asked if not each.records] == []


# ---- promises that would be broken ------------------------------------------------------------------

TEN_MINUTES = "since=2026-01-12T08:40:00.000Z until=2026-01-12T08:50:00.000Z"


@pytest.mark.parametrize(
    ("design_name", "variant_name", "promise", "found"),
    [
        (
            "orders",
            "newest-first",
            {"rows_as_returned": ("of-seller",)},
            ["of-seller seller_id=s-17 status=cancelled: reads 144 rows, returns 6 (ranges: 1)"],
        ),
        (
            "logs",
            "newest-first",
            {"rows_as_returned": ("hosts-like",)},
            [f"hosts-like host_prefix=db- {TEN_MINUTES}: reads 168 rows, returns 23 (ranges: 1)"],
        ),
        (
            "logs",
            "time-first",
            {"rows_as_returned": ("window",)},
            [f"window {TEN_MINUTES} host=web-1: reads 200 rows, returns 56 (ranges: 1)"],
        ),
        (
            "orders",
            "index-table",
            {"same_ranges": ("numbered",)},
            ["numbered number_prefix=n-31: reads 12, 12, 101 ranges"],
        ),
    ],
)
def test_a_wrong_mark_is_caught_with_its_question_and_figures(design_name, variant_name, promise, found):
    variant = attrs.evolve(variant_named(design_name, variant_name), **promise)
    assert broken(variant, grown(design_name, variant_name)) == found


@pytest.mark.parametrize("mark", ["same_ranges", "rows_as_returned"])
def test_a_refused_question_keeps_no_promise(mark):
    variant = attrs.evolve(variant_named("orders", "hashed-number"), **{mark: ("numbered",)})
    (found,) = broken(variant, grown("orders", "hashed-number"))
    assert found.startswith(
        "numbered number_prefix=n-31: is refused, OrderByNumber: needs a single value for order_number"
    )


@pytest.mark.parametrize("mark", ["same_ranges", "rows_as_returned"])
def test_a_name_that_is_no_question_keeps_no_promise(mark):
    variant = attrs.evolve(variant_named("orders", "published"), **{mark: ("order", "of-nobody")})
    assert broken(variant, grown("orders", "published")) == ["of-nobody: is no question"]


def test_a_cost_that_grows_with_the_table_is_caught_at_the_size_where_it_begins():
    one, four, sixteen = (size[0] for size in grown("orders", "newest-first"))
    costly = attrs.evolve(sixteen, cost=attrs.evolve(sixteen.cost, rows_read=ROWS_FOR_ONE * 2 + 1))
    assert rows_too_many([one, four, sixteen]) == ""
    assert rows_too_many([one, four, costly]) == "reads 5 rows, returns 1 (ranges: 1)"
