"""What `rowbook new` makes a package of, the story that a package tells, and the modules that a file imports."""

import ast
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from shared.command_line.new_package.folders import write_folder

ROOT = Path(__file__).parents[1]
COPIED = ("__init__", "records", "keys", "repository", "example")
"""The modules that a package of a design has at least, beside `design.py`."""


def copied_modules(name: str) -> list[str]:
    """The modules of a design that come along in a package: the first ones, and all that they import of its folder.

    Of a design in one file these are the file and the names of the package.
    """
    modules = list(COPIED) if (ROOT / "domains" / name / "keys.py").exists() else ["__init__"]
    for module in modules:
        inside = module.split("/")[:-1]
        for other in imported_modules(ROOT / "domains" / name / f"{module}.py"):
            dots = len(other) - len(other.lstrip("."))
            if 0 < dots <= len(inside) + 1:
                beside = "/".join([*inside[: len(inside) + 1 - dots], *other[dots:].split(".")])
                modules += [beside] if beside not in modules and beside else []
    return modules


def story_of(files: Mapping[str, bytes], folder: Path) -> str:
    """What the story of a package called `mine` prints, once its files are in a new folder."""
    write_folder(folder, files)
    command = [sys.executable, "-m", "mine.example"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def imported_modules(path: Path | zipfile.Path) -> tuple[str, ...]:
    """The modules that a file imports, relative ones with their dots."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    return tuple(names)
