"""The files of a package beside its modules: how it is installed and checked, its tests, samples and README."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import requires
from typing import Any

import attrs

from shared import __version__
from shared.designs import Design, Variant
from shared.designs.golden_answers import json_of_answers
from shared.designs.layout_text import layout_text
from shared.designs.patterns import key_line

from .modules import Imports, Package, texts
from .own_tests import CRASHES, ERASURES, OWN_TESTS
from .renaming import rename_answers, rename_golden, rename_sample, rename_words
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
    arguments: tuple[str, ...]
    """The arguments of `rowbook new` after PATH."""
    answers: Mapping[str, Any]
    """Golden answers of the variant."""
    refused: tuple[str, ...] = ()
    """The questions that the variant refuses, in words."""
    renames: Renames = attrs.field(factory=lambda: Renames(()))

    @property
    def is_vendored(self) -> bool:
        """Whether the library is a copy in the project."""
        return self.library != "rowbook"

    @property
    def origin(self) -> str:
        """What it is made of, in words."""
        return f"`{self.arguments[1]}`" if "--from" in self.arguments else "the smallest design"


def repository_name(design: Design) -> str:
    """The name of the class of a design's repository."""
    of: Any = design.repository
    return str(getattr(of, "func", of).__name__)


def project_files(made: Made, package: Package) -> dict[str, bytes]:
    """All files of the project, by their names in its folder."""
    package = {**package}
    own_tests = {tests.module: package.pop(tests.module) for tests in OWN_TESTS if tests.module in package}
    own = {f"{made.name}/{file}": _of_library(text, made).encode() for file, text in texts(package).items()}
    samples = [*(load.samples for load in made.design.loads), made.design.loads[0].samples.with_name("keys.json")]
    for path in samples:
        is_golden = path.name == "keys.json"
        name, data = (path.name, _golden_keys(made)) if is_golden else rename_sample(path, made.renames)
        own[f"{made.name}/samples/{name}"] = data
    layout = layout_text(attrs.evolve(made.design, variants=(made.variant,)))
    own[f"{made.name}/layout.txt"] = rename_words(layout, made.renames).encode()
    own[f"{made.name}/samples/answers.json"] = json_of_answers(rename_answers(made.answers, made.renames)).encode()
    tests = {
        "tests/test_contract.py": _TEST_CONTRACT.format(
            name=made.name, library=made.library, own=_OWN_CONTRACT.get(made.design.name, "")
        ).encode(),
        "tests/test_example.py": _TEST_EXAMPLE.format(name=made.name).encode(),
    }
    for name, module in own_tests.items():
        code = re.sub(r"^from \.(?=\w)", f"from {made.name}.", module.code, flags=re.MULTILINE)
        code = re.sub(r"^from \. ", f"from {made.name} ", code, flags=re.MULTILINE)
        tests[f"tests/{name}.py"] = _of_library(code, made).encode()
    of_library = vendored(_imported_of_library({**own, **tests}, made), made.library) if made.is_vendored else None
    return {
        "README.md": _readme(made, package, tests).encode(),
        "pyproject.toml": _pyproject(made, package, of_library).encode(),
        **own,
        f"{made.name}/py.typed": b"",
        **tests,
        **(of_library.files if of_library else {}),
    }


def _of_library(text: str, made: Made) -> str:
    """The text of a module that names the library and its package as they are called here."""
    text = re.sub(r"\b(?:shared|rowbook)\.(?=[a-z])", f"{made.library}.", text)
    return text.replace(f"domains.{made.design.name}", made.name)


def _imported_of_library(files: Mapping[str, bytes], made: Made) -> Iterator[str]:
    """The modules of the library that some files import, by the name that they have there."""
    for name, data in files.items():
        if name.endswith(".py"):
            for found in re.finditer(rf"^\s*from {made.library}(\S*) import", data.decode(), re.MULTILINE):
                yield f"rowbook{found[1]}"


