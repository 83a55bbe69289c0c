"""The files of a package beside its modules: how it is installed and checked, its tests, samples and README."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs

from shared import __version__
from shared.designs import Design, Variant
from shared.designs.golden_answers import json_of_answers
from shared.designs.layout_text import layout_text
from shared.designs.patterns import key_line

from ..designs import full_name
from .copying import PACKAGE, Size, named_anew, repository_class
from .renaming import NewNames, new_names
from .vendoring import Vendored, vendored
from .words import Renames

CHECKERS = ("mypy", "pyright", "pytest")


@attrs.frozen
class Made:
    """What a package is made of, and how to make it again."""

    name: str
    design: Design
    variant: Variant
    library: str
    """The package of the library: `rowbook`, or a copy of what is used of it."""
    size: Size
    arguments: tuple[str, ...]
    """The arguments of `rowbook new` after PATH."""
    answers: Mapping[str, Any]
    """Golden answers of the variant."""
    renames: Renames

    @property
    def is_vendored(self) -> bool:
        """Whether the library is a copy in the project."""
        return self.library != "rowbook"

    @property
    def imported(self) -> tuple[str, str]:
        """The module of the package, if not the package itself, and the name, by which a service has the repository."""
        if self.variant.module is None or self.variant is self.design.main:
            return "", repository_class(self.design).__name__
        return f".{self.variant.module.__name__.rpartition('.')[2]}", "Repository"


def project_files(made: Made, modules: Mapping[str, str], tests: Mapping[str, str]) -> dict[str, bytes]:
    """All files of the project, by their names in its folder."""
    tables = [table.name for table in made.variant.tables]
    names = new_names([*modules.values(), *tests.values()], tables, made.renames)
    of_library = None
    if made.is_vendored:
        texts = [*modules.values(), *tests.values(), *_needed(made)]
        of_library = vendored(texts, made.library, with_tests=made.size == "all")

    def own(text: str) -> str:
        return names.code(named_anew(text, made.design.name, made.library)).replace(PACKAGE, made.name)

    package = {name: own(text) for name, text in modules.items()}
    files = {f"{made.name}/{name}.py": text.encode() for name, text in package.items()}
    files |= {f"tests/{name}.py": own(text).encode() for name, text in tests.items()}
    if made.size == "all":
        files |= dict(_samples(made, names))
        files["tests/test_contract.py"] = _TEST_CONTRACT.format(
            name=made.name, library=made.library, own=_OWN_CONTRACT.get(made.design.name, "")
        ).encode()
        files["tests/test_example.py"] = _TEST_EXAMPLE.format(name=made.name).encode()
    else:
        files[f"{made.name}/keys.json"] = _golden_keys(made, names)
        files["tests/test_keys.py"] = (
            _TEST_KEYS[made.size].format(name=made.name, library=made.library, home=_home(package)).encode()
        )
    if made.size != "keys":
        layout = layout_text(attrs.evolve(made.design, variants=(made.variant,)))
        files[f"{made.name}/layout.txt"] = names.words(layout).encode()
    return {
        "README.md": _readme(made, package, names, files).encode(),
        "pyproject.toml": _pyproject(made, package, of_library).encode(),
        **files,
        f"{made.name}/py.typed": b"",
        **(of_library.files if of_library else {}),
    }


def _needed(made: Made) -> Iterator[str]:
    """What the README and the written tests import of the library."""
    if made.size != "keys":
        yield from (f"from shared{room} import connect, create_tables" for room in ("", ".stores", ".tables"))
    if made.size == "all":
        yield "from shared.testing import DesignContract"


def _samples(made: Made, names: NewNames) -> Iterator[tuple[str, bytes]]:
    """The samples, with keys by hand and the first records of each answer."""
    for path in {load.samples for load in made.design.loads}:
        yield f"{made.name}/samples/{path.name}", names.sample(path.name, path.read_bytes().decode()).encode()
    yield f"{made.name}/samples/keys.json", _golden_keys(made, names)
    yield f"{made.name}/samples/answers.json", json_of_answers(names.data(made.answers)).encode()


def _golden_keys(made: Made, names: NewNames) -> bytes:
    """Keys by hand of the tables of the variant."""
    golden = json.loads(made.design.loads[0].samples.with_name("keys.json").read_text(encoding="utf-8"))
    tables = {table.name: golden[table.name] for table in made.variant.tables if table.name in golden}
    return (json.dumps(names.data(tables), indent=1) + "\n").encode()


# ---- pyproject.toml


def _pyproject(made: Made, package: Mapping[str, str], of_library: Vendored | None) -> str:
    """`pyproject.toml`, with the packages that are imported, in the releases that rowbook asks for."""
    releases = {
        re.split(r"[\[<>=; ]", wanted)[0]: wanted.partition(";")[0].strip()
        for wanted in requires("rowbook") or ()
        if not wanted.startswith("rowbook")
    }
    base = {name for name, wanted in releases.items() if wanted in (requires("rowbook") or ())}
    service = {name for module, text in package.items() if module not in FOR_DESIGN for name in _imported(text)}
    further = {name for text in package.values() for name in _imported(text)} - service
    this, develop = [], []
    if of_library is None:
        this = [_rowbook("")]
        develop = [_rowbook(extras) for extras in _FOR_TESTS[made.size]]
    else:
        service |= of_library.packages & base
        further |= of_library.packages - base - service
    dependencies = [*(wanted for name, wanted in releases.items() if name in service), *this]
    developed = [*(wanted for name, wanted in releases.items() if name in further), *develop]
    return _PYPROJECT.format(
        name=made.name,
        project=made.name.replace("_", "-"),
        dependencies=_listed(sorted(dependencies)),
        developed=_listed(sorted({*CHECKERS, *developed})),
        version=__version__,
        arguments=json.dumps(made.arguments),
        entry=_ENTRY.format(name=made.name) if of_library is None and made.size == "all" else "",
        packages=json.dumps([made.name, *([made.library] if of_library else [])]),
        direct="\n[tool.hatch.metadata]\nallow-direct-references = true\n" if " @ " in "".join(this) else "",
        mypy_path='\nmypy_path = "typings"' if of_library else "",
        stub_path='\nstubPath = "typings"\nreportMissingModuleSource = false' if of_library else "",
        plugins=', "-p", "no:rowbook"' if of_library else "",
    )


_FOR_TESTS: Mapping[Size, tuple[str, ...]] = {"keys": (), "questions": ("[store]",), "all": ("[cli,testing]",)}
"""The extras of rowbook that the tests of a package need."""
FOR_DESIGN = ("design", "formats")
"""The modules that only the command `rowbook` and the tests import."""


def _imported(text: str) -> set[str]:
    """The top-level packages that a module imports."""
    return set(re.findall(r"^\s*(?:from|import) ([a-zA-Z_]\w*)", text, re.MULTILINE))


def _rowbook(extras: str) -> str:
    """The requirement of rowbook: the checkout or the wheel that it was installed from, if pip knows one."""
    known: dict[str, str] = json.loads(distribution("rowbook").read_text("direct_url.json") or "{}")
    origin = known.get("url", "")
    if origin.startswith("file://") and Path(unquote(origin.removeprefix("file://"))).exists():
        return f"rowbook{extras} @ {origin}"
    return f"rowbook{extras}>={__version__}"


_ENTRY = """\
[project.entry-points."rowbook.designs"]
{name} = "{name}.design:DESIGN"

