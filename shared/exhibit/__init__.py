"""What the suite shows of a design: measured comparisons, published keys and mistakes, heat, lint, pictures, regions.

`comparison.py` measures all variants, `cost_tables.py` and `verdicts.py` say what that shows; `traps.py` and
`published_keys.py` are what `shown/published.py` of a design declares, `crossing.py` what its `shown/measured.py` does;
`heat.py` and the files of that name record where new rows land, in the order that `write_order.py` reads from records.
Regions here are simulated: the split points of a table are made in `keys/splits.py`.

May import all other rooms but `testing`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .comparison import NothingToMeasure as NothingToMeasure
    from .comparison import VariantCosts as VariantCosts
    from .comparison import measure_variant as measure_variant
    from .comparison import stored_bytes as stored_bytes
    from .comparison import stored_cells as stored_cells
    from .crossing import Crossing as Crossing
    from .crossing import Series as Series
    from .heat import RANGES as RANGES
    from .heat import Writes as Writes
    from .heat_recording import recorded_heat as recorded_heat
    from .hfiles import CELL_BYTES as CELL_BYTES
    from .markdown import below as below
    from .markdown import filled as filled
    from .markdown import markdown_table as markdown_table
    from .markdown import text_block as text_block
    from .published_keys import LONG_MAX as LONG_MAX
    from .published_keys import SIGN as SIGN
    from .published_keys import PublishedColumn as PublishedColumn
    from .published_keys import PublishedKey as PublishedKey
    from .published_keys import added_tie as added_tie
    from .published_keys import any_text as any_text
    from .scanned import ScannedTable as ScannedTable
    from .scanned import scanned_records as scanned_records
    from .shown_design import ShownDesign as ShownDesign
    from .traps import Outcome as Outcome
    from .traps import ScanTask as ScanTask
    from .traps import Trap as Trap
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        comparison="NothingToMeasure VariantCosts measure_variant stored_bytes stored_cells",
        crossing="Crossing Series",
        heat="RANGES Writes",
        heat_recording="recorded_heat",
        hfiles="CELL_BYTES",
        markdown="below filled markdown_table text_block",
        published_keys="LONG_MAX SIGN PublishedColumn PublishedKey added_tie any_text",
        scanned="ScannedTable scanned_records",
        shown_design="ShownDesign",
        traps="Outcome ScanTask Trap",
    )
