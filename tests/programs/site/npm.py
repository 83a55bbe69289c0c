"""Packages of npm that the site needs, each checked against its hash."""

import base64
import hashlib
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def npm_package(name: str, integrity: str) -> Iterator[tarfile.TarFile]:
    """The archive of a package such as `pyodide@314.0.7`, opened. Raises ValueError for another hash."""
    with tempfile.TemporaryDirectory() as place:
        command = ["npm", "pack", "--silent", "--prefer-offline", name]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
        (package,) = Path(place).glob("*.tgz")
        found = "sha512-" + base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        if found != integrity:
            raise ValueError(f"{name}: must have the integrity {integrity} (got {found})")
        with tarfile.open(package) as opened:
            yield opened


def file_of(package: tarfile.TarFile, name: str) -> bytes:
    """The content of a file of a package."""
    member = package.extractfile(f"package/{name}")
    assert member is not None
    return member.read()