def _golden_keys(made: Made) -> bytes:
    """Keys by hand of the tables of the variant."""
    golden = json.loads(made.design.loads[0].samples.with_name("keys.json").read_text(encoding="utf-8"))
    tables = {table.name: golden[table.name] for table in made.variant.tables}
    return (json.dumps(rename_golden(tables, made.renames), indent=1) + "\n").encode()


# ---- pyproject.toml


def _imported(package: Package, modules: Iterable[str]) -> set[str]:
    """The top-level packages that some modules import, also those that only type checkers need."""

    def names(imports: Imports) -> set[str]:
        return {name.partition(" ")[0] for name in imports.modules} | {origin for origin, _ in imports.names.values()}

    found = {name for module in modules for of in ("imports", "typing") for name in names(getattr(package[module], of))}
    return {name.partition(".")[0] for name in found} - {""}


FOR_DESIGN = ("design", "formats")
"""The modules that only the command `rowbook` and the tests import."""


def _pyproject(made: Made, package: Package, of_library: Vendored | None) -> str:
    """`pyproject.toml`, with the packages that are imported, in the releases that rowbook asks for."""
    releases = {
        re.split(r"[\[<>=; ]", wanted)[0]: wanted.partition(";")[0].strip()
        for wanted in requires("rowbook") or ()
        if not wanted.startswith("rowbook")
    }
    base = {name for name, wanted in releases.items() if wanted in (requires("rowbook") or ())}
    service = _imported(package, [name for name in package if name not in FOR_DESIGN])
    further = _imported(package, package) - service
    if of_library is None:
        this = [f"rowbook>={__version__}"]
        develop = [f"rowbook[cli,testing]>={__version__}"]
    else:
        this, develop = [], []
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
        entry="" if of_library else _ENTRY.format(name=made.name),
        packages=json.dumps([made.name, *([made.library] if of_library else [])]),
        mypy_path='\nmypy_path = "typings"' if of_library else "",
        stub_path='\nstubPath = "typings"\nreportMissingModuleSource = false' if of_library else "",
        plugins=', "-p", "no:rowbook"' if of_library else "",
    )


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

# ---- README.md


def _readme(made: Made, package: Package, tests: Iterable[str]) -> str:
    """`README.md`, one page; `tests` are the files of tests."""
    says = package["__init__"].description
    tables = "\n".join(f"| `{name}` | {holds} | `{line}` |" for name, holds, line in _tables(made))
    again = " ".join(made.arguments)
    refused = "".join(f"\n- {made.renames.in_prose(question)}" for question in made.refused)
    return _README.format(
        name=made.name,
        says=says.strip('"').partition("\n")[0],
        origin=made.origin,
        library=made.library,
        runs="" if made.is_vendored else _RUNS.format(name=made.name),
        crashes="; writers that die at any call" if f"tests/{CRASHES.module}.py" in tests else "",
        erasures="; that nothing names what was erased" if f"tests/{ERASURES.module}.py" in tests else "",
        upkeep=_upkeep(made),
        lists=_lists(package, has_crash_tests=f"tests/{CRASHES.module}.py" in tests),
        repository=made.renames.of(repository_name(made.design)),
        version=__version__,
        again=again,
        tables=tables,
        refused=f"\nIt refuses these questions, and says why:\n{refused}\n" if refused else "",
    )


def _lists(package: Package, *, has_crash_tests: bool) -> str:
    """How to add a list; empty if no list is derived from records."""
    if (lines := LINES.search(package["repository"].code)) is None:
        return ""
    return _LISTS.format(lines=lines[1], crashes=_LISTS_OF_CRASHES if has_crash_tests else "")


LINES = re.compile(r"partial\((lines_of\w*)")
"""The function from which an `IntentWriter` has the lines of a record."""


def _upkeep(made: Made) -> str:
    """What the README says of upkeep."""
    if why := made.design.why_no_upkeep(made.variant):
        return f"Nothing has to run beside the service: the repository {why}."
    by_command = "" if made.is_vendored else _BY_COMMAND.format(name=made.name)
    return _UPKEEP + by_command


