"""An HBase with authorization: a gateway whose user has what `rowbook ddl --grants` prints runs all designs.

The gateway's user is the user of all its clients, as long as HBase does not also authenticate them.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError as HBaseIOError

from shared.designs import Design, load_samples
from shared.keys import InvalidQuestion
from shared.service import json_refusal
from shared.stores import connect
from shared.tables import create_tables
from shared.tables.ddl import grant_statements
from tests.designs import NAMES, all_designs, design_named
from tests.programs.hbase.hbase_shell import in_shell
from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import HBase, running

pytestmark = pytest.mark.hbase

ROOT = Path(__file__).parents[2]

CONTROLLER = "org.apache.hadoop.hbase.security.access.AccessController"
AUTHORIZED = {
    "hbase.security.authorization": "true",
    **{f"hbase.coprocessor.{of}.classes": CONTROLLER for of in ("master", "region", "regionserver")},
}
USER = "svc"


@pytest.fixture(scope="module")
def hbase() -> Iterator[HBase]:
    """An HBase in which a superuser has created all tables, and whose gateways then run as the user."""
    tables = [table for design in all_designs() for table in design.main.tables]
    with running(region_servers=1, java_options=FOR_MINUTES, properties=AUTHORIZED) as hbase:
        with closing(connect(hbase.url)) as connection:
            for design in all_designs():
                create_tables(connection, design.main.tables)
            connection.create_table("of_others", {"d": {}})
        in_shell(hbase.info_url, *grant_statements(tables, USER))
        hbase.kill_gateways()
        hbase.gateway_options = (f"-DHADOOP_USER_NAME={USER}",)
        hbase.start()
        yield hbase


@pytest.fixture(scope="module")
def connection(hbase: HBase) -> Iterator[happybase.Connection]:
    with closing(connect(hbase.url)) as connection:
        yield connection


@pytest.mark.parametrize("name", NAMES)
def test_the_granted_rights_are_enough_to_write_ask_recover_verify_and_repair(
    connection: happybase.Connection, name: str
) -> None:
    design: Design = design_named(name)
    repository = load_samples(connection, design, design.main)
    for pattern in design.patterns:
        with suppress(InvalidQuestion):  # another variant answers it
            asked = pattern.ask(repository, **pattern.sample)
            assert (asked.page(10).records if pattern.answer == "page" else asked) is not None
    if not design.why_no_upkeep(design.main):
        assert repository.upkeep.recover(0).failed == ()
        assert [finding for finding in repository.upkeep.verify() if not finding.is_harmless] == []
        assert all(finding.is_harmless for finding, _ in repository.upkeep.repair())


def test_what_is_missing_is_said_in_one_line(connection: happybase.Connection) -> None:
    orders = design_named("orders")
    with pytest.raises(HBaseIOError) as refused:
        create_tables(connection, orders.main.tables)
    wanted = "user svc must have the right CREATE on default:orders; let another user create tables"
    assert str(refused.value) == f"HBase refuses: {wanted}"
    with pytest.raises(HBaseIOError) as refused:
        connection.table("of_others").put(b"r", {b"d:a": b"1"})
    assert str(refused.value).startswith("HBase refuses: user svc must have the right WRITE on default:of_others; run ")
    assert json_refusal(refused.value, {})[0] == 500


@pytest.mark.parametrize(("words", "code"), [("run logs", 1), ("verify orders", 0)])
def test_the_command_line_says_it_too_and_does_what_it_may(hbase: HBase, words: str, code: int) -> None:
    command = [sys.executable, "-m", "domains", *words.split(), "--store", hbase.url]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == code
    right = "user svc must have the right CREATE on default; let another user create tables"
    assert ended.stderr == (f"the store failed: HBase refuses: {right}\n" if code else "")
