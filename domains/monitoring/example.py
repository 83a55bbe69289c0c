"""The story of the design: store points; read a period, the latest point and averages; delete old hours.

Run it: python -m domains.monitoring.example
"""

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import HOUR_MS, TABLES
from .records import Average, Point
from .repository import PointRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    points = PointRepository(connection)

    start_ms = parse_time("2026-01-12T08:59")
    cpu = [Point("web-1", "cpu", start_ms + 20_000 * number, float(number)) for number in range(9)]
    for point in [*cpu, Point("web-1", "load", start_ms, 0.5), Point("web-12", "cpu", start_ms, 99.0)]:
        points.store(point)
    points.store(cpu[0])  # a retry: the same point again changes nothing
    print(len(list(connection.table("points").scan())), "rows hold them, one for each hour of a metric of a host")

    print("cpu of web-1 in two minutes, across the end of an hour:")
    period = points.of_metric("web-1", "cpu", since_ms=start_ms + 20_000, until_ms=start_ms + 140_000)
    print(*period, sep="\n")
    assert list(period) == cpu[1:7]
    first = period.page(limit=4)
    assert period.page(limit=4, cursor=first.cursor).records == cpu[5:7]

    print("latest:", points.latest("web-1", "cpu"))
    assert points.latest("web-1", "cpu") == cpu[-1]

    averages = points.averages("web-1", "cpu", start_ms, start_ms + HOUR_MS)
    print("averages of each minute:", *averages, sep="\n")
    assert averages[0] == Average(start_ms, points=3, value=1.0)

    print("all metrics of web-1:", [(point.metric, point.value) for point in points.of_host("web-1", 0, start_ms + 1)])
    print("hours before nine deleted:", points.drop_before("web-1", "cpu", parse_time("2026-01-12T09:00")))
    assert list(points.of_metric("web-1", "cpu")) == cpu[3:]


if __name__ == "__main__":
    main()
