"""Writes a folder whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from ..screen.wrong_usage import CommandFailed


def check_free(path: Path) -> None:
    """Raises CommandFailed if a new folder cannot have this place."""
    if path.is_dir() and not path.is_symlink():
        if any(path.iterdir()):
            raise CommandFailed(f"{path}: must be empty or new (holds {min(inner.name for inner in path.iterdir())})")
        if path == Path.cwd():
            raise CommandFailed(f"{path}: must not be the folder in which the command runs")
    elif os.path.lexists(path):
        raise CommandFailed(f"{path}: must be a folder that is empty or new")


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a new folder, or into one that is empty.

    They are written beside it, and the folder is renamed when all are on the disk. After an error or Ctrl-C nothing
    is left. Raises CommandFailed if the place is not free or the disk refuses.
    """
    check_free(path)
    try:
        beside = Path(mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as error:
        raise CommandFailed(f"{path.parent}: {error.strerror}") from None
    try:
        for name, data in files.items():
            file = beside / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        beside.chmod(0o777 & ~_umask())  # mkdtemp makes a folder for its user alone
        beside.rename(path)  # replaces a folder only if it is empty
    except OSError as error:
        raise CommandFailed(f"{path}: nothing is written: {error.strerror}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
