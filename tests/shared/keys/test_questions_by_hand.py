"""Questions of `questions.toml` become the ranges written there, or are refused in those words."""

import re
import tomllib
from pathlib import Path

import pytest

from shared.keys import InvalidQuestion
from shared.keys.conditions import AnyOf
from shared.keys.ranges import RowRange, Stream, next_row
from tests.shared.specimens import layout_of, question_of

BY_HAND = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))


def cases(text):
    """The layout, the question and what is expected, from each line; an indented line continues the one before."""
    layout = ""
    for line in re.sub(r"\n +", " ", text).splitlines():
        if line.startswith("["):
            layout = line[1:-1]
        questions, is_case, wanted = line.partition(" -> ")
        for question in questions.split(" / ") if is_case and not line.startswith("#") else ():
            asked = "" if question == "(nothing)" else question
            yield pytest.param(layout_of(layout), question_of(asked), wanted, id=f"{layout}: {question}")


def data(text):
    return bytes.fromhex(re.sub("point|[=|]", "", text))


def range_of(text):
    start, is_interval, stop = text.partition("..")
    if not is_interval:
        return RowRange(data(start), next_row(data(start)))
    return RowRange(data(start), None if stop.strip() == "end" else data(stop))


def stream_of(text):
    merged_after, is_merged, _ = text.partition("|")
    return Stream(tuple(map(range_of, text.split(","))), len(data(merged_after)) if is_merged else 0)


def names(text):
    return re.findall(r"\w+", text or "")


def assert_plan(plan, layout, question, wanted):
    written = re.fullmatch(r"(.*?)(?: filtered (.*?))?(?: cut (.*?))?(?: bound (.*))?", wanted)
    streams = [] if written[1] == "nothing" else [stream_of(text) for text in written[1].split(";")]
    assert list(plan.streams) == streams
    assert plan.point == (data(written[1]) if written[1].startswith("point") else None)
    filtered, cut = names(written[2]), names(written[3])
    assert plan.residual == {name: question[name] for name in filtered + cut}
    assert plan.conditions == question
    bound = [part.name for part in layout.parts if part.name in question and part.name not in filtered]
    for range_ in plan.ranges:
        conditions = {name: condition for name, condition in range_.parts if name in layout.part_named}
        assert list(conditions) == (names(written[4]) if written[4] else bound)
        for name, condition in conditions.items():
            assert condition == question[name] or name in cut or isinstance(question[name], AnyOf)


@pytest.mark.parametrize(("layout", "question", "wanted"), [*cases(BY_HAND["plans"])])
def test_a_question_that_the_order_of_keys_answers_has_these_ranges(layout, question, wanted):
    for plan in (layout.plan(**question), layout.narrow(**question)):
        assert_plan(plan, layout, question, wanted)


@pytest.mark.parametrize(("layout", "question", "wanted"), [*cases(BY_HAND["narrowed"])])
def test_a_question_is_narrowed_to_these_ranges_and_the_rest_is_filtered(layout, question, wanted):
    assert_plan(layout.narrow(**question), layout, question, wanted)


REFUSED = [
    pytest.param(getattr(case.values[0], way), *case.values[1:], id=f"{way}: {case.id}")
    for ways, text in BY_HAND["refused"].items()
    for case in cases(text)
    for way in (("plan", "narrow") if ways == "both" else (ways,))
]


@pytest.mark.parametrize(("ask", "question", "wanted"), REFUSED)
def test_a_refusal_names_key_and_part(ask, question, wanted):
    with pytest.raises(InvalidQuestion) as refused:
        ask(**question)
    assert str(refused.value) == wanted
