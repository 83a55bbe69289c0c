"""The published scan in HBase's own shell: as it is printed, and as the shell takes it."""

from typing import Any

from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.server import HBase

TABLE = "table1"
ROWS = ("host1", "host12", "host2")
PUBLISHED = "scan 'table1',{startkey=> 'host1',endkey=> 'host2'}"
RIGHT = "scan 'table1', {STARTROW => 'host1', STOPROW => 'host2'}"


def published_scan(connection: Any, hbase: HBase) -> dict[str, object]:
    """The message that the shell answers to the published statement, and the rows of the other one."""
    connection.create_table(TABLE, {"f": {}})
    for row in ROWS:
        connection.table(TABLE).put(row.encode(), {b"f:v": b""})
    script = (
        f"begin\n  {PUBLISHED}\nrescue NameError => error\n  puts 'message: ' + error.message.lines.first\nend\n{RIGHT}"
    )
    printed = in_shell(hbase.info_url, script).splitlines()
    connection.delete_table(TABLE, disable=True)
    message = next(line.removeprefix("message: ") for line in printed if line.startswith("message: "))
    rows = [row for row in ROWS if any(line.split()[:1] == [row] for line in printed)]
    return {"published": PUBLISHED, "message": message.partition(" for #")[0], "right": RIGHT, "rows": rows}
