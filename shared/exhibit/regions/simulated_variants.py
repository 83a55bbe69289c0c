"""A load of any size in the tables of a variant: how they split, who takes the writes, and what questions then read."""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

import attrs

from ...designs.design import Design, Variant
from ..growth import Growth, growth_file, recorded_growth
from ..hfiles import ENCODINGS
from .sampling import SampledVariant, silent
from .simulated_splits import SplitPolicy
from .simulation import TENTHS, Simulation
from .sizing import simulated_table

FEWEST = 2 * TENTHS
"""A table with fewer writes in the sample is left out: each tenth of the load needs some that tell where it goes."""
CHANCE = 1.36
"""In one sample of twenty, shares of N rows differ by chance from those of the load by more than CHANCE / sqrt(N): the
5% limit of the Kolmogorov-Smirnov test."""
PLAIN, *_OTHERS = ENCODINGS


class NothingToSimulate(ValueError):
    """No table of a design can be simulated; the message says why, and what to add."""


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
    left_out: Mapping[str, str]
    """The others that take rows, by name: each with the reason."""
    questions: Sequence[QuestionAtSize]

    @property
    def share_error(self) -> float:
        """The most by which a share may be wrong because the sample of a table is small."""
        return max(CHANCE / sqrt(len(simulation.table.stored)) for simulation in self.tables.values())


def simulate_variant(
    design: Design,
    sample: SampledVariant,
    records: float,
    policy: SplitPolicy,
    servers: int,
    tell: Callable[[str], None] = silent,
) -> SimulatedVariant:
    """Stores so many records, like those of a sample. Raises NothingToSimulate and TooManyRegions."""
    tables: dict[str, Simulation] = {}
    left_out: dict[str, str] = {}
    for table in sample.tables:
        name = table.table.name
        if not (table.files and table.written):
            continue
        if len(table.written) < FEWEST:
            left_out[name] = f"rows written to it by the sample must be {FEWEST} or more (got {len(table.written)})"
        elif table.times_the_bytes(records) is None:
            left_out[name] = table.growth.words
        else:
            tell(f"simulating {name}")
            tables[name] = simulated_table(table, PLAIN, records, policy, servers)
    if not tables:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        samples = " and ".join(load.samples.name for load in design.loads)
        generators = ", ".join(f'"{load.name}": make' for load in design.loads)
        raise NothingToSimulate(
            f"no table can be simulated from {sample.records:,} sample records ({reasons}): add records to {samples}, "
            f"or beside it a make_samples.py with SAMPLES = {{{generators}}}, whose make(times) returns a list of "
            "so many times the samples, each a dict of a record's fields"
        )
    return SimulatedVariant(sample, tables, left_out, _questions(design, sample, records / sample.records))


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
