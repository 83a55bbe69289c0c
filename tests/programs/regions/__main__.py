"""Records how tables of a real HBase split and how large its files are, beside what was predicted."""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import UTC, datetime

from shared.stores import StoreError
from tests.designs import design_named
from tests.programs.hbase.java import FOR_MINUTES, NotStarted
from tests.programs.hbase.server import running
from tests.programs.hbase.write_counts import version
from tests.programs.regions.measuring import measured
from tests.programs.regions.region_recording import RegionRecording, region_file

SPLIT: Mapping[str, tuple[str, ...]] = {
    "logs": ("logs", "logs:time-first", "logs:salted", "logs:random"),
    "orders": (),
    "monitoring": (),
    "documents": (),
}
"""The designs whose files are measured, with the variants whose splits are."""


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("designs", nargs="*", choices=[*SPLIT, []], metavar="design", help="all if omitted")
    names: list[str] = parser.parse_args().designs or [*SPLIT]
    try:
        with running(region_servers=1, java_options=FOR_MINUTES) as hbase:
            for name in names:
                design = design_named(name)
                files, splits = measured(hbase, design, SPLIT[name])
                today = datetime.now(UTC).date().isoformat()
                recording = RegionRecording(version(hbase.info_url), today, files, splits)
                region_file(design).write_text(recording.text(), encoding="utf-8")
                for one in files:
                    print(f"{name}: {one.table} {one.encoding} {one.bytes:,} bytes, predicted {one.deviation:+.1%}")
                for split in splits:
                    regions = f"{len(split.shares) + 1} regions, simulated {len(split.simulated) + 1}"
                    print(f"{name}: {split.table} {regions}, split points within {split.deviation:.3f}")
    except (NotStarted, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
