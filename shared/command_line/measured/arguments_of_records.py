"""Arguments for the questions of a design, taken from records of one's own.

An argument is a value of the attribute with its name or, if there is none, of an attribute that holds the sample's
value in the samples, such as `receiver` for the `user` of an inbox. Of all records those with the most frequent values
are taken, so a question costs what it costs for the busiest host or user. A period is as long as the sample's, and
holds the middle one of these records.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter
from typing import Any, Literal, get_origin

import attrs

from ...designs import AccessPattern, Load
from ..named.typed_values import pairs, values_of
from ..screen.wrong_usage import check_name

ALIGNMENTS_MS = (86_400_000, 3_600_000, 60_000, 1000, 1)
"""A day, an hour, a minute, a second, a millisecond: a time is cut to the longest of them that the sample is cut to."""
SINCE, UNTIL = "since_ms", "until_ms"
PREFIX = "_prefix"


class OwnArguments:
    """Arguments from the records of a load; `words` are those that the user gives, `field=value`."""

    def __init__(self, load: Load, records: Sequence[Any], words: Sequence[str]) -> None:
        self._records = records
        self._samples = [*load.sample_records()]
        self._fields = [field.name for field in attrs.fields(load.record)]
        self._time = next((name for name in self._fields if name.endswith("_ms")), "")
        self._words = pairs(words)

    def check(self, patterns: Iterable[AccessPattern]) -> None:
        """Raises WrongUsage if the user gives an argument that no question has."""
        names = {parameter.name for pattern in patterns for parameter in pattern.parameters}
        names |= {name.removesuffix("_ms") for name in names}
        for name in self._words:
            check_name("argument for --with", name, sorted(names))

    def of(self, pattern: AccessPattern) -> tuple[dict[str, Any], list[str]]:
        """The arguments of a question, and the names of those that the records do not show."""
        parameters = {parameter.name: parameter for parameter in pattern.parameters}
        types = {name: parameter.annotation for name, parameter in parameters.items()}
        words = [f"{name}={text}" for name, text in self._words.items() if {name, f"{name}_ms"} & types.keys()]
        given = values_of(words, types, "argument")
        period = {SINCE, UNTIL} if {SINCE, UNTIL} <= pattern.sample.keys() else set[str]()
        taken = {name: value for name, value in pattern.sample.items() if name not in {*given, *period}}
        sources = self._sources(taken)
        records = self._busiest([*sources.values()])
        middle = records[len(records) // 2]
        arguments: dict[str, Any] = {}
        missing: list[str] = []
        for name, sample in pattern.sample.items():
            if name in given:
                arguments[name] = given[name]
            elif name in sources:
                value = getattr(middle, sources[name])
                arguments[name] = value[: len(sample)] if name.endswith(PREFIX) else value
            elif name.endswith("_ms") and self._time:
                arguments[name] = self._moment(middle, name, pattern.sample)
            elif get_origin(parameters[name].annotation) is Literal:
                arguments[name] = sample
            else:
                missing.append(name)
        arguments |= given
        missing += [
            name for name, of in parameters.items() if of.default is Parameter.empty and name not in pattern.sample
        ]
        return arguments, [name for name in missing if name not in arguments]

    def _sources(self, sample: Mapping[str, Any]) -> dict[str, str]:
        """The attribute from which each argument is taken, if there is one."""
        sources = {name: name for name in sample if name in self._fields}
        for name, value in sample.items():
            stem = name.removesuffix(PREFIX)
            if stem != name:
                fitting = [field for field in self._fields if field == stem or field.endswith(f"_{stem}")]
            elif name in sources or name.endswith("_ms") or not isinstance(value, str | bytes | int):
                continue
            else:
                holding = (field for field in self._fields if field not in sources.values())
                fitting = [
                    field for field in holding if any(getattr(record, field) == value for record in self._samples)
                ]
            if fitting:
                sources[name] = fitting[0]
        return sources

    def _busiest(self, fields: Sequence[str]) -> list[Any]:
        """The records with the most frequent values of some attributes."""
        values = [tuple(str(getattr(record, field)) for field in fields) for record in self._records]
        ((most_frequent, _times),) = Counter(values).most_common(1)
        return [record for record, of_record in zip(self._records, values, strict=True) if of_record == most_frequent]

    def _moment(self, middle: Any, name: str, sample: Mapping[str, Any]) -> int:
        """A time of a question near that of a record."""
        time_ms: int = getattr(middle, self._time)
        if name not in (SINCE, UNTIL) or not {SINCE, UNTIL} <= sample.keys():
            return _aligned(time_ms, sample[name])
        since_ms = _aligned(time_ms, sample[SINCE])
        return since_ms if name == SINCE else since_ms + sample[UNTIL] - sample[SINCE]


def _aligned(time_ms: int, sample_ms: int) -> int:
    every_ms = next(every_ms for every_ms in ALIGNMENTS_MS if sample_ms % every_ms == 0)
    return time_ms - time_ms % every_ms
