"""Puts together what the site's explorer loads: `python -m tests.programs.site.explorer BUILD_FOLDER`.

The site serves the folder as `_static/explorer`; all its addresses are relative. Pyodide's core comes from npm.
`python.zip` has `shared`, `domains`, the rows of the samples, and the Python files of the packages that they import,
each checked against the hash that its installed package records. No package is compiled for the browser, see
`in_browser.py`.
"""

import base64
import gzip
import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path

from domains.suite import NAMES
from tests.programs.site.npm import file_of, npm_package

from .samples import sample_rows

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
PYODIDE = (
    "pyodide@314.0.7",
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
)
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
PACKAGES = (
    *("attrs", "cattrs", "happybase", "ijson", "importlib_resources", "msgpack", "ply", "rich", "six", "thriftpy2"),
    "typing_extensions",
)
RICH_FILES = ("rich/__init__.py", "rich/_extension.py", "rich/cells.py", "rich/_unicode_data/")
"""The widths of characters, which is all that is used of rich."""
SCRIPTS = ("explorer.js", "explorer.css", "worker.js")
MAX_GZIP_BYTES, MAX_BYTES = 9_000_000, 16_000_000
"""What the explorer may load: as the sum of `gzip -9`, and unpacked."""


class TooLarge(ValueError):
    """The explorer would load more than it may."""


def build(folder: Path) -> None:
    """Puts the explorer into a folder. Raises TooLarge."""
    folder.mkdir(parents=True, exist_ok=True)
    add_pyodide(folder)
    with zipfile.ZipFile(folder / "python.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, data in python_files():
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    loaded = [*PYODIDE_FILES, "python.zip"]
    files = {name: (folder / name).stat().st_size for name in loaded}
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in loaded)).hexdigest()
    (folder / "files.json").write_text(json.dumps({"version": digest, "bytes": files}), encoding="utf-8")
    for name in SCRIPTS:
        (folder / name).write_bytes((HERE / name).read_bytes())
    check_sizes(folder)


def add_pyodide(folder: Path) -> None:
    """Puts the core of Pyodide into the folder."""
    with npm_package(*PYODIDE) as package:
        for name in PYODIDE_FILES:
            (folder / name).write_bytes(file_of(package, name))


def python_files() -> Iterator[tuple[str, bytes]]:
    """The names and contents of all Python files that the browser gets, and of the rows of samples."""
    yield from code_files()
    for name in NAMES:
        rows = sample_rows(import_module(f"domains.{name}.design").DESIGN)
        yield f"site_explorer/samples/{name}.json", json.dumps(rows, separators=(",", ":")).encode()


def code_files() -> Iterator[tuple[str, bytes]]:
    """The names and contents of all code that the browser gets."""
    for name in PACKAGES:
        yield from package_files(name)
    for room in ("shared", "domains"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_bytes()
    for path in sorted(HERE.glob("*.py")):
        if path.stem not in ("__main__", "samples"):  # which the build needs
            yield f"site_explorer/{path.name}", path.read_bytes()


def package_files(name: str) -> Iterator[tuple[str, bytes]]:
    """The Python files of an installed package, and its licences. Raises ValueError for a file that was changed."""
    for file in distribution(name).files or ():
        is_licence = "dist-info" in file.parts[0] and "LICENSE" in file.name.upper()
        if ".." in file.parts or not (file.suffix in (".py", ".thrift") or is_licence):
            continue
        if name == "rich" and not (is_licence or str(file).startswith(RICH_FILES)):
            continue
        data = file.read_binary()
        found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if file.hash is None or file.hash.value != found:
            raise ValueError(f"{name}: {file} must have the hash of its package (got {found})")
        yield str(file), data


def check_sizes(folder: Path) -> None:
    """Prints the size of each file, and refuses a folder that is too large."""
    sizes = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    packed = {name: len(gzip.compress(data, 9, mtime=0)) for name, data in sizes.items()}
    for name, data in sizes.items():
        print(f"{name:20} {len(data):12,} bytes {packed[name]:12,} by gzip -9")
    raw, small = sum(map(len, sizes.values())), sum(packed.values())
    print(f"{'all':20} {raw:12,} bytes {small:12,} by gzip -9")
    if raw > MAX_BYTES or small > MAX_GZIP_BYTES:
        raise TooLarge(
            f"{folder.name}: must be at most {MAX_BYTES:,} bytes, {MAX_GZIP_BYTES:,} by gzip -9 "
            f"(got {raw:,} and {small:,})"
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.programs.site.explorer BUILD_FOLDER")
    build(Path(sys.argv[1]))
