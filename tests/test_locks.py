"""The lock that the processes of a test run share."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.locks import one_process_at_a_time

ROOT = Path(__file__).parents[1]
LOCKING_PROGRAM = """
from tests.locks import one_process_at_a_time

print("waits", flush=True)
with one_process_at_a_time():
    print("runs", flush=True)
"""


def test_a_process_waits_until_the_other_has_left_its_block():
    with one_process_at_a_time():
        process = subprocess.Popen([sys.executable, "-c", LOCKING_PROGRAM], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "waits\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
    assert process.communicate(timeout=20)[0] == "runs\n"
