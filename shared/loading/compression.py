"""Compressed files: gzip, bzip2, xz, Zstandard, and a zip of one file, told by their first bytes."""

import io
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import Any, BinaryIO, cast

import attrs

from .errors import UnreadableFile

_LONGEST_START = 10
"""Bytes."""
_MAX_SHOWN_NAMES = 3


def decompressed(data: BinaryIO, name: str) -> BinaryIO:
    """The bytes that a file holds, read from its compressed form if it has one; `data` may be a pipe.

    Raises UnreadableFile for a file that is not what the suffix of its name says, for a zip that does not hold exactly
    one file, and for Zstandard without its package. What is damaged is an OSError while it is read.
    """
    start = data.read(_LONGEST_START)
    whole = cast("BinaryIO", io.BufferedReader(_WithStart(start, data)))
    kind = next((kind for kind in _KINDS if kind.start.match(start)), None)
    named = next((kind for kind in _KINDS if kind.suffix == PurePath(name).suffix), None)
    if kind is not None:
        if kind.suffix == ".zip":
            whole = _seekable(data, whole)
        return cast("BinaryIO", io.BufferedReader(_Unpacked(kind.open(whole), whole)))
    if named is not None and start:
        raise UnreadableFile(f"is not a {named.title} file, as its name says: give it another name to load it as text")
    return whole


def without_suffix(name: str) -> str:
    """The name of a file without the suffix that a compressed one has."""
    return next((name.removesuffix(kind.suffix) for kind in _KINDS if name.endswith(kind.suffix)), name)


class _WithStart(io.RawIOBase):
    """A file of which some bytes have been read already, from its start."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start, self._rest = start, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._start[: len(buffer)]
        self._start = self._start[len(piece) :]
        return _fill(buffer, piece or cast("io.BufferedReader", self._rest).read1(len(buffer)))


class _Unpacked(io.RawIOBase):
    """What a compressed file holds; whatever its library raises is an OSError."""

    def __init__(self, file: BinaryIO, packed: BinaryIO) -> None:
        self._file, self._packed = file, packed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return _fill(buffer, self._file.read(len(buffer)))
        except OSError:
            raise
        except Exception as error:  # EOFError, and the error of each library
            raise OSError(str(error)) from error

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


def _fill(buffer: Any, piece: bytes) -> int:
    buffer[: len(piece)] = piece
    return len(piece)


def _seekable(data: BinaryIO, whole: BinaryIO) -> BinaryIO:
    """The same bytes in a file that can be read in any order; those of a pipe are copied to a temporary file."""
    if data.seekable():
        data.seek(0)
        return data
    copy = tempfile.TemporaryFile()  # noqa: SIM115, closed by what reads it
    shutil.copyfileobj(whole, copy)
    copy.seek(0)
    return cast("BinaryIO", copy)


def _gzip(data: BinaryIO) -> Any:
    from gzip import GzipFile

    return GzipFile(fileobj=data)


def _bzip2(data: BinaryIO) -> Any:
    from bz2 import BZ2File

    return BZ2File(data)


def _xz(data: BinaryIO) -> Any:
    from lzma import LZMAFile

    return LZMAFile(data)


def _zstd(data: BinaryIO) -> Any:
    try:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ModuleNotFoundError:
        raise UnreadableFile(
            "is compressed by zstd, which needs the package backports.zstd: pip install 'rowbook[zstd]'"
        ) from None
    return zstd.ZstdFile(data)


def _zip(data: BinaryIO) -> Any:
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(data)
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
        if len(names) != 1:
            raise UnreadableFile(f"is a zip of {len(names)} files{_shown(names)}; must hold one: unzip it first")
        return archive.open(names[0])
    except (BadZipFile, NotImplementedError, RuntimeError) as error:  # of a method unknown to Python, of a password
        raise UnreadableFile(f"is a zip that cannot be read: {error}") from None


def _shown(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MAX_SHOWN_NAMES])
    return f" ({shown}{', ...' if len(names) > _MAX_SHOWN_NAMES else ''})" if names else ""


@attrs.frozen
class _Kind:
    title: str
    suffix: str
    start: "re.Pattern[bytes]"
    """How such a file starts."""
    open: Callable[[BinaryIO], BinaryIO]


_KINDS = (
    _Kind("gzip", ".gz", re.compile(rb"\x1f\x8b\x08"), _gzip),
    _Kind("bzip2", ".bz2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _bzip2),
    _Kind("xz", ".xz", re.compile(rb"\xfd7zXZ\0"), _xz),
    _Kind("zstd", ".zst", re.compile(rb"\x28\xb5\x2f\xfd"), _zstd),
    _Kind("zip", ".zip", re.compile(rb"PK(\x03\x04|\x05\x06)"), _zip),
)
