"""What the suite shows of a design: its data, measured costs, comparisons, traps, the byte ruler.

May import all other rooms.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .accepted import LATE_PUTS as LATE_PUTS
    from .accepted import LINT_RULES as LINT_RULES
    from .accepted import Accepted as Accepted
    from .cell_contents import CellContents as CellContents
    from .cell_contents import contents_of as contents_of
    from .comparison import stored_bytes as stored_bytes
    from .comparison import stored_cells as stored_cells
    from .crossing import Crossing as Crossing
    from .crossing import Panel as Panel
    from .crossing import Series as Series
    from .crossing import lower_where as lower_where
    from .design import FACTS as FACTS
    from .design import Design as Design
    from .design import Exemption as Exemption
    from .design import Load as Load
    from .design import StoreSettings as StoreSettings
    from .design import Variant as Variant
    from .design import Wrong as Wrong
    from .design import load_samples as load_samples
    from .design import store_records as store_records
    from .heat import RANGES as RANGES
    from .heat import Writes as Writes
    from .heat_recording import recorded_heat as recorded_heat
    from .hfiles import CELL_BYTES as CELL_BYTES
    from .metering import Cost as Cost
    from .metering import Measurement as Measurement
    from .metering import measure as measure
    from .metering import measure_pattern as measure_pattern
    from .metering import metered as metered
    from .patterns import AccessPattern as AccessPattern
    from .patterns import Action as Action
    from .published import LONG_MAX as LONG_MAX
    from .published import SIGN as SIGN
    from .published import PublishedColumn as PublishedColumn
    from .published import PublishedKey as PublishedKey
    from .published import added_tie as added_tie
    from .published import any_text as any_text
    from .scanned import ScannedTable as ScannedTable
    from .scanned import scanned_records as scanned_records
    from .traps import Outcome as Outcome
    from .traps import ScanTask as ScanTask
    from .traps import Trap as Trap
    from .traps import scratch_store as scratch_store
    from .traps import scratch_table as scratch_table
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        accepted="LATE_PUTS LINT_RULES Accepted",
        cell_contents="CellContents contents_of",
        comparison="stored_bytes stored_cells",
        crossing="Crossing Panel Series lower_where",
        design="FACTS Design Exemption Load StoreSettings Variant Wrong load_samples store_records",
        heat="RANGES Writes",
        heat_recording="recorded_heat",
        hfiles="CELL_BYTES",
        metering="Cost Measurement measure measure_pattern metered",
        patterns="AccessPattern Action",
        published="LONG_MAX SIGN PublishedColumn PublishedKey added_tie any_text",
        scanned="ScannedTable scanned_records",
        traps="Outcome ScanTask Trap scratch_store scratch_table",
    )
