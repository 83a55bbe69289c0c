"""The stubs of happybase: mypy refuses wrong calls; right ones are all over the suite."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

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
def test_mypy_refuses_each_wrong_call(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    for name in ("shared", "typings"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\nmypy_path = typings\n")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "wrong.py"]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    errors = [line.split(":")[:2] for line in report.splitlines() if ": error:" in line]
    assert [["wrong.py", str(line)] for line in range(2, 12)] == errors, report
