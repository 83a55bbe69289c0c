"""The files of a package beside its modules: how it is installed and checked, its tests, samples and README."""

import json
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import requires

import attrs

from shared import __version__
from shared.designs import Design, Variant
from shared.designs.patterns import key_line

from .modules import Imports, Package, texts

CHECKERS = ("mypy", "pyright", "pytest")


@attrs.frozen
class Made:
    """What a package is made of, and how to make it again."""

    name: str
    design: Design
    variant: Variant
    origin: str
    """The design, or its variant, as the command line names it."""
    arguments: tuple[str, ...]
    """The arguments of `rowbook new` after PATH."""
    refused: tuple[str, ...] = ()
    """The questions that the variant refuses, in words."""


def project_files(made: Made, package: Package, library: str) -> dict[str, bytes]:
    """All files of the project, by their names in its folder."""
    files = {
        f"{made.name}/{file}": _of_library(text, made, library).encode() for file, text in texts(package).items()
    }
    files |= {f"{made.name}/py.typed": b""}
    files |= {f"{made.name}/samples/{load.samples.name}": load.samples.read_bytes() for load in made.design.loads}
    files |= {
        "pyproject.toml": _pyproject(made, package).encode(),
        "README.md": _readme(made, files).encode(),
        "tests/test_contract.py": _TEST_CONTRACT.format(name=made.name, library=library).encode(),
        "tests/test_example.py": _TEST_EXAMPLE.format(name=made.name).encode(),
        "tests/test_keys.py": _TEST_KEYS.format(name=made.name, library=library).encode(),
        "tests/keys.json": _golden_keys(made).encode(),
    }
    return files


def _of_library(text: str, made: Made, library: str) -> str:
    """The text of a module that names the library and its package as they are called here."""
    text = re.sub(r"\bshared\.(?=[a-z])", f"{library}.", text)
    return text.replace(f"domains.{made.design.name}", made.name)


def _golden_keys(made: Made) -> str:
    """Keys by hand of the tables of the variant."""
    (path,) = {load.samples.parent / "keys.json" for load in made.design.loads}
    golden = json.loads(path.read_text(encoding="utf-8"))
    return json.dumps({table.name: golden[table.name] for table in made.variant.tables}, indent=1) + "\n"


# ---- pyproject.toml


def _imported(package: Package, modules: Iterable[str]) -> set[str]:
    """The top-level packages that some modules import, also those that only type checkers need."""

    def names(imports: Imports) -> set[str]:
        return {name.partition(" ")[0] for name in imports.modules} | {origin for origin, _ in imports.names.values()}

    found = {name for module in modules for of in ("imports", "typing") for name in names(getattr(package[module], of))}
    return {name.partition(".")[0] for name in found} - {""}


FOR_DESIGN = ("design", "formats")
"""The modules that only the command `rowbook` and the tests import."""


def _pyproject(made: Made, package: Package) -> str:
    wanted = {re.split(r"[\[<>=; ]", requirement)[0]: requirement.partition(";")[0].strip() for requirement in requires("rowbook") or ()}
    service = _imported(package, [name for name in package if name not in FOR_DESIGN])
    show = _imported(package, package) - service
    this = f"rowbook>={__version__}"
    dependencies = sorted([*(wanted[name] for name in service if name in wanted), this])
    developed = sorted([*CHECKERS, *(wanted[name] for name in show if name in wanted), this.replace("k>", "k[cli,testing]>")])
    return _PYPROJECT.format(
        name=made.name,
        project=made.name.replace("_", "-"),
        dependencies=_listed(dependencies),
        developed=_listed(developed),
        version=__version__,
        arguments=json.dumps(made.arguments),
    )


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

[project.entry-points."rowbook.designs"]
{name} = "{name}.design:DESIGN"

[tool.rowbook] # what this package is made of; README.md says how to compare it with a later release
version = "{version}"
arguments = {arguments}

[tool.hatch.build.targets.wheel]
packages = ["{name}"]

[tool.mypy]
strict = true
files = ["{name}", "tests"]

[tool.pyright]
include = ["{name}", "tests"]
typeCheckingMode = "strict"

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["--import-mode=importlib"]
"""


# ---- tests

_TEST_CONTRACT = '''\
"""What every design keeps: records come back as they were stored, pages join, all questions are answered rightly."""

from {library}.testing import DesignContract

from {name}.design import DESIGN


class TestContract(DesignContract):
    design = DESIGN
'''

_TEST_EXAMPLE = '''\
"""The story of the package runs, and asserts what it claims."""

from {name} import example


def test_the_story_is_true() -> None:
    example.main()
'''

_TEST_KEYS = '''\
"""Row keys written by hand. If one changes after the first row is stored, stored rows are no longer found.

Until then, change `keys.json` with `keys.py`.
"""

import json
from pathlib import Path

from {library}.testing import check_golden_keys

from {name}.keys import TABLES

GOLDEN = Path(__file__).parent / "keys.json"


def test_keys_are_the_bytes_that_are_stored() -> None:
    check_golden_keys({{table.name: table.key for table in TABLES}}, json.loads(GOLDEN.read_text(encoding="utf-8")))
'''


# ---- README.md


def _readme(made: Made, files: Mapping[str, bytes]) -> str:
    tables = "\n".join(f"| `{name}` | {holds} | `{line}` |" for name, holds, line in _tables(made))
    again = " ".join(made.arguments)
    refused = "".join(f"\n- {question}" for question in made.refused)
    return _README.format(
        name=made.name,
        question=made.design.question,
        origin=f"`{made.origin}`" if made.origin else "the smallest design",
        version=__version__,
        again=again,
        tables=tables,
        refused=f"\nThis variant refuses, with the reason:\n{refused}\n" if refused else "",
    )


def _tables(made: Made) -> Iterable[tuple[str, str, str]]:
    return ((table.name, table.holds, key_line(table.key)) for table in made.variant.record_tables)


_README = """\
# {name}

{question}

Made of {origin} of rowbook {version}, by `rowbook new`. It is yours: change what you like.

```sh
pip install --editable '.[dev]'
python -m {name}.example    # a story on a store in memory
pytest
mypy && pyright
rowbook run {name}          # loads the samples, asks all questions, and shows what they cost
```

In a service, `connect` opens a store, and `create_tables` makes its tables once:

```python
from rowbook import connect, create_tables
from {name} import keys

connection = connect("hbase://HOST:PORT")
create_tables(connection, keys.TABLES)
```

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
| `tests/` | the contract of every design, the story, and row keys as bytes |

1. Change `records.py`, then the columns in `keys.py`, then `samples/`.
2. A new question is a method of the repository and an `AccessPattern` in `design.py`.
3. A column may be added at any time if its field has a default, which old rows then have.

## What can never change without a new table

Stored rows keep the bytes with which they were written. Once a table has rows, these need a table of another name:

- the parts of its key, their order, codecs and prefixes; `Fixed:` in each key class of `keys.py` names them;
- the names of tables, families and columns, and how a column packs its values;
- the bytes of a `Code`; a new name may get a new byte.

Fields and classes may be renamed in Python if the columns stay.

## A later release of rowbook

Updates of the library come with `pip install --upgrade rowbook`. To see what a later release writes differently into a
new package, make it with both releases and compare:

```sh
rowbook new /tmp/old/{name} {again}    # with rowbook {version}
rowbook new /tmp/new/{name} {again}    # with the later release
git diff --no-index /tmp/old /tmp/new
```
"""
