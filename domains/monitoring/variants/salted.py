"""The rows of the design with a salt computed from host and metric, so that one busy host is spread, too (S1.5)."""

from shared.keys import KeyLayout, Salt
from shared.tables import TableLayout

from ..keys import POINT_CELLS, HourOfMetric, PointTables

BUCKETS = 8

TABLE = TableLayout(
    "points_salted",
    "the points of one hour of a metric",
    KeyLayout(HourOfMetric, Salt(of=("host", "metric"), buckets=BUCKETS)),
    POINT_CELLS,
)
TABLES = PointTables(TABLE)
