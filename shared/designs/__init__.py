"""What the suite shows of a design: its data, measured costs, comparisons, traps, the byte ruler.

May import all other rooms.
"""

from .accepted import LATE_PUTS, LINT_RULES, Accepted
from .cell_contents import CellContents, contents_of
from .comparison import stored_bytes, stored_cells
from .crossing import Crossing, Panel, Series, lower_where
from .design import FACTS, Design, Exemption, Load, StoreSettings, Variant, Wrong, load_samples, store_records
from .heat import RANGES, Writes
from .heat_recording import recorded_heat
from .hfiles import CELL_BYTES
from .metering import Cost, Measurement, measure, measure_pattern, metered
from .patterns import AccessPattern, Action
from .published import LONG_MAX, SIGN, PublishedColumn, PublishedKey, added_tie, any_text
from .scanned import ScannedTable, scanned_records
from .traps import Outcome, ScanTask, Trap, scratch_store, scratch_table

__all__ = [
    "CELL_BYTES",
    "FACTS",
    "LATE_PUTS",
    "LINT_RULES",
    "LONG_MAX",
    "RANGES",
    "SIGN",
    "Accepted",
    "AccessPattern",
    "Action",
    "CellContents",
    "Cost",
    "Crossing",
    "Design",
    "Exemption",
    "Load",
    "Measurement",
    "Outcome",
    "Panel",
    "PublishedColumn",
    "PublishedKey",
    "ScanTask",
    "ScannedTable",
    "Series",
    "StoreSettings",
    "Trap",
    "Variant",
    "Writes",
    "Wrong",
    "added_tie",
    "any_text",
    "contents_of",
    "load_samples",
    "lower_where",
    "measure",
    "measure_pattern",
    "metered",
    "recorded_heat",
    "scanned_records",
    "scratch_store",
    "scratch_table",
    "store_records",
    "stored_bytes",
    "stored_cells",
]