"""


def _listed(requirements: Iterable[str]) -> str:
    return "".join(f'    "{requirement}",\n' for requirement in requirements)


_PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{project}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = [
{dependencies}]

[project.optional-dependencies]
dev = [ # the tests, the types, and the command `rowbook`
{developed}]

{entry}[tool.rowbook] # what this package is made of; README.md says how to compare it with a later release
version = "{version}"
arguments = {arguments}

[tool.hatch.build]
dev-mode-dirs = ["."] # an editable install imports the package from here

[tool.hatch.build.targets.wheel]
packages = {packages}
{direct}
[tool.mypy]
strict = true
files = ["{name}", "tests"]{mypy_path}

[tool.pyright]
include = ["{name}", "tests"]
typeCheckingMode = "strict"{stub_path}

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["--import-mode=importlib"{plugins}]
"""


# ---- tests

_TEST_CONTRACT = '''\
"""What every design keeps: records come back as they were stored, pages join, all questions are answered rightly."""

from {library}.testing import DesignContract

from {name}.design import DESIGN


class TestContract(DesignContract):
    design = DESIGN
{own}'''

_OWN_CONTRACT = {
    "tsdb": """\
    whole_rows = True  # pages end with whole rows
""",
}
"""What differs in the contracts of some designs."""

_TEST_EXAMPLE = '''\
"""The story of the package runs, and asserts what it claims."""

from {name} import example


def test_the_story_is_true() -> None:
    example.main()
'''

