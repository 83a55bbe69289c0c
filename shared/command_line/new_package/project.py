"""The files of a package beside its modules: how it is installed and checked, its tests, samples and README."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import distribution, requires
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import attrs

from ... import __version__
from ...designs import Design, Variant
from ...designs.golden_answers import json_of_answers
from ...designs.layout_text import layout_texts
from ...designs.patterns import key_line
from ...records.plain_values import json_of
from ...tables import TableLayout
from ..named.designs import full_name
from .copying import PACKAGE, Size, named_anew, repository_class
from .name_words import Renames
from .renaming import NewNames, new_names
from .service import FOR_TESTS, FRAMEWORKS, NEEDED, Service
from .templates import filled
from .vendoring import Vendored, types_of, vendored

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
    service: str | None
    """The web framework of its service, if it has one."""
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
    def facts(self) -> set[str]:
        """What decides which sections of a template it has."""
        facts = {self.size, "all" if self.size == "all" else "smaller", "vendored" if self.is_vendored else "installed"}
        return facts | ({"service", self.service} if self.service else set())

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
    served: dict[str, str] = {}
    if made.service is not None:
        service = Service(made.service, made.design, made.variant, modules, names)
        served = service.files(made.name, "rowbook")
    of_library = None
    if made.is_vendored:
        texts = [*modules.values(), *served.values(), *tests.values(), *_needed(made)]
        of_library = vendored(texts, made.library, with_tests=made.size == "all")

    def own(text: str) -> str:
        return names.code(named_anew(text, made.design.name, made.library)).replace(PACKAGE, made.name)

    package = {name: own(text) for name, text in modules.items()}
    files = {f"{made.name}/{names.module(name)}.py": text.encode() for name, text in package.items()}
    files |= {
        f"{made.name}/{name}.py": named_anew(text, made.design.name, made.library).encode()
        for name, text in served.items()
    }
    files |= {f"tests/{name}.py": own(text).encode() for name, text in tests.items()}
    values = {
        "name": made.name,
        "library": made.library,
        "home": names.module(home_of_tables(package)).replace("/", "."),
    }
    if made.size == "all":
        files |= dict(_samples(made, names))
        for test in ("test_contract.py", "test_example.py", *(["test_service.py"] if made.service else [])):
            files[f"tests/{test}"] = filled(test, values, {made.design.name, *made.facts}).encode()
    else:
        files[f"{made.name}/keys.json"] = _golden_keys(made, names)
        files["tests/test_keys.py"] = filled(f"test_{made.size}.py", values).encode()
    if made.size != "keys":
        (layout,) = layout_texts(attrs.evolve(made.design, variants=(made.variant,))).values()
        files[f"{made.name}/layout.txt"] = names.words(layout).encode()
    beside = of_library.files if of_library else types_of({*chain.from_iterable(map(_imported, package.values()))})
    return {
        "README.md": _readme(made, package, names, files).encode(),
        "pyproject.toml": _pyproject(made, package, of_library, is_typed=bool(beside)).encode(),
        **files,
        f"{made.name}/py.typed": b"",
        **beside,
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


def _pyproject(made: Made, package: Mapping[str, str], of_library: Vendored | None, *, is_typed: bool) -> str:
    """`pyproject.toml`, with the packages that are imported, in the releases that rowbook asks for.

    `is_typed` says whether the project has types of other packages.
    """
    releases = {
        _module_of(wanted): wanted.partition(";")[0].strip()
        for wanted in requires("rowbook") or ()
        if not wanted.startswith("rowbook")
    }
    base = {name for name, wanted in releases.items() if wanted in (requires("rowbook") or ())}
    service = {name for module, text in package.items() if module not in FOR_DESIGN for name in _imported(text)}
    further = {name for text in package.values() for name in _imported(text)} - service
    this, develop = [], []
    if of_library is None:
        this = [_rowbook("[service]" if made.service else "")]
        develop = [_rowbook(extras) for extras in _FOR_TESTS[made.size]]
    else:
        service |= of_library.packages & base
        further |= of_library.packages - base - service
    dependencies = [*(wanted for name, wanted in releases.items() if name in service), *this]
    if made.service is not None:
        dependencies += [*NEEDED, *FRAMEWORKS[made.service]]
        develop += FOR_TESTS[made.service]
    further |= {*CHECKERS}
    wanted_by_tests = [releases.get(name, name) for name in further if name in {*releases, *CHECKERS}]
    values = {
        "name": made.name,
        "project": made.name.replace("_", "-"),
        "dependencies": _listed(sorted(dependencies)),
        "developed": _listed(sorted([*wanted_by_tests, *develop])),
        "version": __version__,
        "arguments": json.dumps(made.arguments),
        "packages": json.dumps([made.name, *([made.library] if of_library else [])]),
        "plugins": ', "-p", "no:rowbook"' if of_library else "",
    }
    holding = {"direct": " @ " in "".join(this), "typed": is_typed}
    facts = made.facts | {fact for fact, holds in holding.items() if holds}
    return filled("pyproject.toml", values, facts)


_FOR_TESTS: Mapping[Size, tuple[str, ...]] = {"keys": (), "questions": ("[store]",), "all": ("[cli,testing]",)}
"""The extras of rowbook that the tests of a package need."""
FOR_DESIGN = ("design", "formats")
"""The modules that only the command `rowbook` and the tests import."""


def _module_of(requirement: str) -> str:
    """The top-level package that a requirement installs: `prometheus_client` for prometheus-client."""
    return re.split(r"[\[<>=; ]", requirement)[0].replace("-", "_")


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


def _listed(requirements: Iterable[str]) -> str:
    return "".join(f'    "{requirement}",\n' for requirement in requirements)


# ---- README.md


def _readme(made: Made, package: Mapping[str, str], names: NewNames, files: Iterable[str]) -> str:
    """`README.md`, one page; `files` are those of the package and its tests."""
    docstring = re.match(r'"""(.*?)("""|\n)', package["__init__"])
    edited = [f"| `{made.name}/{name}.py` | {_HAS[name]} |" for name in package if name in _HAS]
    if {*package} - {*_HAS, "__init__"}:
        edited.append(f"| other modules of `{made.name}/` | parts of the repository, or all of it |")
    module, repository = made.imported
    first = made.variant.record_tables[0]
    no_upkeep = made.design.why_no_upkeep(made.variant)
    load = made.design.loads[0]
    values = {
        "name": made.name,
        "says": made.renames.in_prose(docstring[1]) if docstring else made.name,
        "origin": full_name(made.design, made.variant),
        "library": made.library,
        "module": module,
        "repository": names.of(repository),
        "version": __version__,
        "again": " ".join(made.arguments),
        "tables": "\n".join(_table(made, names, table) for table in made.variant.record_tables),
        "edited": "\n".join(edited),
        "home": names.module(home_of_tables(package)).replace("/", "."),
        "first": names.words(first.name).upper(),
        "part": names.words(first.key.parts[0].name),
        "no_upkeep": no_upkeep,
        "samples": load.samples.name,
        "question": _asked_over_http(made, names),
        "write": names.of(load.store.__name__),
        "record": json_of(names.data(json.loads(json_of(next(load.sample_records()))))).replace("'", "\\u0027"),
        "crashes": "; writers that die at any call" if "tests/test_crashes.py" in files else "",
        "erasures": "; that nothing names what was erased" if "tests/test_erasures.py" in files else "",
    }
    return filled("README.md", values, made.facts | {"independent" if no_upkeep else "recovered"})


def _asked_over_http(made: Made, names: NewNames) -> str:
    """The URL of the first question with its sample, after the address."""
    pattern = made.design.patterns[0]
    sample = {names.of(name): value for name, value in pattern.sample.items()}
    return f"{names.of(pattern.method.__name__)}?{urlencode(sample)}"


def _table(made: Made, names: NewNames, table: TableLayout[Any, Any]) -> str:
    """A table as a row of the README's table."""
    return (
        f"| `{names.words(table.name)}` | {made.renames.in_prose(table.holds)} | `{names.words(key_line(table.key))}` |"
    )


def home_of_tables(package: Mapping[str, str]) -> str:
    """The module that has the tables."""
    return next((name for name, text in package.items() if re.search(r"^TABLES\b", text, re.MULTILINE)), "keys")


_HAS = {
    "records": "the records: fields, and what each may hold",
    "keys": "keys and tables: what is a column, and what is part of a key",
    "repository": "a method for each write and each question",
    "example": "a story that you can run",
    "design": "the loads and questions that the command `rowbook` and the tests know",
    "formats": "the formats of files that `rowbook load` reads",
}
