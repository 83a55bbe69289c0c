"""What `pip install rowbook` and each of its extras bring, and what is said where an extra is missing."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pytest

from domains.__main__ import NEEDS
from domains.suite import SUITE
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server import ThriftServer
from tests.copies import copied_modules, imported_modules
from tests.designs import EXTRAS, NAMES
from tests.wheels import PIP, build_wheel, run, succeed, wheels_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

ROOMS = {
    "store": ("shared.loading.line_patterns", "shared.stores.filters"),
    "cli": (
        "shared.command_line",
        "shared.designs",
        "shared.exhibit",
        "shared.loading",
        "domains.demo",
        "domains.suite",
    ),
    "frames": ("domains.tsdb.asking.frames",),
    "parquet": ("shared.command_line.stored_records.parquet_files", "shared.loading.parquet_tables"),
    "tsdb": ("domains.tsdb", "shared.keys.cell_arrays", "shared.stores.hbase.cell_replies"),
    "pictures": ("shared.exhibit.pictures",),
    "service": ("shared.loading", "shared.service"),
    "testing": ("shared.testing",),
    "zstd": ("shared.loading.compression",),
    "all": (),
}
"""The modules that may import the packages of an extra."""


def distributions(requirements: Iterable[str]) -> set[str]:
    """The names of some requirements, without rowbook's own extras."""
    return {re.split(r"[\[<>=;]", requirement)[0] for requirement in requirements} - {"rowbook"}


def packages(requirements: Iterable[str]) -> set[str]:
    """The packages that are imported from some requirements."""
    return {name.removesuffix(".py").split(".")[0].replace("-", "_") for name in distributions(requirements)}


BASE = packages(PROJECT["dependencies"]) | {"Hbase_thrift"}  # which happybase makes
OF_EXTRA = {extra: packages(requirements) for extra, requirements in PROJECT["optional-dependencies"].items()}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for folder in ("shared", "domains")
    for path in (ROOT / folder).rglob("*.py")
}


def imported(path: Path) -> set[str]:
    """The top-level names of the modules that a file imports, but for those of the standard library."""
    by_call = re.findall(r"import_module\((.*)\)", path.read_text(encoding="utf-8"))
    by_name = {package for call in by_call for package in re.findall(r'"(\w+)\.\w+"', call)}
    names = {module.split(".")[0] for module in imported_modules(path)} | by_name
    later = {"compression"}  # in the standard library from Python 3.14 on
    return names - {"", "shared", "domains", "fixtures"} - {*sys.stdlib_module_names} - later


def in_rooms(module: str, rooms: tuple[str, ...]) -> bool:
    """Whether a module is one of these, or within one."""
    return f"{module}.".startswith(tuple(f"{room}." for room in rooms))


def test_only_the_rooms_of_an_extra_import_its_packages_and_they_import_all() -> None:
    assert ROOMS.keys() == OF_EXTRA.keys()
    used: dict[str, set[str]] = {extra: set() for extra in ROOMS}
    for module, path in MODULES.items():
        extras = [extra for extra, rooms in ROOMS.items() if in_rooms(module, rooms)]
        further = imported(path) - BASE
        assert further <= set[str]().union(*(OF_EXTRA[extra] for extra in extras)), module
        for extra in extras:
            used[extra] |= further & OF_EXTRA[extra]
    assert used == OF_EXTRA


def test_the_packages_that_errors_name_are_those_of_the_extras() -> None:
    assert set(NEEDS) == OF_EXTRA["cli"] | OF_EXTRA["store"]
    assert {name: set(needed) for name, needed in EXTRAS.items()} == {name: OF_EXTRA[name] for name in EXTRAS}


