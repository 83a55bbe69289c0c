"""Measures where the writes of designs land, and records it in their `heat.json`.

The keys give the figures of every table of every variant. For the tables that a design's picture shows, the region
servers of a real HBase count, too; if they disagree with the keys, nothing is recorded. A design of one page has no
such picture, so its figures need no HBase. With `--check` nothing is recorded either: what is measured must be what is
recorded.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime

import attrs

from shared.designs import Design
from shared.exhibit.heat import Heat, Writes
from shared.exhibit.heat_recording import ROWS, HeatRecording, heat_file, recorded_heat
from shared.exhibit.heat_tables import TableHeat, contrasting, generated_records, records_by_load
from shared.stores import StoreError
from tests.designs import all_designs, design_named
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import named_or_started
from tests.programs.hbase.write_counts import NotCounted, version
from tests.programs.hot_spots.of_variants import of_variant
from tests.programs.hot_spots.region_counts import counted_heats


def by_keys(designs: Iterable[Design]) -> tuple[dict[str, HeatRecording], dict[str, Writes]]:
    """What the keys give: the recording of each design, and the writes that an HBase shall count."""
    recordings: dict[str, HeatRecording] = {}
    to_count: dict[str, Writes] = {}
    with ProcessPoolExecutor() as processes:
        measured = {
            design.name: [processes.submit(of_variant, design.name, number) for number in range(len(design.variants))]
            for design in designs
        }
        for design in designs:
            variants = dict(zip((variant.name for variant in design.variants), measured[design.name], strict=True))
            heats = tuple(heat for of in variants.values() for heat in of.result()[0])
            records = records_by_load(generated_records(design, ROWS))
            recordings[design.name] = HeatRecording(records, True, "", "", heats)
            for heat in () if design.in_one_file else contrasting(design, heats):
                to_count[name_on_hbase(design.name, heat)] = variants[heat.variant].result()[1][heat.table]
    return recordings, to_count


def name_on_hbase(design_name: str, heat: TableHeat) -> str:
    return f"{design_name}.{heat.variant}.{heat.table}"


def differences(design_name: str, measured: HeatRecording, recorded: HeatRecording) -> Iterator[str]:
    """A line for each table that differs from the one that was recorded, and for other records."""
    if measured.records != recorded.records:
        yield f"{design_name}: measured {measured.records}, recorded {recorded.records}"
    before = {(heat.variant, heat.table): heat for heat in recorded.tables}
    for heat in measured.tables:
        other = before.pop((heat.variant, heat.table), None)
        if heat != other:
            yield f"{design_name}:{heat.variant}, {heat.table}: measured {heat}, recorded {other}"
    yield from (f"{design_name}:{variant}, {table}: recorded, and not measured" for variant, table in before)


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the recordings, and write nothing")
    parser.add_argument("designs", nargs="*", type=design_named, metavar="design", help="all if omitted")
    arguments = parser.parse_args()
    check, designs = arguments.check, arguments.designs or all_designs()
    recordings, to_count = by_keys(designs)
    counted: Mapping[str, Heat] = {}
    hbase = ""
    if to_count:
        try:
            with named_or_started() as named:
                counted = counted_heats(named, to_count)
                hbase = version(named.info_url or "")
        except (NotStarted, NotCounted, StoreError) as error:
            print(error, file=sys.stderr)
            return 1
    wrong: list[str] = []
    for design in designs:
        recording = recordings[design.name]
        tables: list[TableHeat] = []
        for heat in recording.tables:
            by_hbase = counted.get(name_on_hbase(design.name, heat))
            if by_hbase not in (None, heat.heat):
                wrong.append(f"{design.name}:{heat.variant}, {heat.table}: HBase {by_hbase}, the keys {heat.heat}")
            tables.append(attrs.evolve(heat, counted=by_hbase))
            print(f"{design.name}:{heat.variant}, {heat.table}: {heat.verdict}{' (counted)' if by_hbase else ''}")
        recordings[design.name] = attrs.evolve(recording, tables=tuple(tables))
        if not design.in_one_file:
            today = datetime.now(UTC).date().isoformat()
            recordings[design.name] = attrs.evolve(recordings[design.name], hbase=hbase, date=today)
        if check:
            wrong += differences(design.name, recordings[design.name], recorded_heat(design))
    for line in wrong:
        print(line, file=sys.stderr)
    if not check and not wrong:
        for design in designs:
            heat_file(design).write_text(recordings[design.name].text(), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
