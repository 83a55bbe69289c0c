"""A load of any size in the tables of a variant: how they split, who takes the writes, and what questions then read."""

from collections.abc import Mapping, Sequence

import attrs

from ...designs.design import Design, Variant
from ..growth import Growth, growth_file, recorded_growth
from ..hfiles import ENCODINGS
from .sampling import SampledVariant, sample_of, sampled
from .simulated_splits import SplitPolicy
from .simulation import TENTHS, Simulation
from .sizing import simulated_table

FEWEST = 16 * TENTHS
"""Writes of the sample below which a table is left out: they do not tell where those of a larger load go."""
PLAIN, *_OTHERS = ENCODINGS


class TooFewRows(ValueError):
    """The sample of a design writes too few rows to any table."""


@attrs.frozen
class QuestionAtSize:
    """A question of the design, asked after the load."""

    question: str
    ranges: int
    """Ranges that it reads: 0 if it is refused."""
    read: int
    """Rows that one page of it reads; cells, if rows hold many records."""
    grows: bool
    """Whether it reads more if the tables hold more."""
    refused: str = ""


@attrs.frozen
class SimulatedVariant:
    """A variant after the load."""

    sample: SampledVariant
    tables: Mapping[str, Simulation]
    """The tables that take enough of the rows, by name: each with its simulation."""
    questions: Sequence[QuestionAtSize]


def simulate_variant(
    design: Design, variant: Variant, rows: int, policy: SplitPolicy, servers: int
) -> SimulatedVariant:
    """Writes so many rows to all tables of a variant together. Raises TooFewRows."""
    sample = sampled(design, variant, sample_of(design))
    times = rows / sample.written
    tables = {
        table.table.name: simulated_table(table, PLAIN, round(len(table.written) * times), policy, servers)
        for table in sample.tables
        if len(table.written) >= FEWEST and table.files
    }
    if not tables:
        raise TooFewRows(
            f"must write at least {FEWEST} rows to a table (got {sample.written} of {sample.records} records); "
            "SAMPLES in a make_samples.py beside the samples generates more"
        )
    return SimulatedVariant(sample, tables, _questions(design, sample, times))


def _questions(design: Design, sample: SampledVariant, times: float) -> list[QuestionAtSize]:
    """What each question reads: as much as of the sample, or so many times more if it is recorded to grow."""
    growth_of = _recorded(design, sample.variant)
    questions: list[QuestionAtSize] = []
    for measurement in sample.measurements:
        name = measurement.pattern.question
        if measurement.refused:
            questions.append(QuestionAtSize(name, 0, 0, grows=False, refused=measurement.refused))
            continue
        grows = name in growth_of and growth_of[name].course == "grows"
        read, _returned = measurement.read_and_returned
        ranges = len(measurement.cost.reads)
        questions.append(QuestionAtSize(name, ranges, round(read * times) if grows else read, grows=grows))
    return questions


def _recorded(design: Design, variant: Variant) -> Mapping[str, Growth]:
    """The growth of the questions of a variant, as far as it is recorded; that of the design itself otherwise."""
    if not growth_file(design).exists():
        return {}
    recorded = recorded_growth(design)
    return recorded.variants.get(variant.name, recorded.own)
