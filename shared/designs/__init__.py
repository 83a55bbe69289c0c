"""What the suite shows of a design: its data, measured costs, comparisons, traps, the byte ruler.

May import all other rooms.
"""

from .design import FACTS, Design, Exemption, Load, Variant, load_samples
from .metering import Measured, measure, metered
from .patterns import AccessPattern
from .traps import Outcome, Trap

__all__ = [
    "FACTS",
    "AccessPattern",
    "Design",
    "Exemption",
    "Load",
    "Measured",
    "Outcome",
    "Trap",
    "Variant",
    "load_samples",
    "measure",
    "metered",
]
