"""Wheels of the suite, and commands in an environment that has nothing of this one but its libraries."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

LIBRARIES = sysconfig.get_path("purelib")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def clean_environment(path: Sequence[str | Path] = ()) -> dict[str, str]:
    """The variables of a clean environment; PYTHONPATH is `path`, if any."""
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONIOENCODING": "utf-8", "PIP_NO_INDEX": "1"}
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    return environment


def run(*command: str | Path, cwd: Path, path: Sequence[str | Path] = ()) -> subprocess.CompletedProcess[str]:
    """Run a command in a clean environment; PYTHONPATH is `path`, if any."""
    return subprocess.run(command, cwd=cwd, env=clean_environment(path), capture_output=True, text=True, check=False)


def succeed(*command: str | Path, cwd: Path, path: Sequence[str | Path] = ()) -> str:
    """Return what a command prints, or fail with all it said."""
    process = run(*command, cwd=cwd, path=path)
    assert process.returncode == 0, f"{command} ended with {process.returncode}\n{process.stdout}{process.stderr}"
    return process.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    """Builds the wheel of a checkout or of a source distribution, with the build backend of this environment."""
    succeed(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel
