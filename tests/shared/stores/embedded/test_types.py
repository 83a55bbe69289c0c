"""The stubs of happybase: mypy takes right calls and refuses wrong ones."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

RIGHT = """
from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection

connection = connect("embedded:", table_prefix="p")
connection.create_table("t", {"d": {}, "m": {"max_versions": 1, "compression": "GZ"}, "x": None})
table = connection.table(b"t")
cells: dict[bytes, bytes] = {b"d:a": b"1"}
table.put(b"r", cells, timestamp=5)
with table.batch(timestamp=5) as batch:
    batch.put("r", {"d:a": b"1"})
    batch.delete(b"r", ["d"])
row: dict[bytes, bytes] = table.row(b"r", columns=[b"d"])
stamped: dict[bytes, tuple[bytes, int]] = table.row("r", include_timestamp=True)
rows: list[tuple[bytes, dict[bytes, bytes]]] = list(table.scan(row_prefix=b"x", reverse=True, limit=5))
count: int = table.counter_inc("r", "d:n")
read: int = EmbeddedConnection(None, wait_s=0.2).client.rows_read
"""

WRONG = """\
from shared.stores import connect; connection = connect("embedded:"); table = connection.table("t")
table.scan(row_prefx=b"x")
table.scan(row_prefix="text")
table.put(1, {})
table.put(b"r", {b"d:a": 1})
table.row(b"r", columns=b"d")
table.row(b"r", include_timestamp=True)[b"d:a"].decode()
table.batch(timestamp="now")
table.batch().put(b"r", {}, timestamp=5)
connection.create_table("t", {"d": 5})
connect("embedded:", prefix="x")
"""


@pytest.mark.long
def test_mypy_refuses_each_wrong_call_and_takes_the_right_ones(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    for name in ("shared", "typings"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\nmypy_path = typings\n")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "right.py", "wrong.py"]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    errors = [line.split(":")[:2] for line in report.splitlines() if ": error:" in line]
    assert [["wrong.py", str(line)] for line in range(2, 12)] == errors, report
