"""A folder of a design, copied without `shown/`, runs: its story, its contract and its commands."""

import shutil
import subprocess
import sys

import pytest

from tests.copies import ROOT
from tests.designs import NAMES

CONTRACT = """
from importlib.util import find_spec

from mine.{name}.design import DESIGN
from shared.testing import DesignContract


class TestContract(DesignContract):
    design = DESIGN
    whole_rows = {whole_rows}


if find_spec("mine.{name}.example"):  # a design in one file has no story

    def test_the_story_is_true():
        from mine.{name} import example

        example.main()
"""


@pytest.mark.parametrize(
    "name", [name if name == "orders" else pytest.param(name, marks=pytest.mark.long) for name in NAMES]
)
def test_a_folder_without_what_the_suite_shows_runs(name: str, tmp_path) -> None:
    shutil.copytree(ROOT / "domains" / name, tmp_path / "mine" / name, ignore=shutil.ignore_patterns("shown"))
    shutil.copytree(ROOT / "fixtures" / name, tmp_path / "fixtures" / name)
    for module in (tmp_path / "mine" / name).rglob("*.py"):
        module.write_text(module.read_text(encoding="utf-8").replace(f"domains.{name}", f"mine.{name}"))
    (tmp_path / "test_mine.py").write_text(CONTRACT.format(name=name, whole_rows=name == "tsdb"))

    def succeeds(*arguments: str) -> str:
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert " passed" in succeeds("pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "test_mine.py")
    assert "storing one record" in succeeds("domains", "run", name, "--design", f"mine.{name}.design:DESIGN")
