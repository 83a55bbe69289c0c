"""Measured costs as rows of text: `rowbook run` and `tests/programs/pages/cost_blocks.py` make tables of them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import attrs

from ..designs.design import Design, Variant
from ..designs.metering import Measurement
from ..queries import Page
from .comparison import VariantCosts
from .heat import Heat
from .heat_recording import recorded_heat
from .verdicts import ranges_and_gets, verdict, without_ranges

QUESTION_COLUMNS = ("question", "cost", "ranges", "RPCs", "read", "returned", "bytes")
READ_COLUMNS = ("question", "page of", "RPCs", "read", "returned", "bytes", "filtered or sorted")
WRITTEN_COLUMNS = ("rows written", "bytes stored", "RPCs", "bytes of intents")
HEAT_COLUMNS = ("variant", "table", "writes of each range, %", "verdict")


def rpcs(measurement: Measurement) -> str:
    """The RPCs of a question, and in parentheses the round trips that its caller waits for, if these are fewer."""
    cost = measurement.cost
    return str(cost.rpcs) if cost.round_trips == cost.rpcs else f"{cost.rpcs} ({cost.round_trips})"


def question_row(measurement: Measurement) -> tuple[str, ...]:
    """A question and its cost in one line of text, under `QUESTION_COLUMNS`."""
    cost = measurement.cost
    words = without_ranges(measurement)
    if measurement.refused:
        return (measurement.pattern.question, words, *["-"] * (len(QUESTION_COLUMNS) - 2))
    return (
        measurement.pattern.question,
        words,
        str(ranges_and_gets(measurement)[0]),
        str(cost.rpcs),
        _read(measurement),
        str(len(measurement.records)),
        str(cost.bytes_fetched),
    )


def read_row(measurement: Measurement) -> tuple[str, ...]:
    """A question and what it reads in one line of text, under `READ_COLUMNS`."""
    cost = measurement.cost
    if measurement.refused:
        return (measurement.pattern.question, *["-"] * (len(READ_COLUMNS) - 2), "refused")
    return (
        measurement.pattern.question,
        str(measurement.pattern.limit) if isinstance(measurement.answer, Page) else "",
        rpcs(measurement),
        _read(measurement),
        str(len(measurement.records)),
        str(cost.bytes_fetched),
        measurement.beyond_ranges,
    )


def _read(measurement: Measurement) -> str:
    """The number read to find the records, as the verdict counts it: rows, or cells if a row holds many records."""
    if measurement.reads_cells:
        return f"{measurement.read_for_records} cells"
    return "-" if measurement.cost.rows_read is None else str(measurement.cost.rows_read)


def written_row(costs: VariantCosts) -> tuple[str, ...]:
    """The cost of storing one record in all tables together, under `WRITTEN_COLUMNS`."""
    return (
        f"{costs.rows_per_record:.3g}",
        f"{costs.bytes_per_record:.0f}",
        f"{round(costs.rpcs_per_record, 1):g}",
        f"{costs.intent_bytes_per_record:.0f}" if costs.intent_bytes_per_record else "-",
    )


def why_fractions(costs: VariantCosts) -> str:
    """Why a record may write less than a row, with the number of records; empty if all write whole rows."""
    if "." not in written_row(costs)[0]:
        return ""
    return f"what {costs.records:,} records leave, divided by {costs.records:,}: some share a row or change nothing"


def heat_rows(design: Design, variants: Sequence[Variant], bold: str = "") -> Iterator[tuple[str, ...]]:
    """Each table of some variants and where its writes go, as recorded, under `HEAT_COLUMNS`.

    Only the first table of a variant has the variant's name. Tables that the first variant has with the same figures
    are not repeated. `bold` marks the busiest range.
    """
    recording = recorded_heat(design)
    shown: set[tuple[str, Heat]] = set()
    for variant in variants:
        name = variant.marked_name
        for table in recording.of(variant.name):
            if (table.table, table.heat) not in shown:
                yield name, table.table, heat_shares(table.heat, bold), table.heat.verdict
                name = ""
            if variant is variants[0]:
                shown.add((table.table, table.heat))


def heat_shares(heat: Heat, bold: str = "") -> str:
    """The share of each range in percent, in the order of keys; `bold` marks the busiest one."""
    marks = (bold if share == heat.share else "" for share in heat.shares)
    return " ".join(f"{mark}{100 * share:.0f}{mark}" for mark, share in zip(marks, heat.shares, strict=True))


@attrs.frozen
class Refusal:
    """One reason why variants cannot answer questions."""

    reason: str
    groups: list[tuple[list[str], list[str]]]
    """Variants, and the questions that each of them refuses for this reason."""

    def line(self, mark: str = "") -> str:
        """`salted and random refuse "all hosts": needs ...`, with a `mark` around the name of each variant."""
        clauses = [
            f"{listed(f'{mark}{name}{mark}' for name in names)} {'refuses' if len(names) == 1 else 'refuse'} "
            + listed(question if question in (EVERY, EVERY_OTHER) else f'"{question}"' for question in questions)
            for names, questions in self.groups
        ]
        return f"{'; '.join(clauses)}: {self.reason}"


EVERY, EVERY_OTHER = "every question", "every other question"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def refusals(variants: Iterable[VariantCosts]) -> list[Refusal]:
    """The questions that variants refuse, in the planner's words, grouped by reason.

    `every question` stands for all questions of the design; `every other question`, named last, for most of them. The
    part that a reason is about is named if it is always the same.
    """
    variants = list(variants)
    questions: dict[str, dict[str, list[str]]] = {}
    parts: dict[str, set[str]] = {}
    for costs in variants:
        for measurement in costs.measurements:
            if measurement.refused:
                method = measurement.pattern.method.__name__
                part, reason = _part_and_reason(measurement.refused.removeprefix(f"{method}: "))
                of_variant = questions.setdefault(reason, {}).setdefault(costs.variant.name, [])
                of_variant.append(measurement.pattern.question)
                parts.setdefault(reason, set()).add(part)
    for costs in variants:
        if not costs.answers:
            of_reasons = [by_variant.get(costs.variant.name, []) for by_variant in questions.values()]
            most = max(of_reasons, key=len)
            most[:] = [EVERY if len(most) == len(costs.measurements) else EVERY_OTHER]
    refused: list[Refusal] = []
    for reason, by_variant in questions.items():
        groups: dict[tuple[str, ...], list[str]] = {}
        for variant, of_variant in by_variant.items():
            groups.setdefault(tuple(of_variant), []).append(variant)
        part = parts[reason].pop() if len(parts[reason]) == 1 else ""
        named = f"{part}: {reason}" if part else reason
        refused.append(Refusal(named, [(names, [*of_variant]) for of_variant, names in groups.items()]))
    return sorted(refused, key=lambda refusal: any(EVERY_OTHER in of_variant for _names, of_variant in refusal.groups))


def _part_and_reason(message: str) -> tuple[str, str]:
    """`LogInSlices.time_ms: needs ...` as the part `time_ms` and the reason; no part if the message names none.

    The name of the key class is left out. A question that a variant lacks is named like a part: `latest: needs ...`.
    """
    match = re.fullmatch(r"(?:[A-Z]\w*(?:\.(\w+))?|([a-z]\w*)): (.*)", message, re.DOTALL)
    return (match[1] or match[2] or "", match[3]) if match else ("", message)


class Compared(NamedTuple):
    """Variants side by side: those that a grid of verdicts shows, always with the first one, and those left out."""

    shown: list[VariantCosts]
    alike: list[VariantCosts]
    """Each question costs them what it costs the first one."""
    silent: list[VariantCosts]
    """They refuse every question."""


def compared(variants: Sequence[VariantCosts]) -> Compared:
    """Which of these variants a grid of verdicts has to show."""
    first, *others = variants
    silent = [costs for costs in others if not costs.answers]
    alike = [costs for costs in others if costs.answers and _verdicts(costs) == _verdicts(first)]
    return Compared([first, *(costs for costs in others if costs not in (*silent, *alike))], alike, silent)


def _verdicts(costs: VariantCosts) -> list[str]:
    return list(map(verdict, costs.measurements))


class Grid(NamedTuple):
    """Questions down and variants across."""

    columns: list[str]
    rows: list[tuple[str, ...]]


def grids(variants: Sequence[VariantCosts], fits: Callable[[Grid], bool]) -> list[Grid]:
    """As few grids of verdicts as `fits` allows, each with the first variant; in pairs if even these do not fit.

    A cell is empty if it equals that of the first variant; further grids leave out questions whose cells are all empty.
    """
    first, *others = variants
    made = [_grid([first])]
    for count in range(1, len(others) + 1):
        size = -(-len(others) // count)
        whole, *further = (_grid([first, *others[at : at + size]]) for at in range(0, len(others), size))
        made = [whole, *(Grid(grid.columns, [row for row in grid.rows if any(row[2:])]) for grid in further)]
        if all(map(fits, made)):
            break
    return made


def _grid(variants: Sequence[VariantCosts]) -> Grid:
    rows: list[tuple[str, ...]] = []
    for measurements in zip(*(costs.measurements for costs in variants), strict=True):
        first, *others = map(verdict, measurements)
        rows.append((measurements[0].pattern.question, first, *("" if other == first else other for other in others)))
    return Grid(["question", *(costs.variant.marked_name for costs in variants)], rows)
