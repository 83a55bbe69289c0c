"""A design as data, and the costs of its questions: what a command, a contract and a design of one's own need.

`design.py` and `patterns.py` are what a design declares, `counting.py` and `metering.py` count and measure its
questions, `scratch.py` is a store for samples, `ruler.py` and `layout_text.py` show keys and tables.

May import all other rooms but `exhibit` and `testing`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .accepted import LINT_RULES as LINT_RULES
    from .accepted import Accepted as Accepted
    from .cell_contents import CellContents as CellContents
    from .cell_contents import contents_of as contents_of
    from .counting import Cost as Cost
    from .counting import metered as metered
    from .design import FACTS as FACTS
    from .design import Design as Design
    from .design import Exemption as Exemption
    from .design import Load as Load
    from .design import StoreSettings as StoreSettings
    from .design import Variant as Variant
    from .design import Wrong as Wrong
    from .design import load_samples as load_samples
    from .design import store_records as store_records
    from .metering import Measurement as Measurement
    from .metering import measure as measure
    from .metering import measure_pattern as measure_pattern
    from .patterns import AccessPattern as AccessPattern
    from .patterns import Action as Action
    from .scratch import scratch_store as scratch_store
    from .scratch import scratch_table as scratch_table
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        accepted="LINT_RULES Accepted",
        cell_contents="CellContents contents_of",
        design="FACTS Design Exemption Load StoreSettings Variant Wrong load_samples store_records",
        counting="Cost metered",
        metering="Measurement measure measure_pattern",
        patterns="AccessPattern Action",
        scratch="scratch_store scratch_table",
    )
