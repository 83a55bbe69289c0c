"""The README's walk-through makes another design out of this one."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Run in the copy for tickets, and in the project for orders.
COUNT = """
import json
import sys
from domains.{0}.example import DESIGN
from shared.designs import load_samples
from shared.designs import measure
from shared.stores import connect
from shared.tables import create_tables

found = {{}}
for variant in DESIGN.variants:
    connection = connect(sys.argv[1])
    create_tables(connection, variant.tables)
    measured = measure(connection, load_samples(connection, DESIGN, variant), DESIGN.patterns)
    found[variant.name] = [-1 if each.refused else len(each.records) for each in measured]
print(json.dumps(found))
"""
README = (ROOT / "domains" / "orders" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tickets(tmp_path_factory):
    """A copy of the project in which the block under "Adapt it" was run."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("domains/orders", "fixtures/orders", "shared"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "domains" / "__init__.py", copy / "domains")
    (script,) = re.findall(r"## Adapt it\n.*?```sh\n(.*?)```", README, re.DOTALL)
    return copy / "domains" / "tickets", run(copy, "bash", "-e", "-c", script), len(script.splitlines())


def run(folder, *command):
    """What a command writes that is run in a folder, with the Python of the tests and nothing else to import from."""
    python = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    python.pop("PYTHONPATH", None)
    done = subprocess.run(command, cwd=folder, env=python, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ten_lines_are_enough(tickets):
    assert tickets[2] <= 10


def test_the_tickets_tell_their_own_story(tickets):
    assert "the latest three tickets of assignee s-1" in tickets[1]
    assert re.findall(r"status='(\w+)'", tickets[1])[-1] == "closed"


def test_every_variant_of_the_tickets_finds_as_many_as_that_of_the_orders(tickets, engine):
    with engine.url() as url:
        of_tickets = json.loads(run(tickets[0].parents[1], "python", "-c", COUNT.format("tickets"), url))
    of_orders = json.loads(run(ROOT, "python", "-c", COUNT.format("orders"), "embedded:"))
    assert of_tickets == of_orders
    assert len(of_orders) > 1


def test_no_word_of_the_shop_is_left_in_the_code(tickets):
    left = {}
    for path in tickets[0].glob("*.py"):
        words = re.findall(
            r"\b\w*(?:seller|buyer|order(?!s? of rows)|placed|shipped|cancel)\w*", path.read_text(), re.I
        )
        if words := [word for word in words if word != "Order"]:
            left[path.name] = words
    assert left == {}
