"""Points, and what stores them, for the tests."""

from domains.monitoring import Point


def point(time_ms=5, host="web-1", metric="cpu", value=1.0):
    return Point(host, metric, time_ms, value)


def stored(points, *new_points):
    """Stores points one by one, and returns them."""
    for new_point in new_points:
        points.store(new_point)
    return [*new_points]


def put_all(connection, table, points):
    """Many points in few calls, the timestamps of their cells left to the server."""
    with connection.table(table.name).batch(batch_size=5000) as batch:
        for new_point in points:
            batch.put(table.row(new_point), table.cells.pack(new_point))


def times(points):
    return [point.time_ms for point in points]
