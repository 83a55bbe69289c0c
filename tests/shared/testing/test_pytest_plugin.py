"""The plugin of pytest, and the page about it, which is a test file: it passes, and each broken rule fails a test."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server import ThriftServer
from tests.copies import ROOT

pytest_plugins = ["pytester"]

PAGE = (ROOT / "shared" / "testing" / "README.md").read_text(encoding="utf-8")


def written(folder: Path, text: str = PAGE) -> Path:
    """The page as a test file, with its samples."""
    (folder / "test_tickets.py").write_text("\n\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    (folder / "tickets.jsonl").write_text("".join(re.findall(r"```json\n(.*?)```", text, re.DOTALL)))
    return folder


def test_the_page_passes_and_its_golden_keys_are_written_once(pytester: pytest.Pytester) -> None:
    (command,) = re.findall(r"```sh\npytest (.*)\n", PAGE)
    golden = written(pytester.path) / "keys.json"
    assert pytester.runpytest_inprocess(*command.split()).parseoutcomes().keys() == {"passed"}
    assert '"row": "6e6574000131"' in golden.read_text()
    golden.write_text(golden.read_text().replace("000131", "000132"))
    pytester.runpytest_inprocess(*command.split(), "-k", "golden").stdout.fnmatch_lines(
        "*tickets_of_team: TicketOfTeam*"
    )


def test_a_design_with_validators_and_errors_of_its_own_keeps_the_contract(pytester: pytest.Pytester) -> None:
    own = 'if not isinstance(ticket_id, str): raise TypeError("which ticket?")\n        return self._tickets.get('
    text = PAGE.replace("validator=text()", "validator=attrs.validators.instance_of(str)")
    written(pytester.path, text.replace("return self._tickets.get(", own))
    done = pytester.runpytest_inprocess("--rowbook-golden-keys", "-k", "TestContract")
    assert done.parseoutcomes().keys() == {"passed", "deselected"}


@pytest.mark.long
def test_a_project_without_a_design_runs_on_a_named_store_and_leaves_no_table_there(tmp_path: Path) -> None:
    store = EmbeddedConnection(None)
    store.create_table("of_the_user", {"f": {}})
    with ThriftServer(store.service) as server:
        command = [sys.executable, "-m", "pytest", "-q", f"--rowbook-store=hbase://{server.address}"]
        folder = written(tmp_path, PAGE.partition("## The contract of a design")[0])
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert re.search("^4 passed", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert store.tables() == [b"of_the_user"]


@pytest.mark.parametrize(
    ("right", "wrong", "failing"),
    [
        (
            "return self._tickets.write(ticket",
            "self._tickets.write(FIRST, lambda _: FIRST); return self._tickets.write(ticket",
            "a_record_with_a_wrong_value_is_refused_with_nothing_stored",
        ),
        ("TicketById(ticket_id)", 'TicketById("1")', "a_question_with_a_wrong_value_is_refused_or_finds_nothing"),
        ("self._tickets.ask(OF_TEAM, ", "self._tickets.table(OF_TEAM).ask(", "a_writer_that_stops_at_any_call"),
        (
            "variants=DESIGN.variants,",
            "variants=DESIGN.variants, often=(put_light,), often_every=1,",
            "a_store_that_fails_often",
        ),
        ("design = DESIGN", "design = 'tickets'", "TestContract.design: must be a rowbook.designs.Design"),
    ],
)
def test_what_breaks_the_contract_fails(pytester: pytest.Pytester, right: str, wrong: str, failing: str) -> None:
    first = 'TABLES = TICKETS.tables\nFIRST = Ticket("0", "net", "no light")'
    written(pytester.path, PAGE.replace(right, wrong).replace("TABLES = TICKETS.tables", first))
    assert right in PAGE
    done = pytester.runpytest_inprocess("-q", "-x", "-k", failing if " " not in failing else "")
    assert done.ret != 0
    done.stdout.fnmatch_lines([f"*{failing}*"])
