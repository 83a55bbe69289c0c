"""What a command imports: nothing that it does not need, because imports are most of the time that it takes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from domains.command_line.options import BUFFER_MIB
from shared.stores.server.memory import MAX_BUFFERED_BYTES

ROOT = Path(__file__).parents[2]
STORES = ("shared.stores.embedded", "shared.stores.hbase", "shared.stores.filters", "shared.stores.server", "sqlite3")
LIBRARIES = ("numpy", "prometheus_client", "happybase", "thriftpy2")
COMMAND = """
import sys
from domains.command_line.app import app
app(sys.argv[1:], prog_name="rowbook", standalone_mode=False)
"""


def imported(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh process imports for some code."""
    code += "\nimport json\nprint()\nprint(json.dumps([*sys.modules]))"
    out = subprocess.check_output([sys.executable, "-c", code, *arguments], cwd=ROOT, text=True)
    return set(json.loads(out.splitlines()[-1]))


def below(names: tuple[str, ...], modules: set[str]) -> list[str]:
    """The modules that are one of these, or lie in one of them."""
    return sorted(module for module in modules if f"{module}.".startswith(tuple(f"{name}." for name in names)))


@pytest.mark.parametrize(
    ("line", "needs", "unwanted"),
    [
        ("--help", "typer", ("shared", "happybase", "attr", "rich.console")),
        ("list", "rich.console", ("numpy", "prometheus_client", "cattrs", "happybase", "pydantic", "shared")),
        ("explain orders order_number=n-42", "domains.orders.design", (*LIBRARIES, *STORES)),
        ("ddl logs", "domains.logs.design", (*LIBRARIES, *STORES)),
    ],
)
def test_a_command_imports_what_it_needs(line: str, needs: str, unwanted: tuple[str, ...]) -> None:
    modules = imported(COMMAND, *line.split())
    assert needs in modules
    assert below(unwanted, modules) == []


@pytest.mark.parametrize(
    ("line", "shown"),
    [("list --help", "--help"), ("--plain", "--install-completion"), ("--plain --help", "--show-completion")],
)
def test_options_that_are_not_read_are_still_in_the_help(ok: Callable[[str], str], line: str, shown: str) -> None:
    assert shown in ok(line)


@pytest.mark.parametrize(
    ("line", "advice"),
    [("list --hel", "--help"), ("--install-complete", "--install-completion"), ("--plain --hel list", "--help")],
)
def test_options_that_are_not_read_are_still_suggested(
    rowbook: Callable[[str], tuple[int, str, str]], line: str, advice: str
) -> None:
    code, _out, err = rowbook(line)
    assert code == 2
    assert advice in err.partition("; see ")[0]


def test_a_command_imports_the_design_that_it_names_and_no_other() -> None:
    modules = imported(COMMAND, "explain", "orders", "order_number=n-42")
    assert {module.split(".")[1] for module in below(("domains",), modules) if "." in module} == {
        "command_line",
        "orders",
    }


def test_the_help_shows_what_a_server_buffers_without_importing_it() -> None:
    assert int(BUFFER_MIB) * 1024**2 == MAX_BUFFERED_BYTES


@pytest.mark.parametrize(
    ("url", "needs", "unwanted"),
    [
        ("hbase://127.0.0.1:1?retry_ms=0", "shared.stores.hbase", "shared.stores.embedded"),
        ("embedded:", "shared.stores.embedded", "shared.stores.hbase.connection"),
    ],
)
def test_a_store_is_imported_for_its_url(url: str, needs: str, unwanted: str) -> None:
    code = f"""
import sys
from shared.stores import Unreachable, connect
try:
    connect({url!r})
except Unreachable:
    pass
"""
    modules = imported(code)
    assert needs in modules
    assert below((unwanted,), modules) == []
