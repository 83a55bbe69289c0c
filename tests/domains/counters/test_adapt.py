"""What the README says under "Adapt it", done to a copy."""

import os
import re
import subprocess
import sys
import sysconfig

import pytest

from tests.copies import copy_design, run_example


@pytest.fixture
def copy(tmp_path):
    """A copy of what one copies, and nothing else of the project."""
    copy_design("counters", tmp_path)
    return tmp_path


def replace(copy, *edits):
    """Replaces every match of each pattern in the five files; each must occur."""
    for pattern, instead in edits:
        count = 0
        for path in copy.glob("domains/counters/*.py"):
            text, found = re.subn(pattern, instead, path.read_text(encoding="utf-8"))
            path.write_text(text, encoding="utf-8")
            count += found
        assert count, pattern


def test_something_else_is_counted_after_login_and_user_are_renamed(copy):
    replace(copy, (r"\bLogin\b", "Request"), (r"\buser\b", "client"))
    process = run_example("counters", copy)
    assert process.returncode == 0, process.stderr
    assert "her latest login: Request(client='ada', time_ms=1768262400000, tie=0)" in process.stdout


COUNTED_BY_THE_HOUR = """
from domains.counters import TABLES, Login, LoginRepository
from shared.stores import connect
from shared.tables import create_tables

connection = connect("embedded:")
create_tables(connection, TABLES)
repository = LoginRepository(connection)
hour = 3_600_000
for time_ms in (0, 1, hour - 1, hour, 3 * hour):
    repository.store(Login("ada", time_ms))
print([(day.day_ms // hour, day.count) for day in repository.days("ada", 0, 3 * hour)], repository.day_total(0))
"""


def test_hours_are_counted_after_one_number_is_changed(copy):
    replace(copy, (r"DAY_MS = 24 \* 60 \* 60 \* 1000", "DAY_MS = 60 * 60 * 1000"))
    python = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    command = [sys.executable, "-S", "-c", COUNTED_BY_THE_HOUR]
    process = subprocess.run(command, cwd=copy, env=python, capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("[(0, 3), (1, 1)] 3\n", "")
