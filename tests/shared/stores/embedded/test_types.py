"""The stubs of happybase: both type checkers take right calls and refuse wrong ones."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.locks import one_process_at_a_time

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


@pytest.fixture
def folder(tmp_path) -> Path:
    """Right and wrong calls beside what they use."""
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    for name in ("shared", "typings"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def run(folder: Path, *command: object) -> str:
    if importlib.util.find_spec(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)], cwd=folder, capture_output=True, text=True, check=False
    ).stdout


def test_mypy_refuses_each_wrong_call_and_takes_the_right_ones(folder):
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\nmypy_path = typings\n")
    report = run(folder, "mypy", "--no-incremental", "right.py", "wrong.py")
    errors = [line.split(":")[:2] for line in report.splitlines() if ": error:" in line]
    assert [["wrong.py", str(line)] for line in range(2, 12)] == errors, report


@pytest.mark.long
def test_pyright_refuses_each_wrong_call_and_takes_the_right_ones(folder):
    settings = {"include": ["right.py", "wrong.py"], "strict": ["."], "stubPath": "typings", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    with one_process_at_a_time():  # the first time pyright downloads itself
        report = run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    errors = {
        (Path(diagnostic["file"]).name, diagnostic["range"]["start"]["line"] + 1)
        for diagnostic in json.loads(report)["generalDiagnostics"]
        if diagnostic["severity"] == "error"
    }
    assert {("wrong.py", line) for line in range(2, 12)} == errors, report
