"""Wheels of the suite, and commands in an environment that has nothing of this one but its libraries."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import sys_tags

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


def wheels_of(distributions: Iterable[str], folder: Path) -> None:
    """Makes wheels of distributions that are installed here, and of all that they need, for pip's `--find-links`."""
    waiting, made = [*distributions], set[str]()
    while waiting:
        found = distribution(waiting.pop())
        name = re.sub(r"[-_.]+", "_", found.metadata["Name"]).lower()
        if name in made:
            continue
        made.add(name)
        requirements = map(Requirement, found.requires or ())
        waiting += [wanted.name for wanted in requirements if wanted.marker is None or wanted.marker.evaluate()]
        _repack(found, name, folder)


def _repack(found: Distribution, name: str, folder: Path) -> None:
    tags = re.findall(r"^Tag: (.*)$", found.read_text("WHEEL") or "", re.MULTILINE)
    tag = next(str(tag) for tag in sys_tags() if str(tag) in tags)
    not_packed = re.compile(r"^\.\.|__pycache__|\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$")
    files = [path for path in found.files or () if not not_packed.search(str(path))]
    with zipfile.ZipFile(folder / f"{name}-{found.version}-{tag}.whl", "w") as wheel:
        for path in files:
            wheel.write(str(found.locate_file(path)), str(path))
        record = next(str(path.parent) for path in files if path.name == "WHEEL") + "/RECORD"
        wheel.writestr(record, "".join(f"{path},,\n" for path in [*files, record]))
