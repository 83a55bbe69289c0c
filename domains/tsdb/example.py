"""The story of the design: store points of some servers, ask as one asks OpenTSDB, compact an hour, ask again.

Run it: python -m domains.tsdb.example
"""

from shared.records import parse_time, show_time
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock

from .changing.rewriting import QUIET_MS
from .keys import TABLES
from .records import Answer, Point
from .repository import TsdbRepository


class Earlier(WriterClock):
    """A clock so far behind that the cells are old enough to compact now."""

    def read_ms(self) -> int:
        """The time of that clock."""
        return super().read_ms() - 2 * QUIET_MS


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    tsdb = TsdbRepository(connection, clock=Earlier())

    nine = parse_time("2026-01-12T09:00")
    for minute in range(60):
        for number, server in enumerate(("web-1", "web-2")):
            tags = {"server": server, "dc": "lga"}
            tsdb.store(Point("requests", nine + minute * 60_000, minute * (number + 1), tags))
    tsdb.store(Point("requests", nine + 90_500, 2.5, {"server": "web-1", "dc": "lga"}))  # half a second: a longer cell
    tsdb.store(Point("requests", nine, 0, {"server": "web-1", "dc": "lga"}))  # a retry: nothing changes

    uids = {name.decode(errors="replace"): cells for name, cells in connection.table("tsdb-uid").scan()}
    print(len(uids), "rows of names; web-2 is", uids["web-2"][b"id:tagv"].hex(" "))
    rows = dict(connection.table(TABLES.points.name).scan())
    print(len(rows), "rows of points, one for each hour of a series:")
    print(*(f"{row.hex(' ')}: {len(cells)} cells" for row, cells in rows.items()), sep="\n")
    assert [len(cells) for cells in rows.values()] == [61, 60]

    until = nine + 3_600_000
    both = tsdb.query("sum:30m-avg:requests", nine, until)
    print("both servers:", *(f"{show_time(answer.time_ms)} {answer.value}" for answer in both))
    assert [answer.value for answer in both][1] == 44.5 + 89
    by_server = tsdb.query("max:1h-max:requests{server=*}", nine, until)
    assert [(answer.tags, answer.value) for answer in by_server] == [
        ("dc=lga,server=web-1", 59.0),
        ("dc=lga,server=web-2", 118.0),
    ]
    (first, *_) = tsdb.query("none:requests{server=web-1}", nine + 60_000, nine + 120_000)
    assert first == Answer("requests", "dc=lga,server=web-1", nine + 60_000, 1)

    print("compacted:", TsdbRepository(connection).compact("requests").compacted, "rows")
    assert [len(cells) for _, cells in connection.table(TABLES.points.name).scan()] == [1, 1]
    assert tsdb.query("sum:30m-avg:requests", nine, until) == both


if __name__ == "__main__":
    main()
