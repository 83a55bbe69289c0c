"""What the README says under "Adapt it", done to a copy."""

import re
from contextlib import closing

import attrs
import pytest

from domains.monitoring import Point, PointRepository
from domains.monitoring.formats import FORMATS
from domains.monitoring.keys import HOUR_MS, POINT_CELLS, POINTS, TABLES, PointTables
from domains.monitoring.traps import HourOfAllHosts
from shared.designs import metered
from shared.keys import InvalidQuestion, KeyLayout
from shared.loading import Format, read_lines
from shared.queries import Query
from shared.stores import connect
from shared.tables import BoundTable, InvalidRow, ItemCells, TableLayout, create_tables
from tests.copies import ROOT, copy_design, run_example

from .asking import BY_NAME, point, stored


@pytest.fixture
def copy(tmp_path):
    """A copy of what one copies, and nothing else of the project."""
    copy_design("monitoring", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def story():
    done = run_example("monitoring", ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def change(path, *edits):
    """Replaces the first match of each pattern in a file."""
    text = path.read_text(encoding="utf-8")
    for pattern, instead in edits:
        text, count = re.subn(pattern, lambda _, instead=instead: instead, text, count=1)
        assert count == 1, pattern
    path.write_text(text, encoding="utf-8")


def test_five_files_and_shared_are_enough_also_with_a_field_of_another_name(copy):
    for path in copy.glob("domains/monitoring/*.py"):
        path.write_text(re.sub(r"\bhost\b", "device", path.read_text(encoding="utf-8")), encoding="utf-8")
    done = run_example("monitoring", copy)
    assert done.returncode == 0, done.stderr
    assert "Point(device='web-1', metric='cpu'" in done.stdout


@pytest.mark.parametrize(
    "edits",
    [
        [(r"HOUR_MS = 60 \* 60 \* 1000", "HOUR_MS = 15 * 60 * 1000")],
        [
            (r"KeyLayout\(HourOfMetric\)", 'KeyLayout(HourOfMetric, Salt(of=("host", "metric"), buckets=8))'),
            (r"Rest, Slice", "Rest, Salt, Slice"),
        ],
    ],
    ids=["rows of fifteen minutes", "salted"],
)
def test_the_story_is_the_same_with_the_change(copy, story, edits):
    change(copy / "domains" / "monitoring" / "keys.py", *edits)
    done = run_example("monitoring", copy)
    assert done.returncode == 0, done.stderr
    assert done.stdout == story


@pytest.mark.parametrize(("cells", "rpcs"), [(3_600, 6), (86_400, 57)])
def test_the_latest_point_needs_more_rpcs_the_more_cells_a_row_has(cells, rpcs):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        packed = (POINTS.cells.pack(point(at)) for at in range(cells))
        connection.table(POINTS.name).put(
            POINTS.row(point()), {column: value for cell in packed for column, value in cell.items()}
        )
        with metered(connection) as cost:
            assert PointRepository(connection).latest("web-1", "cpu") == point(cells - 1)
    assert cost.rpcs == rpcs


@attrs.frozen
class GradedPoint(Point):
    """A point with one attribute more."""

    quality: int = 0


def test_a_value_of_two_attributes_is_an_array_and_a_plain_number_cannot_be_read_as_one(new_store):
    qualifier = POINT_CELLS.qualifier
    graded = ItemCells(GradedPoint, "p", qualifier, value=("value", "quality"))
    table = TableLayout("points", "an hour of a metric", POINTS.key, graded)
    points = PointRepository(new_store(table), PointTables(table))
    stored(points, GradedPoint("web-1", "cpu", 5, 1.0, quality=3))
    assert list(points.of_metric("web-1", "cpu")) == [GradedPoint("web-1", "cpu", 5, 1.0, quality=3)]

    before = ItemCells(Point, "p", qualifier, value=("value",))
    assert table.records(table.row(point()), before.pack(point())) == [GradedPoint(**attrs.asdict(point()))]
    with pytest.raises(InvalidRow, match="must be a msgpack array of value, quality"):
        table.records(table.row(point()), POINT_CELLS.pack(point()))


def test_with_the_hour_before_the_host_all_hosts_of_a_metric_are_read_by_their_hours_alone(new_store):
    table = TableLayout("points_all_hosts", "an hour of a metric", KeyLayout(HourOfAllHosts), POINT_CELLS)
    points = PointRepository(new_store(table), PointTables(table))
    hosts = ("web-1", "web-12", "é")
    stored(points, *(point(hour * HOUR_MS + at, host) for hour in range(5) for host in hosts for at in (0, 7)))
    page = points.across_hosts("cpu", HOUR_MS, 3 * HOUR_MS).page()
    assert (len(page.records), page.rows_read) == (12, 12)
    assert points.latest("web-12", "cpu") == point(4 * HOUR_MS + 7, "web-12")
    assert list(points.of_metric("é", "cpu", 0, 7)) == [point(0, "é")]
    with pytest.raises(InvalidQuestion, match="needs a value for metric"):
        points.of_host("web-1", 0, 1)


def _pairs(lines, _path):
    for number, line in enumerate(lines, start=1):
        yield number, number, dict(pair.split("=", 1) for pair in line.split())


PAIRS = Format("pairs", "pairs", lambda line: line.startswith("host="), _pairs)


def test_another_file_format_is_one_format(tmp_path):
    path = tmp_path / "any.log"
    path.write_text("host=web-1 metric=cpu time_ms=5 value=1\nhost=web-1 metric=cpu time_ms=5 value=-\n", "utf-8")
    first, second = read_lines(path, Point, formats=(*FORMATS, PAIRS))
    assert first.record == point()
    assert second.reason.startswith("Point.value: ")


@pytest.mark.parametrize("new_key", ["salted", "host-time-metric", "metric-host-time"])
def test_from_one_key_to_another_both_tables_are_written_and_the_old_points_read_again(new_store, new_key):
    old_variant, new_variant = BY_NAME["monitoring"], BY_NAME[new_key]
    connection = new_store(*old_variant.tables, *new_variant.tables)
    old, new = old_variant.open(connection), new_variant.open(connection)
    before = stored(old, point(5), point(6, "web-12"), point(7, metric="disk"))
    for points in (old, new):
        stored(points, point(8), before[0])
    for each in Query(BoundTable(connection, POINTS), POINTS.whole_table()):
        new.store(each)
    assert [new.latest(each.host, each.metric) for each in before] == [point(8), *before[1:]]
    assert list(new.of_metric("web-1", "cpu")) == [point(5), point(8)]
