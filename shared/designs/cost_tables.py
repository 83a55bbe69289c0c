"""Measured costs as rows of text, for the terminal and for READMEs."""

import re
from collections.abc import Iterable, Sequence

import attrs

from .comparison import RANGES, Busiest, Compared
from .metering import Measured

QUESTION_COLUMNS = ("question", "cost", "ranges", "RPCs", "rows read", "returned", "bytes")
READ_COLUMNS = ("question", "filtered or sorted by", "rows read", "rows returned", "bytes fetched", "bytes per key")
WRITTEN_COLUMNS = ("rows written", "bytes stored", f"busiest of {RANGES} ranges")


def verdict(measured: Measured) -> str:
    """What a question costs, in a word or two.

    `1 range`: only rows that match are read. `6.2x, filtered`: so many rows are read for each that is returned.
    """
    if measured.refused:
        return "refused"
    if not (measured.client_work or measured.server_filtered):
        return _counted(len(measured.cost.ranges), "range")
    if "order" in measured.client_work:
        return f"{_read_for_each(measured)}, sorted"
    return f"{_read_for_each(measured)}, {'filtered' if measured.client_work else 'server filter'}"


def rpcs(measured: Measured) -> str:
    """The RPCs of a question, and its ranges if there are several: `4`, `43 (8 ranges)`."""
    if measured.refused:
        return "-"
    ranges = len(measured.cost.ranges)
    return str(measured.cost.rpcs) if ranges < 2 else f"{measured.cost.rpcs} ({ranges} ranges)"


def _read_for_each(measured: Measured) -> str:
    returned = len(measured.records)
    return f"{measured.rows_read / returned:.1f}x" if returned else f"{measured.rows_read} for none"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def question_row(measured: Measured) -> tuple[str, ...]:
    """A question and its cost in one line of text, under `QUESTION_COLUMNS`."""
    cost = measured.cost
    if measured.refused:
        return (measured.pattern.question, verdict(measured), *["-"] * (len(QUESTION_COLUMNS) - 2))
    return (
        measured.pattern.question,
        verdict(measured),
        str(len(cost.ranges)),
        str(cost.rpcs),
        _rows_read(measured),
        str(len(measured.records)),
        str(cost.bytes_fetched),
    )


def read_row(measured: Measured) -> tuple[str, ...]:
    """A question and what it reads in one line of text, under `READ_COLUMNS`."""
    cost = measured.cost
    if measured.refused:
        return (measured.pattern.question, "refused", *["-"] * (len(READ_COLUMNS) - 2))
    return (
        measured.pattern.question,
        measured.beyond_ranges or "-",
        _rows_read(measured),
        str(len(measured.records)),
        str(cost.bytes_fetched),
        f"{cost.key_bytes / cost.rows_fetched:.1f}" if cost.rows_fetched else "-",
    )


def _rows_read(measured: Measured) -> str:
    return "-" if measured.cost.rows_read is None else str(measured.cost.rows_read)


def written_row(compared: Compared) -> tuple[str, ...]:
    """Rows and bytes of a record, and the newest rows in the busiest range of each table, under `WRITTEN_COLUMNS`."""
    return f"{compared.rows_per_record:.0f}", f"{compared.bytes_per_record:.0f}", _shares(compared.busiest)


def _shares(tables: Sequence[Busiest]) -> str:
    """`28% of 200`; of several tables `100%, 43% of 37`, each with its own number of rows if these differ."""
    if len({busiest.newest for busiest in tables}) == 1:
        return f"{', '.join(f'{busiest.share:.0%}' for busiest in tables)} of {tables[0].newest}"
    return ", ".join(f"{busiest.share:.0%} of {busiest.newest}" for busiest in tables)


@attrs.frozen
class Refusal:
    """One reason for which variants cannot answer questions."""

    reason: str
    refused: list[tuple[list[str], list[str]]]
    """Variants, and the questions that each of them refuses for this reason."""

    @property
    def line(self) -> str:
        """`needs ...: newest-first, host-first (all hosts, ten minutes), random (every question)`."""
        refused = ", ".join(f"{', '.join(names)} ({'; '.join(questions)})" for names, questions in self.refused)
        return f"{self.reason}: {refused}"


def refusals(variants: Iterable[Compared]) -> list[Refusal]:
    """What the variants of a design refuse, in the planner's words: one for each reason.

    `every question` stands for all that the design has. The part that a reason is about is named if it is always one.
    """
    questions: dict[str, dict[str, list[str]]] = {}
    parts: dict[str, set[str]] = {}
    for compared in variants:
        for measured in compared.measured:
            if measured.refused:
                part, reason = _part_and_reason(measured.refused)
                of_variant = questions.setdefault(reason, {}).setdefault(compared.variant.name, [])
                of_variant.append(measured.pattern.question)
                if len(of_variant) == len(compared.measured):
                    of_variant[:] = ["every question"]
                parts.setdefault(reason, set()).add(part)
    refused: list[Refusal] = []
    for reason, by_variant in questions.items():
        groups: dict[tuple[str, ...], list[str]] = {}
        for variant, of_variant in by_variant.items():
            groups.setdefault(tuple(of_variant), []).append(variant)
        part = parts[reason].pop() if len(parts[reason]) == 1 else ""
        named = f"{part}: {reason}" if part else reason
        refused.append(Refusal(named, [(names, [*of_variant]) for of_variant, names in groups.items()]))
    return refused


def _part_and_reason(message: str) -> tuple[str, str]:
    """`LogInSlices.time_ms: needs ...` as the part `time_ms` and the reason; no part if the message names none."""
    match = re.fullmatch(r"\w+\.(\w+): (.*)", message, re.DOTALL)
    return (match[1], match[2]) if match else ("", message)
