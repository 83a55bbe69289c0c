"""Copies what a package uses of the library into a package of another name."""

import ast
import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import attrs

from ...keys import errors
from .templates import filled

LIBRARY = Path(errors.__file__).parents[1]
NAME = errors.__name__.partition(".")[0]
"""`shared` in the repository, `rowbook` in the wheel."""
TYPINGS = next(filter(Path.is_dir, (LIBRARY / "typings", LIBRARY.parent / "typings")), LIBRARY)
"""Types of libraries that have none."""
PLUGIN = next(filter(Path.is_file, (LIBRARY / "pytest_plugin.py", LIBRARY / "testing" / "pytest_plugin.py")), LIBRARY)
IMPORTED = re.compile(r"^(\s*(?:from|import) )(?:shared|rowbook)(?=[. ])", re.MULTILINE)
DATA = (".thrift", ".typed")
UNTYPED = ("pandas", "pyarrow", "regex")

_LAZY = re.compile(r"^ +from \.([\w.]+) import (\w+) as \2$", re.MULTILINE)
_LISTED = re.compile(r'^( +)(\w+)=\(?\s*((?:"[\w ]+"\s*)+)\)?,$', re.MULTILINE)


@attrs.frozen
class Vendored:
    """The files of a copy of the library, and the packages that it imports."""

    files: dict[str, bytes]
    packages: frozenset[str]


def vendored(texts: Iterable[str], vendor: str, *, with_tests: bool = True) -> Vendored:
    """A copy of what some modules import of the library, and of all that this imports, as the package `vendor`."""
    needed = Needed()
    needed.take([LIBRARY / "__init__.py", *([PLUGIN] if with_tests else [])])
    for text in texts:
        of_library = [(module, name) for module, name in _imports(text) if not module.startswith(".")]
        needed.follow(of_library, LIBRARY / "none.py")
    folders = {path.parent for path in needed.paths}
    data = {path for folder in folders for path in folder.iterdir() if path.suffix in DATA}
    files = {f"{vendor}/{path.relative_to(LIBRARY).as_posix()}": path.read_bytes() for path in data}
    for path in needed.paths:
        place = "pytest_plugin.py" if path == PLUGIN else path.relative_to(LIBRARY).as_posix()
        files[f"{vendor}/{place}"] = IMPORTED.sub(rf"\g<1>{vendor}", needed.text(path)).encode()
    files[f"{vendor}/LICENSE"] = (distribution("rowbook").read_text("licenses/LICENSE") or "").encode()
    files |= {f"typings/{path.relative_to(TYPINGS).as_posix()}": path.read_bytes() for path in TYPINGS.rglob("*.pyi")}
    if with_tests:
        files["conftest.py"] = filled("conftest.py", {"vendor": vendor}).encode()
    return Vendored(files, frozenset(needed.packages))


def types_of(packages: Collection[str]) -> dict[str, bytes]:
    """The types of those packages that have none, and for which rowbook installs none."""
    stubs = (path for path in TYPINGS.rglob("*.pyi") if path.relative_to(TYPINGS).parts[0] in {*packages} & {*UNTYPED})
    return {f"typings/{path.relative_to(TYPINGS).as_posix()}": path.read_bytes() for path in stubs}


class Needed:
    """The modules of the library that are imported, and the names that are used of each room."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()
        self.packages: set[str] = set()
        self._names: dict[Path, set[str]] = {}

    def take(self, paths: Iterable[Path]) -> None:
        """Takes these files, and all that they import; of a room only what is used of it by name."""
        for path in paths:
            if path not in self.paths:
                self.paths.add(path)
                self.follow(_imports_of(path), path)

    def follow(self, imports: Iterable[tuple[str, str | None]], path: Path) -> None:
        """Takes what a module at `path` imports."""
        for module, name in imports:
            self._import(module, path, name)

    def _import(self, module: str, path: Path, name: str | None) -> None:
        parts = module.split(".")
        if module.startswith("."):
            above = len(module) - len(module.lstrip("."))
            folder = path.parents[above - 1]
            parts = [NAME, *folder.relative_to(LIBRARY).parts, *filter(None, module[above:].split("."))]
        if parts[0] not in (NAME, "rowbook"):
            self.packages.add(parts[0])
            return
        place = LIBRARY
        found = [place / "__init__.py"]
        for part in parts[1:]:
            place = place / part
            found += [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
        self.take(found)
        if name is not None and found[-1].name == "__init__.py":
            self._name(found[-1], name)

    def _name(self, room: Path, name: str) -> None:
        """Takes the module of a name that a room imports when it is first used, or a module of the room."""
        if name in self._names.setdefault(room, set()):
            return
        self._names[room].add(name)
        found = _LAZY.finditer(room.read_text(encoding="utf-8"))
        homes = {of_name[2]: of_name[1] for of_name in found}
        if name in homes:
            self._import(f".{homes[name]}", room, name)
        else:
            inside = (room.parent / f"{name}.py", room.parent / name / "__init__.py")
            self.take(filter(Path.is_file, inside))

    def text(self, path: Path) -> str:
        """A module's text; of a room, with the names that are used."""
        text = path.read_text(encoding="utf-8")
        if not _LAZY.search(text):
            return text
        names = self._names.get(path, set())
        text = _LAZY.sub(lambda found: found[0] if found[2] in names else "", text)

        def listed(found: re.Match[str]) -> str:
            kept = [name for name in re.findall(r"\w+", found[3]) if name in names]
            return f'{found[1]}{found[2]}="{" ".join(kept)}",' if kept else ""

        text = re.sub(r"\n{2,}(?= +(?:from \.|\w+=))", "\n", _LISTED.sub(listed, text))
        return re.sub(r"(?m)^if TYPE_CHECKING:(.*)\n+(?=else:)", r"if TYPE_CHECKING:\1\n    pass\n", text)


def _imports(text: str) -> list[tuple[str, str | None]]:
    """The modules that a text imports, each with the name that is taken of it; relative ones have their dots."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [("." * node.level + (node.module or ""), alias.name) for alias in node.names]
    return found


@cache
def _imports_of(path: Path) -> list[tuple[str, str | None]]:
    """What a module imports, without the names that a room shows to type checkers only."""
    return _imports(_LAZY.sub("    pass", path.read_text(encoding="utf-8")))
