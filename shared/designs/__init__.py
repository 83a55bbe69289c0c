"""What the suite shows of a design: its data, measured costs, comparisons, traps, the byte ruler.

May import all other rooms.
"""

from .cell_contents import CellContents, contents_of
from .comparison import CELL_BYTES
from .design import FACTS, Design, Exemption, Load, Variant, Wrong, load_samples
from .heat import RANGES
from .heat_recording import recorded_heat
from .metering import Cost, Measurement, measure, measure_pattern, metered
from .patterns import AccessPattern
from .published import PublishedKey
from .traps import Outcome, Trap, scratch_store, scratch_table, texts_of

__all__ = [
    "CELL_BYTES",
    "FACTS",
    "RANGES",
    "AccessPattern",
    "CellContents",
    "Cost",
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
    "recorded_heat",
    "scratch_store",
    "scratch_table",
    "texts_of",
]
