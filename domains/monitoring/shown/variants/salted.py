"""The rows of the design with a salt computed from host and metric, so that one busy host is spread, too (S1.5)."""

from functools import partial

from shared.keys import KeyLayout, Salt

from ...keys import POINTS, HourOfMetric
from ...repository import PointRepository

BUCKETS = 8

TABLE = POINTS.like("points_salted", KeyLayout(HourOfMetric, Salt(of=("host", "metric"), buckets=BUCKETS)))
TABLES = TABLE.tables
Repository = partial(PointRepository, points=TABLE)
