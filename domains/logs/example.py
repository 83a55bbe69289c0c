"""The story of the design: store events; list the latest of a kind, all of a host, all of hosts with similar names.

Run it: python -m domains.logs.example
"""

from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables

from .keys import TABLES
from .records import LogEvent
from .repository import LogRepository


def main() -> None:
    """Runs the story on an empty store in memory, and asserts what it claims."""
    connection = connect("embedded:")
    create_tables(connection, TABLES)
    logs = LogRepository(connection)

    start_ms = parse_time("2026-01-12T08:40")
    started = LogEvent("web-1", "START", start_ms)
    first = LogEvent("web-1", "ERROR", start_ms + 1_000, severity="ERROR", message="no reply from db-1")
    second = LogEvent("web-1", "ERROR", start_ms + 2_000, severity="ERROR", message="no reply from db-2")
    other = LogEvent("web-12", "ERROR", start_ms + 1_500, severity="WARN", message="slow reply")
    events = [started, first, second, other]
    print(logs.store_all(events), "events stored")
    logs.store(first)  # a retry: the same event again changes nothing

    print("the latest errors of web-1, newest first, and none of web-12:")
    latest = logs.latest("web-1", "ERROR").page().records
    print(*latest, sep="\n")
    assert latest == [second, first]

    print("two seconds of web-1, oldest first, which the client sorts:")
    window = list(logs.window(start_ms, start_ms + 2_000, host="web-1"))
    print(*window, sep="\n")
    assert window == [started, first]

    page = logs.hosts_like("web-").page(limit=3)
    rest = logs.hosts_like("web-").page(limit=3, cursor=page.cursor)
    print(f"hosts named web-: {len(page.records)} events on the first page, {len(rest.records)} on the second")
    assert {*page.records, *rest.records} == {*events}
    assert (len(page.records), rest.cursor) == (3, None)


if __name__ == "__main__":
    main()