COPIED = [
    f"domains.{name}.{module.replace('/', '.')}"
    for name in NAMES
    for module in copied_modules(name)
    if name not in EXTRAS
]
OF_COMMANDS = [
    module.removesuffix(".__init__")
    for module in MODULES
    if in_rooms(module, ("shared.command_line", "shared.designs", "shared.exhibit"))
    and not in_rooms(module, (*ROOMS["pictures"], *ROOMS["parquet"]))
]
PROMISED = {
    "": ["shared.stores.hbase.connection", *COPIED],  # which import all that one needs for `hbase:`
    "store": ["shared.stores.embedded.connection", "shared.stores.server"],
    "testing": ["shared.testing.contracts"],
    "cli": [name for name in OF_COMMANDS if not name.endswith("__main__")]
    + [f"domains.{name}.design" for name in NAMES if name not in EXTRAS],
    "frames": ["domains.tsdb.asking.frames"],
    "parquet": ["shared.command_line.stored_records.parquet_files", "shared.loading.parquet_tables"],
    "tsdb": ["domains.tsdb"],
    "pictures": ["shared.exhibit.pictures"],
}
"""The modules that can be imported with each extra."""


def needed(extra: str) -> set[str]:
    """The packages of an extra, and of those that it names."""
    requirements = PROJECT["optional-dependencies"].get(extra, [])
    others = [re.findall(r"\w+", name)[1:] for name in requirements if name.startswith("rowbook[")]
    return OF_EXTRA.get(extra, set()).union(*(needed(other) for names in others for other in names))


