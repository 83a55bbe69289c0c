"""The README's walk-through makes another design out of this one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "domains" / "feeds" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def podcasts(tmp_path_factory):
    """The folder of the podcasts, what their story prints, and the lines of the walk-through that made them."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("domains/feeds", "shared"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "domains" / "__init__.py", copy / "domains")
    (script,) = re.findall(r"## Adapt it\n.*?```sh\n(.*?)```", README, re.DOTALL)
    python = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    python.pop("PYTHONPATH", None)
    command = ["bash", "-e", "-c", script]
    process = subprocess.run(command, cwd=copy, env=python, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return copy / "domains" / "podcasts", process.stdout, script.splitlines()


def test_ten_lines_are_enough(podcasts):
    assert len(podcasts[2]) <= 10


def test_the_podcasts_tell_their_own_story(podcasts):
    assert "the queue of ada, newest first" in podcasts[1]
    assert "Episode(host='eve', published_ms=" in podcasts[1]
    assert "recovery goes on with its fan-out: Recovery(settled=1," in podcasts[1]


def test_only_what_is_copied_is_there(podcasts):
    files = {path.name for path in podcasts[0].iterdir() if path.name != "__pycache__"}
    assert files == {"__init__.py", "records.py", "keys.py", "repository.py", "example.py"}


def test_no_word_of_feeds_is_left_in_the_code(podcasts):
    words_left = {}
    for path in podcasts[0].glob("*.py"):
        if words := re.findall(r"\w*(?:feed|post|author|reader|timeline)\w*", path.read_text(), re.I):
            words_left[path.name] = words
    assert words_left == {}
