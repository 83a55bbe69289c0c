"""What is promised of the wheel, of a copied design and of the types, tried as their users would."""

import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterable
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from shared import __version__
from tests.copies import imported_modules
from tests.designs import all_designs
from tests.locks import one_process_at_a_time
from tests.wheels import LIBRARIES, PIP, build_wheel, run, succeed

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def test_the_wheel_installs_one_package_and_the_types_of_happybase(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    types = ("Hbase_thrift-stubs", "happybase-stubs")
    assert {name.split("/")[0] for name in names} == {"rowbook", f"rowbook-{__version__}.dist-info", *types}
    for name in (
        "__init__.py",
        "__main__.py",
        "py.typed",
        "pytest_plugin.py",
        "command_line/commands/main.py",
        "keys/__init__.py",
        "stores/thrift2/hbase.thrift",
    ):
        assert f"rowbook/{name}" in names
    assert any(name.startswith("rowbook/fixtures/") for name in names)
    assert not any(name.endswith(".xz") for name in names)
    assert not any("__pycache__" in name for name in names)
    readme = zipfile.ZipFile(wheel).read("rowbook/stores/README.md").decode()
    assert ("from rowbook.stores import connect" in readme, "from shared" in readme) == (True, False)


@pytest.mark.long
def test_no_module_of_the_wheel_imports_what_only_the_repository_has(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    imported = {
        (name, module.split(".")[0])
        for name in archive.namelist()
        if name.endswith(".py")
        for module in imported_modules(zipfile.Path(archive, name))
    }
    assert ("rowbook/domains/demo.py", "rowbook") in imported
    assert [pair for pair in imported if pair[1] in ("shared", "domains", "fixtures", "tests")] == []


@pytest.mark.long
def test_the_source_distribution_builds_the_same_wheel_byte_for_byte(wheel: Path, tmp_path: Path) -> None:
    """In another folder, from files with other times and rights; so the same commit always makes the same wheel."""
    succeed(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path, cwd=ROOT)
    (source,) = tmp_path.glob("*.tar.gz")
    before = os.umask(0o077)
    try:
        rebuilt = build_wheel(source, tmp_path)
    finally:
        os.umask(before)
    assert rebuilt.name == wheel.name
    assert rebuilt.read_bytes() == wheel.read_bytes()


def test_the_package_describes_itself_and_not_the_checkout(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    described = Parser().parsestr(archive.read(f"rowbook-{__version__}.dist-info/METADATA").decode())
    text = described.get_payload()
    assert described["Version"] == __version__
    extras = {"all", "cli", "frames", "parquet", "pictures", "service", "store", "testing", "tsdb", "zstd"}
    assert set(described.get_all("Provides-Extra", [])) == extras
    assert text == (ROOT / "shared" / "README.md").read_text(encoding="utf-8")
    # What is only in a checkout; and an index shows no other file of the package, so no link leads there.
    assert re.findall(r"\bmake \w+|from shared|from domains|\]\((?!https:)", str(text)) == []


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment with the wheel; the libraries are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    succeed(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    (target,) = folder.glob("lib/python*/site-packages")
    libraries = folder / "libraries"  # without what an editable install has there
    libraries.mkdir()
    for path in Path(LIBRARIES).iterdir():
        if "rowbook" not in path.name and not path.name.endswith("-stubs"):
            (libraries / path.name).symlink_to(path)
    (target / "libraries.pth").write_text(f"{libraries}\n")
    succeed(*PIP, "--python", folder / "bin" / "python", "install", "--no-deps", "--force-reinstall", wheel, cwd=folder)
    assert (target / "rowbook" / "keys").is_dir()
    return folder / "bin"


@pytest.mark.long
def test_an_installed_design_runs_its_story_and_knows_its_version(installed: Path, tmp_path: Path) -> None:
    names = [f"rowbook.domains.{design.name}.example" for design in all_designs() if not design.in_one_file]
    code = f"""
import runpy
from importlib.metadata import version
import rowbook, rowbook.domains.orders as orders, rowbook.keys as keys
for name in {names}:
    runpy.run_module(name, run_name="__main__")
print(orders.__file__, keys.__file__)
print(rowbook.__version__, version("rowbook"))
"""
    *stories, files, versions = succeed(installed / "python", "-c", code, cwd=tmp_path).splitlines()
    assert stories
    assert all(Path(file).is_relative_to(installed.parent) for file in files.split())
    assert versions.split() == [__version__] * 2
    assert succeed(installed / "rowbook", "--version", cwd=tmp_path) == f"rowbook {__version__}\n"


@pytest.mark.long
def test_the_installed_plugin_makes_stores_and_runs_contracts(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("""
from rowbook.domains.activity.design import DESIGN
from rowbook.testing import DesignContract

class TestContract(DesignContract):
    design = DESIGN

def test_keys_are_golden(rowbook_store):
    assert rowbook_store.tables() == []
""")
    assert succeed(installed / "python", "-m", "pytest", "-q", "-k", "golden", cwd=tmp_path).startswith("...  ")


@pytest.mark.long
@pytest.mark.parametrize("command", ["rowbook", "-m"])
def test_folders_of_the_user_do_not_replace_those_of_the_suite(command: str, installed: Path, tmp_path: Path) -> None:
    for name in ("shared", "domains"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('the {name} of the user')\n")
    start = ("-P", "-m", "rowbook") if command == "-m" else (installed / command,)
    # -S leaves out the checkout, which an editable install would put on the path.
    path = [*installed.parent.glob("lib/python*/site-packages"), LIBRARIES]
    assert succeed(sys.executable, "-S", *start, "list", cwd=tmp_path, path=path).startswith("orders: ")


# Types: each line that ends with `# refused` must be an error, and no other line.
SNIPPETS = {
    "tables.py": """
        # pyright: strict
        from rowbook.domains.orders import BuyerLine, Order, OrderRepository, SellerLine
        from rowbook.domains.orders.keys import BY_SELLER, ORDERS, OrderBySeller, OrderByNumber
        from rowbook.queries import Query, Versions
        from rowbook.sources import Source, Table
        from rowbook.stores import connect
        from rowbook.tables import Column, OtherColumns, RecordCells

        lamp = Order("n-42", "s-17", "b-3", placed_ms=1, item="lamp", amount=7)
        line: SellerLine = BY_SELLER.layout.record(b"", {})
        Order("n-42", "s-17", "b-3", placed_ms="1", item="lamp", amount=7)  # refused
        number: int = lamp.order_number  # refused
        OrderRepository.order(lamp.order_number)  # refused

        orders = ORDERS.on(connect("embedded:"))
        stored: Order | None = orders.get(OrderByNumber("n-42"))
        other: BuyerLine | None = orders.get(OrderByNumber("n-42"))  # refused
        orders.write(lamp, lambda stored: stored or lamp)
        orders.write(lamp, lambda order, stored: stored or order)  # refused
        lines: Query[SellerLine] = orders.ask(BY_SELLER, seller_id="s-17").newest_first()
        other_lines: Query[BuyerLine] = orders.ask(BY_SELLER, seller_id="s-17")  # refused
        all_orders: Query[Order] = orders.ask_all()
        first: SellerLine | None = orders.ask(BY_SELLER, seller_id="s-17").first()
        orders.ask(OrderBySeller, seller_id="s-17")  # refused
        orders.ask(BY_SELLER, seller_id="s-17").as_of("now")  # refused

        by_item = ORDERS.list("orders_by_item", OrderBySeller, SellerLine)
        item_lines: Query[SellerLine] = orders.ask(by_item, seller_id="s-17")
        ORDERS.list("orders_by_item", 7)  # refused
        ORDERS.moving_list("orders_by_item", OrderBySeller, when=lambda order: order.nothing)  # refused
        hashed: Source[Order] = ORDERS.like("orders_hashed", OrderByNumber)
        wrong: Source[BuyerLine] = ORDERS.like("orders_hashed", OrderByNumber)  # refused

        table = Table("lines", OrderBySeller, SellerLine, {"item": "o:i"}).on(connect("embedded:"))
        table.put(line)
        table.put(lamp)  # refused
        latest: SellerLine | None = next(iter(Versions(table, table.plan(seller_id="s-17"), newest=1))).record
        older: Versions[BuyerLine] = Versions(table, table.plan(seller_id="s-17"), newest=1)  # refused
        cells: RecordCells[Order] = RecordCells(Order, {"item": Column("o:i"), "others": OtherColumns("o")})
        RecordCells(Order, {"others": 7})  # refused
        OrderRepository(connect("embedded:"), ORDERS.tables)  # refused
    """,
    "names.py": """
        # pyright: strict
        import attrs
        import rowbook
        from rowbook import BoundTable, Column, Descending, EscapedText, Int64, KeyLayout, Query, RecordCells
        from rowbook import TableLayout, between, connect, create_tables, part, put_all, row_key

        @attrs.frozen
        class Visit:
            page: str
            time_ms: int
            seconds: float

        @row_key
        class VisitOfPage:
            page: str = part(EscapedText, "the path of the page")
            time_ms: int = part(Descending(Int64), "milliseconds since 1970-01-01 UTC")

        @row_key
        class WrongTypes:
            page: int = part(EscapedText, "the path of the page")  # refused
            time_ms: str = part(Descending(Int64), "milliseconds since 1970-01-01 UTC")  # refused

        VisitOfPage(page=3, time_ms=1)  # refused
        VisitOfPage(path="/a", time_ms=1)  # refused
        VISITS = TableLayout(
            "visits", "a visit", KeyLayout(VisitOfPage), RecordCells(Visit, {"seconds": Column("v:s")})
        )
        version: str = rowbook.__version__
        rowbook.nothing  # refused
        with_store = connect("embedded:")
        create_tables(with_store, [VISITS])
        visits = BoundTable(with_store, VISITS)
        put_all([Visit("/a", 7, 0.5)], visits)
        put_all([VisitOfPage("/a", 7)], visits)  # refused
        newest: Visit | None = Query(visits, visits.plan(page="/a", time_ms=between(5, 9))).first()
        newest.seconds  # refused
        cells: dict[bytes, bytes] = with_store.table("visits").row(b"r", columns=["v:s"])
        for row, stored in with_store.table("visits").scan(row_prefix=b"/a", limit=1):
            print(row.hex(), stored.get(b"v:s", b"").hex())
        with with_store.table("visits").batch(timestamp=7) as batch:
            batch.put(b"r", {"v:s": b"1"})
            batch.put(b"r")  # refused
        with_store.table("visits").scan(row_prefix="/a", limits=1)  # refused
        with_store.table("visits").put(b"r")  # refused
        connect(9090)  # refused
    """,
}


def written(names: Iterable[str], folder: Path) -> Path:
    for name in names:
        (folder / name).write_text(re.sub("^ {8}", "", SNIPPETS[name], flags=re.MULTILINE).lstrip())
    return folder


def refused_by_mypy(python: str | Path, files: list[Path], cwd: Path) -> tuple[set[tuple[str, int]], str]:
    """The lines that it refuses, and all that it says."""
    options = ("--no-pretty", "--strict", "--python-executable", python)
    said = run(sys.executable, "-m", "mypy", *options, *files, cwd=cwd).stdout
    return {(name, int(line)) for name, line in re.findall(r"(\w+\.py):(\d+): error: ", said)}, said


def refused_by_pyright(python: str | Path, files: list[Path], cwd: Path) -> tuple[set[tuple[str, int]], str]:
    """The lines that it refuses, and all that it says."""
    if shutil.which("node") is None:
        pytest.skip("pyright needs node, and a test does not download it")
    with one_process_at_a_time():  # the first time pyright downloads itself
        said = run(sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", python, *files, cwd=cwd).stdout
    errors = [found for found in json.loads(said)["generalDiagnostics"] if found["severity"] == "error"]
    return {(Path(found["file"]).name, found["range"]["start"]["line"] + 1) for found in errors}, said


@pytest.mark.long
@pytest.mark.parametrize(("install", "names"), [("wheel", SNIPPETS), ("editable", ["names.py"])])
@pytest.mark.parametrize("refused_by", [refused_by_mypy, refused_by_pyright])
def test_right_code_has_the_right_types_and_wrong_code_is_refused_where_the_package_is_installed(
    refused_by: Callable[..., Any], install: str, names: Iterable[str], installed: Path, tmp_path: Path
) -> None:
    python = installed / "python" if install == "wheel" else sys.executable
    files = sorted(written(names, tmp_path).iterdir())
    wanted = {
        (file.name, number)
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if line.endswith("# refused")
    }
    refused, said = refused_by(python, files, cwd=tmp_path)
    assert refused == wanted, said
