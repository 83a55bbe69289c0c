"""Measures on a real HBase where writes land, and writes the figures into the references. Run it: make hot-spots.

A block is written if the region servers count what the keys give.
"""

import sys

from tests.programs.hot_spots import counters, logs, tsdb

sys.exit(max(design.BLOCK.write() for design in (logs, counters, tsdb)))