_TEST_KEYS = {
    "keys": '''\
"""Keys by hand: their bytes decode, and encode to the same bytes, in the order of `keys.json`."""

import json
from pathlib import Path

import pytest

from {name} import keys

GOLDEN = json.loads((Path(keys.__file__).parent / "keys.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("table", keys.LAYOUTS)
def test_rows_decode_and_encode_to_the_same_bytes(table: str) -> None:
    layout = keys.LAYOUTS[table]
    rows = [bytes.fromhex(golden["row"]) for golden in GOLDEN[table]]
    assert [layout.encode(layout.decode(row)) for row in rows] == rows
''',
    "questions": '''\
"""The tables of this package have the rows of `keys.json`, and can be made in a store."""

import json
from pathlib import Path

import {name}
from {library}.stores import connect
from {library}.tables import create_tables
from {name}.{home} import TABLES

GOLDEN = json.loads((Path({name}.__file__).parent / "keys.json").read_text(encoding="utf-8"))


def test_rows_decode_and_encode_to_the_same_bytes() -> None:
    for table in TABLES:
        for golden in GOLDEN.get(table.name, []):
            row = bytes.fromhex(golden["row"])
            assert table.key.encode(table.key.decode(row)) == row


def test_the_tables_can_be_made() -> None:
    create_tables(connect("embedded:"), TABLES)
''',
}

# ---- README.md


def _readme(made: Made, package: Mapping[str, str], names: NewNames, files: Iterable[str]) -> str:
    """`README.md`, one page; `files` are those of the package and its tests."""
    docstring = re.match(r'"""(.*?)("""|\n)', package["__init__"])
    edited = [f"| `{made.name}/{name}.py` | {_HAS[name]} |" for name in package if name in _HAS]
    if {*package} - {*_HAS, "__init__"}:
        edited.append(f"| other modules of `{made.name}/` | parts of the repository, or all of it |")
    module, repository = made.imported
    values = {
        "name": made.name,
        "says": made.renames.in_prose(docstring[1]) if docstring else made.name,
        "origin": full_name(made.design, made.variant),
        "library": made.library,
        "where": "" if made.is_vendored else _WHERE,
        "module": module,
        "repository": names.names.get(repository, repository),
        "version": __version__,
        "again": " ".join(made.arguments),
        "tables": "\n".join(f"| `{name}` | {holds} | `{line}` |" for name, holds, line in _tables(made, names)),
        "edited": "\n".join(edited),
        "home": _home(package),
        "first": _constant_of(made, names),
        "part": names.told.get(*[made.variant.record_tables[0].key.parts[0].name] * 2),
    }
    crashes = "; writers that die at any call" if "tests/test_crashes.py" in files else ""
    erasures = "; that nothing names what was erased" if "tests/test_erasures.py" in files else ""
    if made.size != "all":
        return (_START + _ONLY[made.size] + _TABLES + _NEVER).format(**values)
    runs = "" if made.is_vendored else _RUNS.format(name=made.name)
    text = _START + _SERVICE + _TABLES + _EDIT + _NEVER + _LATER
    return text.format(**values, runs=runs, crashes=crashes, erasures=erasures, upkeep=_upkeep(made))


def _home(package: Mapping[str, str]) -> str:
    """The module that has the tables."""
    return next((name for name, text in package.items() if re.search(r"^TABLES\b", text, re.MULTILINE)), "keys")


def _constant_of(made: Made, names: NewNames) -> str:
    table = made.variant.record_tables[0].name
    return names.told.get(table, table).upper()


def _upkeep(made: Made) -> str:
    """What the README says of upkeep."""
    if why := made.design.why_no_upkeep(made.variant):
        return f"Nothing has to run beside the service: the repository {why}."
    by_command = "" if made.is_vendored else _BY_COMMAND.format(name=made.name)
    return _UPKEEP + by_command


def _tables(made: Made, names: NewNames) -> Iterable[tuple[str, str, str]]:
    return (
        (names.words(table.name), made.renames.in_prose(table.holds), names.words(key_line(table.key)))
        for table in made.variant.record_tables
    )


