"""How tables of a real HBase split, and how large its files are, beside what was predicted, as recorded.

`regions.json` beside the samples of a design has both, because a run takes minutes and needs an HBase.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import attrs
import cattrs

from shared.designs.design import Design

FILES_WITHIN, SPLITS_WITHIN = 0.05, 0.05
"""How far predicted bytes may be from those of HBase, as a part of them; and the share of rows before a split point."""
REGIONS_WITHIN = 0.1
"""How far the number of regions may be from HBase's, as a part of it, or one region."""


@attrs.frozen
class RecordedFiles:
    """The files of a table of the design after a flush."""

    table: str
    encoding: str
    records: int
    """Records that were stored."""
    cells: int
    bytes: int
    """Bytes of the files that HBase wrote."""
    predicted: int
    """Bytes predicted from another, smaller sample of the load."""

    @property
    def deviation(self) -> float:
        """How far the prediction is from HBase's files, as a part of these."""
        return self.predicted / self.bytes - 1


@attrs.frozen
class RecordedSplits:
    """A table that took the rows of a variant in order of time, and split."""

    variant: str
    table: str
    rows: int
    row_bytes: float
    flush_bytes: int
    max_bytes: int
    shares: tuple[float, ...]
    """The share of all rows before each split point of HBase, in key order."""
    simulated: tuple[float, ...]
    """The same for the simulated table."""
    fullness: tuple[float, ...]
    """How full each region of HBase is: bytes of its files, as a share of the maximum."""
    simulated_fullness: tuple[float, ...]
    rewrites: float
    """Bytes that HBase wrote by flushes and compactions, for each byte of its files."""
    simulated_rewrites: float

    @property
    def deviation(self) -> float:
        """The largest difference between the share before a split point of HBase and that before the nearest one here.

        1 if only one of both has split.
        """
        if not self.shares or not self.simulated:
            return float(self.shares != self.simulated)
        return max(min(abs(share - other) for other in self.simulated) for share in self.shares)

    @property
    def has_as_many_regions(self) -> bool:
        """Whether the simulated table has about as many regions as that of HBase."""
        regions = len(self.fullness)
        return abs(len(self.simulated_fullness) - regions) <= max(1, REGIONS_WITHIN * regions)


@attrs.frozen
class RegionRecording:
    """What was measured on an HBase."""

    hbase: str
    """Its version."""
    date: str
    """The day on which it was measured, as YYYY-MM-DD."""
    files: tuple[RecordedFiles, ...]
    splits: tuple[RecordedSplits, ...]

    def text(self) -> str:
        """The file: a line for each table."""
        plain = cattrs.unstructure(self)
        parts = [f'"{name}": [\n{_lines(plain.pop(name))}\n]' for name in ("files", "splits")]
        return f"{json.dumps(plain)[:-1]}, {', '.join(parts)}}}\n"


def _lines(items: Sequence[object]) -> str:
    return ",\n".join(map(json.dumps, items))


def region_file(design: Design) -> Path:
    """The file of the recording of a design."""
    return design.loads[0].samples.with_name("regions.json")


def recorded_regions(design: Design) -> RegionRecording:
    """The recording of a design. Raises FileNotFoundError."""
    return cattrs.structure(json.loads(region_file(design).read_text(encoding="utf-8")), RegionRecording)
