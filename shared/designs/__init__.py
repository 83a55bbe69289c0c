"""What the suite shows of a design: its data, measured costs, comparisons, traps, the byte ruler.

May import all other rooms.
"""

from .cell_contents import CellContents, contents_of
from .design import FACTS, Design, Exemption, Load, Variant, Wrong, load_samples
from .metering import Measurement, measure, measure_pattern, metered
from .patterns import AccessPattern
from .published import PublishedKey
from .traps import Outcome, Trap, scratch_store, scratch_table, texts_of

__all__ = [
    "FACTS",
    "AccessPattern",
    "CellContents",
    "Design",
    "Exemption",
    "Load",
    "Measurement",
    "Outcome",
    "PublishedKey",
    "Trap",
    "Variant",
    "Wrong",
    "contents_of",
    "load_samples",
    "measure",
    "measure_pattern",
    "metered",
    "scratch_store",
    "scratch_table",
    "texts_of",
]