_HAS = {
    "records": "the records: fields, and what each may hold",
    "keys": "keys and tables: what is a column, and what is part of a key",
    "repository": "a method for each write and each question",
    "example": "a story that you can run",
    "design": "the loads and questions that the command `rowbook` and the tests know",
    "formats": "the formats of files that `rowbook load` reads",
}
_WHERE = """
rowbook is on no package index: `pyproject.toml` names the checkout or wheel that this package was made with. If that
moves, change the lines with `rowbook @`.
"""
_RUNS = """\
rowbook run {name}    # loads the samples, asks all questions, and shows what they cost
"""
_UPKEEP = """\
A writer may die in the middle of a write. `repository.upkeep.recover()` completes the write: call it every few minutes.
`repository.upkeep.verify()` finds rows that disagree, and `repair` mends them."""
_BY_COMMAND = """ By command:

```sh
rowbook recover {name} --every 5m --store hbase://HOST:PORT
rowbook verify {name} --store hbase://HOST:PORT
```"""
_START = """\
# {name}

{says}

Made of `{origin}` of rowbook {version}, by `rowbook new`. It is yours: change what you like. `Source:` and ids such as
S0.13 name the published advice that a key follows or corrects; `domains/IDEAS.md` of rowbook quotes it.
"""
_ONLY = {
    "keys": """
```sh
python -m venv .venv && . .venv/bin/activate
pip install --editable '.[dev]'
pytest && mypy
```
{where}
A key is a class; its layout makes rows of keys, and ranges of questions. Any client scans them, such as happybase:

```python
from {name}.keys import {first}

for range_ in {first}.plan({part}=...).ranges:
    for row, cells in table.scan(row_start=range_.start, row_stop=range_.stop):
        key = {first}.decode(row)
```
""",
    "questions": """
```sh
python -m venv .venv && . .venv/bin/activate
pip install --editable '.[dev]'
pytest && mypy
```
{where}
It asks what another service writes, and has no method that writes:

```python
from {library}.stores import connect
from {name}.{home} import TABLES

connection = connect("hbase://HOST:PORT")
```
""",
}
_SERVICE = """
```sh
python -m venv .venv && . .venv/bin/activate    # pyright looks for packages in the active environment
pip install --editable '.[dev]'
python -m {name}.example    # a story on a store in memory
pytest
mypy && pyright
{runs}```
{where}
In a service, `connect` opens a store, and `create_tables` makes its tables once:

```python
from {library} import connect, create_tables
from {name} import TABLES
from {name}{module} import {repository}

connection = connect("hbase://HOST:PORT")
create_tables(connection, TABLES)
repository = {repository}(connection)
```

{upkeep}
"""
_TABLES = """
## Tables

| table | one row holds | key |
|---|---|---|
{tables}
"""
_EDIT = """
## What to edit

| file | what it has |
|---|---|
{edited}
| `{name}/samples/` | the records that the tests store, and `rowbook run` |
| `keys.json`, `answers.json` there | the bytes of keys, and the first records of each answer, which the tests compare |
| `tests/` | what any design must keep (round trips, pages, costs, wrong input); the story{crashes}{erasures} |

1. Change the records, then the keys, then `samples/`. Keep samples with names that start alike (`s-1`, `s-12`), text
   outside ASCII, and equal milliseconds: they find most mistakes in keys.
2. A new list is a key class, and one line that declares it; a new question is a method of the repository, and an
   `AccessPattern` in `design.py`. If the store holds records already, `repository.upkeep.repair()` fills the list.
3. `pytest --rowbook-golden-keys` writes keys of new tables, answers of new questions, and `layout.txt`: read them, and
   commit them. If old ones changed as you wanted, and no table has rows yet, delete the file before.
4. A column may be added at any time if its field has a default, which old rows then have.
"""
_NEVER = """
## What can never change without a new table

Fields and classes may be renamed in Python if the columns stay. But stored rows keep the bytes with which they were
written. Once a table has rows, these need a table of another name:

- the parts of its key, their order, codecs and prefixes; `Fixed:` in each key class names them;
- the names of tables, families and columns, and how a column packs its values;
- the bytes of a `Code`; a new name may get a new byte.
"""
_LATER = """
## A later release of rowbook

To see what a later release writes differently into a new package, make it with both releases and compare:

```sh
rowbook new /tmp/old/{name} {again}    # with rowbook {version}
rowbook new /tmp/new/{name} {again}    # with the later release
git diff --no-index /tmp/old /tmp/new
```
"""