def without(names: Iterable[str], code: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a process in which some packages cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({sorted(names)}))\n"
    return subprocess.run([sys.executable, "-c", blocked + code], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("extra", ["", "store"])
def test_what_an_extra_promises_is_imported_without_the_packages_of_the_others(extra: str) -> None:
    """For all extras, an environment has only its packages: see below."""
    others = set[str]().union(*OF_EXTRA.values()) - needed(extra)
    process = without(others, "".join(f"import {module}\n" for module in PROMISED[extra]))
    assert process.returncode == 0, process.stderr


PAGE = (ROOT / "shared/README.md").read_text(encoding="utf-8")
EXAMPLE, PRINTED = re.findall(r"^```(?:python|text)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[:2]


def test_the_first_example_of_the_page_of_the_package_needs_only_its_first_install_line() -> None:
    process = without(set[str]().union(*OF_EXTRA.values()), EXAMPLE.replace("from rowbook ", "from shared "))
    assert (process.stdout, process.stderr) == (PRINTED, "")


PATTERN = """
from shared import connect
connection = connect("embedded:")
connection.create_table("t", {"d": {}})
connection.table("t").put(b"1", {b"d:a": b"1"})
assert [*connection.table("t").scan(filter="PrefixFilter('1')")]
[*connection.table("t").scan(filter="RowFilter(=, 'regexstring:1+')")]
"""
COMMAND = "from domains.__main__ import main\nsys.argv[1:] = {}\nmain()"


@pytest.mark.parametrize(
    ("missing", "code", "said"),
    [
        ("regex", PATTERN, "needs the package regex: pip install 'rowbook[store]' (got '1+')"),
        ("typer", COMMAND.format(["list"]), "rowbook: the command needs typer: pip install 'rowbook[cli]'"),
        pytest.param(
            *("numpy", COMMAND.format(["ask", "tsdb"]), "tsdb: needs numpy: pip install 'rowbook[tsdb]'"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_one_line_names_the_extra_that_is_missing(missing: str, code: str, said: str) -> None:
    process = without([missing], code)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].endswith(said), process.stderr
    assert "Traceback" not in process.stderr or missing == "regex"


def test_a_run_of_all_designs_leaves_out_those_whose_extra_is_missing_and_says_so() -> None:
    code = "from shared.command_line.measured import running\nrunning.run = lambda out, names, *_, **__: None\n"
    process = without(OF_EXTRA["tsdb"] - needed("cli"), code + COMMAND.format(["run"]))
    expected = "left out: tsdb: needs numpy and prometheus_client: pip install 'rowbook[tsdb]'\n"
    assert (process.returncode, process.stderr) == (0, expected)


def test_the_list_of_designs_marks_those_that_need_an_extra() -> None:
    listing = json.loads(SUITE.listing.read_text(encoding="utf-8"))
    assert {design["name"]: design["extra"] for design in listing["designs"] if design["extra"]} == {"tsdb": "tsdb"}
    marked = [line for line in listing["lines"] if line.endswith(" (needs rowbook[tsdb])")]
    assert [line.partition(":")[0] for line in marked] == ["tsdb"]


def test_keys_load_little_beside_attrs() -> None:
    """Its time is measured by `python -m tests.programs benchmarks`; a loaded machine measures anything."""

    def loaded(statement: str) -> set[str]:
        code = f"{statement}; import json, sys; print(json.dumps([*sys.modules]))"
        return {*json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True))}

    more = {
        name for name in loaded("from shared.keys import *") - loaded("import attrs") if not name.startswith("shared")
    }
    assert more <= {"_contextvars", "_datetime", "_struct", "contextvars", "datetime", "struct", "math", "zlib"}


def test_a_name_of_the_package_loads_its_room_and_those_that_it_needs() -> None:
    code = "import re, shared, sys\n{}\nprint(*sorted(filter(re.compile(r'shared[.]\\w+').fullmatch, sys.modules)))"
    for use, rooms in (("", ""), ("shared.KeyLayout", "keys"), ("shared.TableLayout", "keys records tables")):
        process = without(["happybase", "thriftpy2"], code.format(use))
        assert process.stdout.split() == [f"shared.{room}" for room in rooms.split()], process.stderr


ROUND_TRIP = """
from rowbook import connect
connection = connect({!r})
connection.create_table("t", {{"d": {{}}}})
connection.table("t").put(b"r", {{b"d:a": b"1"}})
assert connection.table("t").row(b"r") == {{b"d:a": b"1"}}
"""


@pytest.mark.long
def test_each_extra_installs_in_a_clean_environment_and_keeps_its_promise(tmp_path: Path) -> None:
    """The metadata of the wheel are resolved by pip; the other wheels are made of what is installed here."""
    house = tmp_path / "wheels"
    house.mkdir()
    build_wheel(ROOT, house)
    of_extras = PROJECT["optional-dependencies"].values()
    wheels_of(distributions([*PROJECT["dependencies"], *chain(*of_extras)]), house)

    def environment(extra: str) -> Path:
        folder = tmp_path / (extra or "bare")
        succeed(sys.executable, "-m", "venv", "--without-pip", folder, cwd=tmp_path)
        options = ("--no-index", "--find-links", house, "--no-compile", f"rowbook[{extra}]" if extra else "rowbook")
        succeed(*PIP, "--python", folder / "bin" / "python", "install", *options, cwd=tmp_path)
        return folder / "bin"

    def python(extra: str, code: str) -> None:
        succeed(environments[extra] / "python", "-c", code, cwd=tmp_path)

    environments = {extra: environment(extra) for extra in ("", *OF_EXTRA)}
    for extra, modules in PROMISED.items():
        names = [re.sub("^shared", "rowbook", re.sub("^domains", "rowbook.domains", name)) for name in modules]
        python(extra, "".join(f"import {name}\n" for name in names if not name.endswith("launcher")))  # is __main__
    store = EmbeddedConnection(None)
    with ThriftServer(store.service) as server:
        python("", ROUND_TRIP.format(f"hbase://{server.address}"))
    for extra in ("", "tsdb"):
        python(extra, EXAMPLE)
        process = run(environments[extra] / "rowbook", "list", cwd=tmp_path)
        missing = ", ".join(sorted(needed("cli") - needed(extra)))
        said = f"rowbook: the command needs {missing}: pip install 'rowbook[cli]'\n"
        assert (process.returncode, process.stderr) == (1, said)
    for extra in ("store", "testing", "cli", "pictures", "all"):
        python(extra, ROUND_TRIP.format("embedded:"))
    assert "(needs rowbook[tsdb])" in " ".join(succeed(environments["cli"] / "rowbook", "list", cwd=tmp_path).split())
    command = environments["cli"] / "rowbook"
    assert "n-42" in succeed(command, "ask", "orders", "order", "order_number=n-42", cwd=tmp_path)
    process = run(command, "run", "tsdb", cwd=tmp_path)
    said = "tsdb: needs numpy and prometheus_client: pip install 'rowbook[tsdb]'\n"
    assert (process.returncode, process.stderr) == (1, said)
    assert "points" in succeed(environments["all"] / "rowbook", "run", "tsdb", cwd=tmp_path)
