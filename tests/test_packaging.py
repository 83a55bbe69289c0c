"""What is promised of the wheel, of a copied design and of the types, tried as their users would."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIBRARIES = sysconfig.get_path("purelib")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command: str | Path, cwd: Path, path: Sequence[str | Path] = ()) -> subprocess.CompletedProcess[str]:
    """Run a command in a clean environment; PYTHONPATH is `path`, if any."""
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONIOENCODING": "utf-8", "PIP_NO_INDEX": "1"}
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def succeed(*command: str | Path, cwd: Path, path: Sequence[str | Path] = ()) -> str:
    """Return what a command prints, or fail with all it said."""
    done = run(*command, cwd=cwd, path=path)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    succeed(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site_packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site-packages")
    succeed(*PIP, "install", "--no-deps", "--target", target, wheel, cwd=target)
    return target


def test_the_wheel_installs_one_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"rowbook", "rowbook-0.1.0.dist-info"}
    assert {"rowbook/__init__.py", "rowbook/domains/cli.py", "rowbook/shared/__init__.py"} <= set(names)
    assert "rowbook/shared/stores/thrift2.thrift" in names
    assert "rowbook/shared/stores/thrift1.thrift" in names
    assert any(name.startswith("rowbook/fixtures/") for name in names)


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    succeed(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path, cwd=ROOT)
    (source,) = tmp_path.glob("*.tar.gz")
    rebuilt = build_wheel(source, tmp_path)
    assert zipfile.ZipFile(rebuilt).namelist() == zipfile.ZipFile(wheel).namelist()


@pytest.mark.parametrize("command", ["bin/rowbook", "-c"])
def test_folders_of_the_user_do_not_replace_those_of_the_suite(
    command: str, site_packages: Path, tmp_path: Path
) -> None:
    for name in ("shared", "domains"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('the {name} of the user')\n")
    start = ("-c", "import rowbook; rowbook.main()") if command == "-c" else (site_packages / command,)
    # -S leaves out the checkout, which an editable install would put on the path.
    answer = succeed(sys.executable, "-S", *start, "list", cwd=tmp_path, path=[site_packages, LIBRARIES])
    assert "orders" in answer.split()


def test_a_copied_design_runs_alone(tmp_path: Path) -> None:
    for folder in ("domains/orders", "fixtures/orders", "shared"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    succeed(sys.executable, "-S", "-m", "domains.orders.example", cwd=tmp_path, path=[LIBRARIES])


# Types: each line that ends with `# refused` must be an error, and no other line.
SNIPPETS = {
    "right.py": """
        # pyright: strict
        from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
        from shared.stores import connect

        @row_key
        class Order:
            seller_id: str = part(EscapedText, "who sold")
            placed_ms: int = part(Descending(Int64), "milliseconds since 1970-01-01 UTC")

        ORDERS = KeyLayout(Order)
        row: bytes = ORDERS.encode(Order("s-17", placed_ms=1))
        seller: str = ORDERS.decode(row).seller_id
        table = connect("embedded:").table("orders")
        rows = list(table.scan(row_prefix=row, limit=1))
    """,
    "wrong_keys.py": """
        # pyright: strict
        from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key

        @row_key
        class Order:
            seller_id: int = part(EscapedText, "who sold")  # refused
            placed_ms: str = part(Descending(Int64), "milliseconds since 1970-01-01 UTC")  # refused

        @row_key
        class Seller:
            seller_id: str = part(EscapedText, "who sold")

        Seller(seller_id=3)  # refused
        Seller(seller="s-17")  # refused
        KeyLayout(Seller).encode("s-17")  # refused
        number: int = KeyLayout(Seller).decode(b"").seller_id  # refused
    """,
    "wrong_calls.py": """
        # pyright: strict
        import happybase

        from shared.stores import connect

        happybase.Connection().table("orders").scan(row_prefix="s-17", limits=1)  # refused
        connect("embedded:").table("orders").put(b"s-17")  # refused
        connect(9090)  # refused
    """,
}


@pytest.fixture(scope="module")
def snippets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("types")
    for name, text in SNIPPETS.items():
        (folder / name).write_text(re.sub("^ {8}", "", text, flags=re.MULTILINE).lstrip())
    return folder


def refused(folder: Path) -> set[tuple[str, int]]:
    return {
        (file.name, number)
        for file in folder.iterdir()
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if line.endswith("# refused")
    }


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_refuses_wrong_keys_and_wrong_calls(snippets: Path) -> None:
    done = run(sys.executable, "-m", "mypy", "--no-pretty", *sorted(snippets.iterdir()), cwd=ROOT)
    errors = re.findall(r"(\w+\.py):(\d+): error: ", done.stdout)
    assert {(name, int(line)) for name, line in errors} == refused(snippets), done.stdout + done.stderr


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="pyright needs node, and a test does not download it")
def test_pyright_refuses_wrong_keys_and_wrong_calls(snippets: Path) -> None:
    done = run(
        sys.executable,
        *("-m", "pyright", "--outputjson", "--pythonpath", sys.executable),
        *sorted(snippets.iterdir()),
        cwd=ROOT,
    )
    errors = [found for found in json.loads(done.stdout)["generalDiagnostics"] if found["severity"] == "error"]
    lines = {(Path(found["file"]).name, found["range"]["start"]["line"] + 1) for found in errors}
    assert lines == refused(snippets), done.stdout + done.stderr
