"""What a command imports: nothing that it does not need, because imports are most of the time that it takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shared.command_line.named.options import BUFFER_MIB
from shared.stores.server.memory import MAX_BUFFERED_BYTES
from tests.designs import NAMES

ROOT = Path(__file__).parents[3]
STORES = ("shared.stores.embedded", "shared.stores.hbase", "shared.stores.filters", "shared.stores.server", "sqlite3")
LIBRARIES = ("numpy", "prometheus_client", "happybase", "thriftpy2")
UNNEEDED = (*LIBRARIES, *STORES)
OTHER_ROOMS = tuple(f"shared.{path.name}" for path in (ROOT / "shared").iterdir() if path.name != "command_line")
OTHER_DESIGNS = tuple(f"domains.{name}" for name in NAMES if name != "orders")
COMMAND = """
import sys
import domains.suite
from shared.command_line.commands.app import app
app(sys.argv[1:])(sys.argv[1:], prog_name="rowbook", standalone_mode=False)
"""


def imported(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh process imports for some code."""
    code += "\nimport json, sys\nprint()\nprint(json.dumps([*sys.modules]))"
    out = subprocess.check_output([sys.executable, "-c", code, *arguments], cwd=ROOT, text=True)
    return set(json.loads(out.splitlines()[-1]))


def below(names: tuple[str, ...], modules: set[str]) -> list[str]:
    """The modules that are one of these, or lie in one of them."""
    return sorted(module for module in modules if f"{module}.".startswith(tuple(f"{name}." for name in names)))


@pytest.mark.parametrize(
    ("line", "needs", "unwanted"),
    [
        ("--help", "typer", (*OTHER_ROOMS, "happybase", "attr", "rich.console")),
        ("review --help", "typer", (*OTHER_ROOMS, "happybase", "attr", "rich.console")),
        pytest.param(
            *("list", "rich.console", ("numpy", "prometheus_client", "cattrs", "happybase", "pydantic", *OTHER_ROOMS)),
            marks=pytest.mark.long,
        ),
        ("explain orders order_number=n-42", "domains.orders.shown.design", (*OTHER_DESIGNS, *UNNEEDED)),
        pytest.param("ddl orders", "domains.orders.shown.design", (*OTHER_DESIGNS, *UNNEEDED), marks=pytest.mark.long),
    ],
)
def test_a_command_imports_what_it_needs(line: str, needs: str, unwanted: tuple[str, ...]) -> None:
    modules = imported(COMMAND, *line.split())
    assert needs in modules
    assert below(unwanted, modules) == []


def test_the_help_shows_what_a_server_buffers_without_importing_it() -> None:
    assert int(BUFFER_MIB) * 1024**2 == MAX_BUFFERED_BYTES
