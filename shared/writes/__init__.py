"""What code that writes rows needs: a clock that never goes back.

May import `keys`, `tables` and `queries`.
"""

from .clock import CLOCK, WriterClock

__all__ = [
    "CLOCK",
    "WriterClock",
]
