"""The records that the suite loads into `tsdb`: points, from files of several formats."""

from pathlib import Path

from shared.designs import Load

from .formats import FORMATS
from .records import Point
from .repository import TsdbRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "tsdb" / "points.txt"
LAST_QUARTER_MS = 15 * 60 * 1000
"""The last fifteen minutes of the samples; its writes show where new points go."""

POINTS_LOAD = Load("points", Point, TsdbRepository.store, SAMPLES, FORMATS, store_all=TsdbRepository.store_all)
