"""Copies what a package uses of the library into a package of another name."""

import ast
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

import attrs

from shared.keys import errors

LIBRARY = Path(errors.__file__).parents[1]
NAME = errors.__name__.partition(".")[0]
"""`shared` in the repository, `rowbook` in the wheel."""
TYPINGS = next(filter(Path.is_dir, (LIBRARY / "typings", LIBRARY.parent / "typings")), LIBRARY)
"""Types of libraries that have none."""
PLUGIN = next(filter(Path.is_file, (LIBRARY / "pytest_plugin.py", LIBRARY / "testing" / "pytest_plugin.py")), LIBRARY)
IMPORTED = re.compile(r"^(\s*(?:from|import) )(?:shared|rowbook)(?=[. ])", re.MULTILINE)
DATA = (".thrift", ".typed")


@attrs.frozen
class Vendored:
    """The files of a copy of the library, and the packages that it imports."""

    files: dict[str, bytes]
    packages: frozenset[str]


def vendored(imported: Iterable[str], vendor: str) -> Vendored:
    """A copy of the modules that are imported, and of all that these import, as the package `vendor`."""
    paths = _needed(imported)
    folders = {path.parent for path in paths}
    data = {path for folder in folders for path in folder.iterdir() if path.suffix in DATA}
    files = {f"{vendor}/{path.relative_to(LIBRARY).as_posix()}": path.read_bytes() for path in data}
    for path in paths:
        text = IMPORTED.sub(rf"\g<1>{vendor}", path.read_text(encoding="utf-8"))
        place = "pytest_plugin.py" if path == PLUGIN else path.relative_to(LIBRARY).as_posix()
        files[f"{vendor}/{place}"] = text.encode()
    files[f"{vendor}/LICENSE"] = (distribution("rowbook").read_text("licenses/LICENSE") or "").encode()
    files |= {f"typings/{path.relative_to(TYPINGS).as_posix()}": path.read_bytes() for path in TYPINGS.rglob("*.pyi")}
    files["conftest.py"] = _CONFTEST.format(vendor=vendor).encode()
    names = {name.partition(".")[0] for path in paths for name in _imports(path) if not name.startswith(".")}
    return Vendored(files, frozenset(names))


_CONFTEST = '''\
"""The fixtures of the tests: stores in memory, or on a real HBase with `--rowbook-store=URL`."""

pytest_plugins = ["{vendor}.pytest_plugin"]
'''


def _needed(imported: Iterable[str]) -> set[Path]:
    paths = set[Path]()
    waiting = [PLUGIN, LIBRARY / "__init__.py", *(path for name in imported for path in _paths(name))]
    while waiting:
        path = waiting.pop()
        if path not in paths:
            paths.add(path)
            waiting += [inner for name in _imports(path) for inner in _paths(_absolute(path, name))]
    return paths


def _imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, relative ones with their dots; of `from a import b` also `a.b`."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}{'.' if node.module else ''}{alias.name}" for alias in node.names)


def _absolute(path: Path, name: str) -> str:
    above = len(name) - len(name.lstrip("."))
    if not above:
        return name
    folder = path.parent
    for _ in range(above - 1):
        folder = folder.parent
    return ".".join([NAME, *folder.relative_to(LIBRARY).parts, *filter(None, [name[above:]])])


def _paths(name: str) -> Iterator[Path]:
    """The files of a module of the library, with those of the packages in which it is."""
    root, *parts = name.split(".")
    if root not in (NAME, "rowbook"):
        return
    path = LIBRARY
    for part in parts:
        path = path / part
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                yield file
