"""A design's plain list: what every variant must answer, and the values of which random questions are made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import attrs
from hypothesis import strategies as st

from shared.designs import AccessPattern, Design
from shared.keys import InvalidQuestion, between
from shared.testing.paging import pages


@attrs.frozen
class PlainList:
    """A design, and the answers of its variants made from a plain list of the records that were stored.

    A plain list has a method for each question, named as in the repository. It raises InvalidQuestion if the variant
    must refuse the question. A set is an answer in row-key order; any other answer must be equal.
    """

    design: Design = attrs.field(repr=lambda design: design.name)
    of: Callable[[str, list[Any]], Any]
    """The plain list of a variant, by its name and the records that were stored, in their order."""
    values: Mapping[str, Sequence[Any]] = attrs.field(repr=False)
    """Values of the records' fields and of the questions' arguments, by `method.argument`, or by the name alone."""

    @property
    def records(self) -> st.SearchStrategy[list[Any]]:
        """Records of the design's one load; fields without values have their defaults."""
        record = self.design.loads[0].record
        names = [field.name for field in attrs.fields(record) if field.name in self.values]
        return st.lists(st.builds(record, **{name: st.sampled_from(self.values[name]) for name in names}), max_size=30)

    @property
    def questions(self) -> st.SearchStrategy[tuple[AccessPattern, dict[str, Any]]]:
        """Questions with their arguments; a period does not end before it begins."""
        patterns = {pattern.name: pattern for pattern in self.design.patterns}.values()
        return st.one_of(st.tuples(st.just(pattern), self._arguments(pattern)) for pattern in patterns)

    def _arguments(self, pattern: AccessPattern) -> st.SearchStrategy[dict[str, Any]]:
        drawn = {}
        for parameter in pattern.parameters:
            own_name = f"{pattern.method.__name__}.{parameter.name}"
            values = self.values[own_name if own_name in self.values else parameter.name]
            drawn[parameter.name] = st.sampled_from([None, *values] if parameter.default is None else values)
        return st.fixed_dictionaries(drawn).map(_in_order)


def _in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    since_ms, until_ms = arguments.get("since_ms"), arguments.get("until_ms")
    is_reversed = since_ms is not None and until_ms is not None and since_ms > until_ms
    return {**arguments, "since_ms": until_ms, "until_ms": since_ms} if is_reversed else arguments


def in_period(records: Iterable[Any], since_ms: int | None, until_ms: int | None, **wanted: Any) -> list[Any]:
    """The records from `since_ms` to `until_ms` (exclusive) that have these values; None stands for any value."""
    period, given = between(since_ms, until_ms), {name: value for name, value in wanted.items() if value is not None}
    return [
        record
        for record in records
        if record.time_ms in period and all(getattr(record, name) == value for name, value in given.items())
    ]


REFUSED = "refused"


def answer(pattern: AccessPattern, repository: Any, arguments: Mapping[str, Any], limit: int) -> Any:
    """The answer of a repository or of a plain list, a query's page by page; `REFUSED` if it refuses the question."""
    try:
        answered = pattern.ask(repository, **arguments)
        return [*chain(*pages(answered, limit))] if hasattr(answered, "page") else answered
    except InvalidQuestion:
        return REFUSED
