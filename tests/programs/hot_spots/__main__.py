"""Measures on a real HBase where writes land, and writes the figures into the READMEs. Run it: make hot-spots."""

import sys

from tests.programs.hot_spots import counters, logs, tsdb

sys.exit(max(design.main() for design in (logs, counters, tsdb)))
