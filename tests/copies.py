"""A design as somebody copies it: five files, those beside them that they import, and what all import of `shared`."""

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("__init__", "records", "keys", "repository", "example")
"""The modules of a design that one copies, with those of its folder that they import."""
ROOMS = ("keys", "tables", "queries", "writes", "records", "events", "stores")
"""The packages of `shared` that they import; only `example` imports `stores`."""


def copied_modules(name: str) -> list[str]:
    """The modules of a design that one copies: the five, and all that they import of its folder."""
    modules = list(COPIED)
    for module in modules:
        imported = imported_modules(ROOT / "domains" / name / f"{module}.py")
        beside = dict.fromkeys(other[1:] for other in imported if re.fullmatch(r"\.\w+", other))
        modules += [other for other in beside if other not in modules]
    return modules


def imported_modules(path: Path | zipfile.Path) -> Iterator[str]:
    """The modules that a file imports, relative ones with their dots."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def copy_design(name: str, to: Path) -> None:
    """Copies the files of a design, and the packages that they import, into a folder."""
    folder = to / "domains" / name
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "domains" / "__init__.py", to / "domains")
    for module in copied_modules(name):
        shutil.copy(ROOT / "domains" / name / f"{module}.py", folder)
    for room in ROOMS:
        shutil.copytree(ROOT / "shared" / room, to / "shared" / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "shared" / "__init__.py", to / "shared")


def run_example(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the story of a design in a folder, with the libraries installed here, and without the project itself."""
    python = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    command = [sys.executable, "-S", "-m", f"domains.{name}.example"]
    return subprocess.run(command, cwd=folder, env=python, capture_output=True, text=True, check=False)
