"""The records that the suite loads into `monitoring`: points, from files of several formats."""

from pathlib import Path

from shared.designs import Load

from .formats import FORMATS
from .records import Point
from .repository import PointRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "monitoring" / "points.jsonl"
LAST_QUARTER_MS = 15 * 60 * 1000
"""The last fifteen minutes of the samples, one published bucket; its writes show where new points go."""

POINTS = Load("points", Point, PointRepository.store, SAMPLES, FORMATS)
