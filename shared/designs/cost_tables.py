"""Measured costs as rows of text, for the terminal and for READMEs."""

import re
from collections.abc import Iterable, Sequence

import attrs

from .comparison import RANGES, Busiest, VariantCosts
from .metering import Measurement

QUESTION_COLUMNS = ("question", "cost", "ranges", "RPCs", "rows read", "returned", "bytes")
READ_COLUMNS = ("question", "filtered or sorted by", "rows read", "rows returned", "bytes fetched", "bytes per key")
WRITTEN_COLUMNS = ("rows written", "bytes stored", f"busiest of {RANGES} ranges")


def verdict(measurement: Measurement) -> str:
    """What a question costs, in a word or two.

    `1 range`: the store reads only rows that match. `6.2x, filtered`: the store reads 6.2 rows for each row that is
    returned.
    """
    if measurement.refused:
        return "refused"
    if not (measurement.client_work or measurement.server_filtered):
        return _count(len(measurement.cost.ranges), "range")
    if "order" in measurement.client_work:
        return f"{_read_per_returned_row(measurement)}, sorted"
    return f"{_read_per_returned_row(measurement)}, {'filtered' if measurement.client_work else 'server filter'}"


def rpcs(measurement: Measurement) -> str:
    """The RPCs of a question, and its ranges if there are several: `4`, `43 (8 ranges)`."""
    if measurement.refused:
        return "-"
    ranges = len(measurement.cost.ranges)
    return str(measurement.cost.rpcs) if ranges < 2 else f"{measurement.cost.rpcs} ({ranges} ranges)"


def _read_per_returned_row(measurement: Measurement) -> str:
    returned = len(measurement.records)
    return f"{measurement.rows_read / returned:.1f}x" if returned else f"{measurement.rows_read} for none"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def question_row(measurement: Measurement) -> tuple[str, ...]:
    """A question and its cost as one row of text, under `QUESTION_COLUMNS`."""
    cost = measurement.cost
    if measurement.refused:
        return (measurement.pattern.question, verdict(measurement), *["-"] * (len(QUESTION_COLUMNS) - 2))
    return (
        measurement.pattern.question,
        verdict(measurement),
        str(len(cost.ranges)),
        str(cost.rpcs),
        _rows_read(measurement),
        str(len(measurement.records)),
        str(cost.bytes_fetched),
    )


def read_row(measurement: Measurement) -> tuple[str, ...]:
    """A question and what it reads as one row of text, under `READ_COLUMNS`."""
    cost = measurement.cost
    if measurement.refused:
        return (measurement.pattern.question, "refused", *["-"] * (len(READ_COLUMNS) - 2))
    return (
        measurement.pattern.question,
        measurement.beyond_ranges or "-",
        _rows_read(measurement),
        str(len(measurement.records)),
        str(cost.bytes_fetched),
        f"{cost.key_bytes / cost.rows_fetched:.1f}" if cost.rows_fetched else "-",
    )


def _rows_read(measurement: Measurement) -> str:
    return "-" if measurement.cost.rows_read is None else str(measurement.cost.rows_read)


def written_row(variant_costs: VariantCosts) -> tuple[str, ...]:
    """Rows and bytes of one record, and the newest rows in each table's busiest range, under `WRITTEN_COLUMNS`."""
    return (
        f"{variant_costs.rows_per_record:.0f}",
        f"{variant_costs.bytes_per_record:.0f}",
        _shares(variant_costs.busiest),
    )


def _shares(tables: Sequence[Busiest]) -> str:
    """`28% of 200`; for several tables `100%, 43% of 37`, each with its own number of rows if these differ."""
    if len({busiest.newest for busiest in tables}) == 1:
        return f"{', '.join(f'{busiest.share:.0%}' for busiest in tables)} of {tables[0].newest}"
    return ", ".join(f"{busiest.share:.0%} of {busiest.newest}" for busiest in tables)


@attrs.frozen
class Refusal:
    """One reason why variants cannot answer questions."""

    reason: str
    groups: list[tuple[list[str], list[str]]]
    """Names of variants, and the questions that each of them refuses for this reason."""

    @property
    def line(self) -> str:
        """`needs ...: newest-first, host-first (all hosts, ten minutes), random (every question)`."""
        groups = ", ".join(f"{', '.join(names)} ({'; '.join(questions)})" for names, questions in self.groups)
        return f"{self.reason}: {groups}"


def refusals(variants: Iterable[VariantCosts]) -> list[Refusal]:
    """What the variants of a design refuse, in the planner's words: one `Refusal` for each reason.

    `every question` stands for all questions of the design. A reason starts with the key part that it is about, unless
    several parts have the same reason.
    """
    questions: dict[str, dict[str, list[str]]] = {}
    parts: dict[str, set[str]] = {}
    for variant_costs in variants:
        for measurement in variant_costs.measurements:
            if measurement.refused:
                part, reason = _part_and_reason(measurement.refused)
                refused_questions = questions.setdefault(reason, {}).setdefault(variant_costs.variant.name, [])
                refused_questions.append(measurement.pattern.question)
                if len(refused_questions) == len(variant_costs.measurements):
                    refused_questions[:] = ["every question"]
                parts.setdefault(reason, set()).add(part)
    result: list[Refusal] = []
    for reason, by_variant in questions.items():
        groups: dict[tuple[str, ...], list[str]] = {}
        for variant, refused_questions in by_variant.items():
            groups.setdefault(tuple(refused_questions), []).append(variant)
        part = parts[reason].pop() if len(parts[reason]) == 1 else ""
        reason_of_part = f"{part}: {reason}" if part else reason
        result.append(Refusal(reason_of_part, [(names, [*question_names]) for question_names, names in groups.items()]))
    return result


def _part_and_reason(message: str) -> tuple[str, str]:
    """`LogInSlices.time_ms: needs ...` as the part `time_ms` and the reason; the part is empty if none is named."""
    match = re.fullmatch(r"\w+\.(\w+): (.*)", message, re.DOTALL)
    return (match[1], match[2]) if match else ("", message)
