"""The README's walk-through makes another design out of this one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "domains" / "messages" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parcels(tmp_path_factory):
    """The folder of the parcels, what their story prints, and the lines of the walk-through that made them."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("domains/messages", "shared"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "domains" / "__init__.py", copy / "domains")
    (script,) = re.findall(r"## Adapt it\n.*?```sh\n(.*?)```", README, re.DOTALL)
    python = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    python.pop("PYTHONPATH", None)
    command = ["bash", "-e", "-c", script]
    process = subprocess.run(command, cwd=copy, env=python, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return copy / "domains" / "parcels", process.stdout, script.splitlines()


def test_ten_lines_are_enough(parcels):
    assert len(parcels[2]) <= 10


def test_the_parcels_tell_their_own_story(parcels):
    assert "bob has not read:\nParcel(sender='ada', receiver='bob'" in parcels[1]
    assert "recovery goes on with the delivery:" in parcels[1]


def test_only_what_is_copied_is_there(parcels):
    files = {path.name for path in parcels[0].iterdir() if path.name != "__pycache__"}
    assert files == {"__init__.py", "records.py", "keys.py", "repository.py", "example.py"}


def test_no_word_of_messages_is_left_in_the_code(parcels):
    words_left = {}
    for path in parcels[0].glob("*.py"):
        words = re.findall(r"\b\w*(?:message|bod(?:y|ies)\b|unread|is_read)\w*", path.read_text(), re.I)
        if words := [word for word in words if word not in ("nobody", "somebody", "everybody")]:
            words_left[path.name] = words
    assert words_left == {}
