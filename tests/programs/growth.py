"""Measures what the questions of every design read as its data grows, and records it.

The design itself is measured at all of the `TIMES`; a variant that may be copied too, if up to the last size but one
it grows otherwise than the design itself.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any

import happybase

from shared.designs import Design, Load, Measurement, Variant, load_samples, measure, scratch_store, store_records
from shared.exhibit.growth import TIMES, RecordedGrowth, growth_file, growth_text, growths
from tests.designs import all_designs, design_named


def larger_samples(design: Design, load: Load, times: int) -> dict[Any, None]:
    """The records of a load, each as it is stored, if there are about `times` as many as in its samples."""
    made = import_module(f"fixtures.{design.name}.make_samples").SAMPLES
    assert made.keys() == {load.name for load in design.loads}
    transform = load.new_record_transform()
    return dict.fromkeys(transform(load.record(**values)) for values in made[load.name](times))


@lru_cache(maxsize=len(TIMES))
def added_records(design_name: str, before: int, times: int) -> list[tuple[Load, list[Any]]]:
    """For each load the records that the size `times` has, and the size `before` does not have."""
    design = design_named(design_name)
    added: list[tuple[Load, list[Any]]] = []
    for load in design.loads:
        known = larger_samples(design, load, before)
        added.append((load, [record for record in larger_samples(design, load, times) if record not in known]))
    return added


def measured_sizes(
    connection: happybase.Connection, design: Design, variant: Variant, sizes: Sequence[int]
) -> Iterator[list[Measurement]]:
    """Every question of a variant, measured at one size after the other, in a store that holds the samples."""
    repository = variant.open(connection)
    if design.names_in_key is not None:
        measure(connection, repository, design.patterns)  # so that it knows the names that it looks up once
    yield measure(connection, repository, design.patterns)
    for before, times in pairwise(sizes):
        for load, records in added_records(design.name, before, times):
            store_records(variant, load, repository, records)
        yield measure(connection, repository, design.patterns)


def measured_growth(design: Design) -> RecordedGrowth:
    """The growth of a design, measured in stores in memory."""
    records = [sum(len(larger_samples(design, load, times)) for load in design.loads) for times in TIMES]
    recorded = RecordedGrowth(tuple(records), {})
    for variant in design.variants:
        if not variant.is_to_copy:
            continue
        with closing(scratch_store(variant.tables)) as connection:
            load_samples(connection, design, variant)
            measured: list[list[Measurement]] = []
            for measurements in measured_sizes(connection, design, variant, TIMES):
                measured.append(measurements)
                variants = {**recorded.variants, variant.name: growths(measured)}
                recorded = RecordedGrowth(recorded.records, variants)
                differs = variant is design.main or any(recorded.differing(variant.name).values())
                if len(measured) == len(TIMES) - 1 and not differs:
                    break
    return recorded


if __name__ == "__main__":
    for design in [*map(design_named, sys.argv[1:])] or all_designs():
        growth_file(design).write_text(growth_text(measured_growth(design)), encoding="utf-8")
        print(growth_file(design))