def _tables(made: Made) -> Iterable[tuple[str, str, str]]:
    def named(text: str) -> str:
        return re.sub(r"\w+", lambda found: made.renames.of(found[0]), text)

    return (
        (named(table.name), made.renames.in_prose(table.holds), named(key_line(table.key)))
        for table in made.variant.record_tables
    )


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
_LISTS = """
## Add a list, step by step

1. `keys.py`: a key class, its cells, a `TableLayout` with the families of the other lists, and a field for it in the
   tuple of tables.
2. `repository.py`, `__init__`: a `BoundTable`, and the table among the lists of `IntentWriter`; also in `moving` if its
   key has a field that changes, because then a change deletes the old line.
3. `{lines}` yields the lines of a record: one more `yield` of the table, and of what its line is made of.
4. A question: a method that returns a `Query`, and its `AccessPattern` in `design.py`.
5. `pytest --rowbook-golden-keys`. If the store holds records already, `repository.upkeep.repair()` fills the list.
{crashes}"""
_LISTS_OF_CRASHES = """\
6. `tests/test_crashes.py`: a `View` of the list, and more `calls` of each `Write`: one for each line that it puts.
"""
_README = """\
# {name}

{says}

Made of {origin} of rowbook {version}, by `rowbook new`. It is yours: change what you like.

```sh
python -m venv .venv && . .venv/bin/activate    # pyright looks for packages in the active environment
pip install --editable '.[dev]'
python -m {name}.example    # a story on a store in memory
pytest
mypy && pyright
{runs}```

In a service, `connect` opens a store, and `create_tables` makes its tables once:

```python
from {library} import connect, create_tables
from {name} import keys
from {name}.repository import {repository}

connection = connect("hbase://HOST:PORT")
create_tables(connection, keys.TABLES)
repository = {repository}(connection)
```

{upkeep}

## Tables

| table | one row holds | key |
|---|---|---|
{tables}
{refused}
## What to edit

| file | what it has |
|---|---|
| `{name}/records.py` | the records: fields, and what each may hold |
| `{name}/keys.py` | keys and tables: what is a column, and what is part of a key |
| `{name}/repository.py` | a method for each write and each question |
| `{name}/example.py` | a story that you can run |
| `{name}/design.py` | the loads and questions that the command `rowbook` and the tests know |
| `{name}/samples/` | the records that the tests store, and `rowbook run` |
| `keys.json`, `answers.json` there | the bytes of keys, and the first records of each answer, which the tests compare |
| `tests/` | what any design must keep (round trips, pages, costs, wrong input); the story{crashes}{erasures} |

1. Change `records.py`, then `keys.py`, then `samples/`. Keep samples with names that start alike (`s-1`, `s-12`), text
   outside ASCII, and equal milliseconds: they find most mistakes in keys.
2. A new question is a method of the repository and an `AccessPattern` in `design.py`.
3. `pytest --rowbook-golden-keys` writes keys of new tables and answers of new questions: read them, and commit them. If
   old ones changed as you wanted, and no table has rows yet, delete the file before.
4. A column may be added at any time if its field has a default, which old rows then have.
{lists}
## What can never change without a new table

Fields and classes may be renamed in Python if the columns stay. But stored rows keep the bytes with which they were
written. Once a table has rows, these need a table of another name:

- the parts of its key, their order, codecs and prefixes; `Fixed:` in each key class of `keys.py` names them;
- the names of tables, families and columns, and how a column packs its values;
- the bytes of a `Code`; a new name may get a new byte.

## A later release of rowbook

To see what a later release writes differently into a new package, make it with both releases and compare:

```sh
rowbook new /tmp/old/{name} {again}    # with rowbook {version}
rowbook new /tmp/new/{name} {again}    # with the later release
git diff --no-index /tmp/old /tmp/new
```
"""
