"""The command line on terminals, wide and narrow, in pipes that close, and where colours are not wanted."""

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes
from rich.cells import cell_len

from domains.command_line.designs import all_designs
from domains.logs.design import DESIGN as LOGS_DESIGN
from domains.orders.design import DESIGN as ORDERS_DESIGN
from shared.stores import connect
from shared.writes import IntentWriter

ROOT = Path(__file__).parents[2]
ORDERS = ROOT / "fixtures" / "orders" / "orders.csv"
BOXES = set("─━│┃┏└")


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def tables(shown):
    """The lines of the tables below the titles; what follows a table is commands, refusals and blank lines."""
    for below in shown.split("\nWhat each ")[1:]:
        for line in below.splitlines()[1:]:
            if not line or line.startswith("rowbook ask"):
                break
            yield line


# Widths


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_run_fits_a_terminal_and_breaks_no_word(ok, terminal, design, columns):
    terminal(columns)
    out = ok(f"run {design.name}")
    assert "\x1b[" in out
    shown = without_colours(out)
    assert max(map(cell_len, tables(shown))) <= columns
    # The heading stands above narrow numbers, so on several lines.
    assert not any("busiest of 8" in line for line in tables(shown))
    assert {*" ".join(pattern.question for pattern in design.patterns).split()} <= {*shown.split()}
    for variant in design.variants:
        assert {variant.name, *variant.differs.split()} <= {*shown.split()}
    for pattern in design.patterns:
        assert f"\nrowbook ask {design.name} {pattern.words}\n" in shown


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_the_comparison_keeps_names_and_numbers_whole_on_60_columns(ok, terminal, design):
    terminal(60)
    shown = without_colours(ok(f"run {design.name}"))
    _alone, comparison = shown.split("\nWhat each question costs in each variant\n")
    words = comparison.partition("\nWhat each")[0].split()
    names = [variant.name for variant in design.variants[1:]]
    assert [word for word in words if word in names] == names * len(design.patterns)
    assert words.count(design.name) >= len(design.patterns)  # questions have the word, too
    assert {"ranges", "RPCs", "rows", "read"} <= {*comparison.split()}


def test_rulers_fit_a_narrow_terminal(ok, terminal):
    command = "explain logs host=web-1 event=GET time=2026-01-12T08:40Z tie=0011223344556677 random_bucket=1"
    for columns in (60, 80):
        terminal(columns)
        rulers = [line for line in without_colours(ok(command)).splitlines() if line.startswith((" " * 9, "  row"))]
        assert max(map(len, rulers)) <= columns


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_times_in_an_answer_stay_whole_on_a_terminal(ok, terminal, columns):
    terminal(columns)
    assert "2026-01-04T16:02:08.584Z" in ok("ask orders order order_number=n-42")
    assert "2026-01-12T08:40:43.000Z" in ok("ask logs latest host=host1 event=LOGIN --limit 50")


def test_statements_are_never_wrapped(ok, terminal):
    wide = ok("ddl orders:hashed-number")
    terminal(60)
    assert without_colours(ok("ddl orders:hashed-number")) == wide


@pytest.mark.parametrize(
    "line", ["list", "run logs:salted", "ask logs", "explain orders order_number=n", "ddl logs:salted"]
)
def test_json_is_one_line_without_colours_on_a_terminal_too(ok, terminal, line):
    terminal(60)
    out = ok(f"{line} --json")
    assert out.count("\n") == 1
    assert "\x1b" not in out


@pytest.mark.parametrize("columns", ["0", "00", "-1", "abc", "", " 80", "²", "1e2", "99999"])
@pytest.mark.parametrize("where", ["pipe", "terminal"])
def test_what_is_no_width_is_as_if_none_were_named(ok, terminal, environment, columns, where):
    if where == "terminal":
        terminal(80)
    environment.pop("COLUMNS", None)
    question = "ask orders order order_number=n-42"
    lines = ("list", question, "explain orders order_number=n-42", "list --json")
    expected = [ok(line) for line in lines]
    environment["COLUMNS"] = columns
    environment["LINES"] = columns
    assert [ok(line) for line in lines] == expected
    assert all(expected)


@pytest.mark.parametrize("columns", [1, 2, 5, 10, 20, 59])
def test_on_a_very_narrow_terminal_nothing_is_lost(ok, terminal, columns):
    questions = ("ask orders order order_number=n-42", "ask logs latest host=a event=b")
    question, empty = (f"{line}" for line in questions)
    lines = (question, "explain orders order_number=n-42", empty)
    terminal(60)
    expected = [ok(line) for line in lines]
    terminal(columns)
    assert [ok(line) for line in lines] == expected
    assert {*"order_number n-42 placed_ms 2026-01-04T16:02:08.584Z"} - {" "} <= {*without_colours(expected[0])}


# Colours


@pytest.mark.parametrize("plain", ["--plain run {}", "run {} --plain", "NO_COLOR=1", "TERM=dumb"])
def test_plain_output_has_no_colours_and_no_boxes_and_is_that_of_a_pipe(ok, few_samples, terminal, environment, plain):
    names = "orders:oldest-first orders:hashed-number logs:salted"
    expected = ok(f"run {names}")
    terminal(100)
    if "=" in plain:
        environment.update([plain.split("=")])
        plain = "run {}"
    out = ok(plain.format(names))
    assert "\x1b" not in out
    assert not BOXES & {*out}
    assert out == expected


def test_values_cannot_colour_the_terminal_nor_speak_markup(ok, folder, terminal, new_url):
    url = new_url(*ORDERS_DESIGN.main.tables)
    header = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
    (folder / "a.csv").write_text(f"{header}n-1,s-1,b-1,0,[red]lamp[/red] :smile: \x1b[31m,7\n")
    ok(f"load orders a.csv --store {url}")
    terminal(200)
    out = ok(f"ask orders order order_number=n-1 --store {url}")
    assert r"'[red]lamp[/red] :smile: \x1b[31m'" in out


def test_a_progress_bar_is_on_stderr_of_a_terminal_only(rowbook, terminal):
    assert rowbook(f"load orders {ORDERS} --store embedded:")[2] == ""
    terminal(100)
    code, out, err = rowbook(f"load orders {ORDERS} --store embedded:")
    assert (code, "%" in err, "%" in out) == (0, True, False)
    assert f"{ORDERS}: csv, 320 records stored" in without_colours(out)


def test_a_bad_line_stands_on_a_line_of_its_own_above_the_progress_bar(rowbook, folder, terminal):
    (folder / "a.jsonl").write_text("{}\n" * 3)
    terminal(100)
    code, _out, err = rowbook("load logs a.jsonl --store embedded: --on-error skip")
    bad = [line for line in re.split(r"\r|\n", without_colours(err)) if line.startswith("a.jsonl:")]
    assert code == 0
    assert [line.partition(": ")[0] for line in bad] == ["a.jsonl:1", "a.jsonl:2", "a.jsonl:3"]


# Control characters

HOSTILE = "\x1b]0;title\x07\x1b[31m\x9b31m\u202e\u2066\u2028\x7f\r\x85"
SHOWN = r"\x1b]0;title\x07\x1b[31m\x9b31m\u202e\u2066\u2028\x7f\r\x85"
VISIBLE = SHOWN.replace(r"\r", r"\x0d")
IN_JSON = r"\u001b]0;title\u0007\u001b[31m\u009b31m\u202e\u2066\u2028\u007f\r\u0085"
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"


def controls(shown):
    """The characters of output that control a terminal, without colours, moves of the cursor and ends of lines."""
    return {character for character in without_colours(shown) if not character.isprintable()} - {"\n"}


@pytest.fixture
def hostile_url(rowbook, folder, new_url):
    """A store with an order whose fields all hold control characters."""
    url = new_url(*ORDERS_DESIGN.main.tables)
    order = {"order_number": "n" + HOSTILE, "seller_id": "s" + HOSTILE, "buyer_id": "b", "placed_ms": 0, "amount": 7}
    (folder / "orders.jsonl").write_text(json.dumps(order | {"item": HOSTILE}) + "\n")
    assert rowbook(f"load orders orders.jsonl --store {url}")[0] == 0
    return url


@pytest.mark.parametrize("columns", [None, 60, 400])
@pytest.mark.parametrize(
    "line",
    [
        "ask orders of-buyer buyer_id=b",
        "ask orders with-status status=placed --limit 1",
        "ask orders order {number}",
        "explain orders {number} seller_id={host} placed=0",
    ],
)
def test_values_never_control_the_terminal(ok, terminal, hostile_url, columns, line):
    if columns:
        terminal(columns)
    store = "" if line.startswith("explain") else f" --store {hostile_url}"
    words = {"number": f"order_number=n{HOSTILE}", "host": f"s{HOSTILE}"}
    command = shlex.join(word.format(**words) for word in line.split())
    out = ok(command + store)
    assert controls(out) == set()
    assert columns == 60 or SHOWN in without_colours(out)
    out = ok(f"{command}{store} --json")
    assert controls(out) == set()
    assert IN_JSON in out
    json.loads(out)


@pytest.mark.parametrize("columns", [None, 100])
def test_names_of_files_never_control_the_terminal(rowbook, folder, terminal, new_url, columns):
    url = new_url(*ORDERS_DESIGN.main.tables)
    name = f"{HOSTILE}.csv"
    (folder / name).write_text(HEADER + "n-1,s-1,b-1,0,lamp,7\nn-2,s-1\n")
    if columns:
        terminal(columns)
    load = shlex.join(["load", "orders", name, "--store", url])
    for line in (
        load,
        f"{load} --on-error skip",
        f"{load} --on-error skip --json",
        f"load orders {shlex.quote(HOSTILE)} --store a",
    ):
        code, out, err = rowbook(line)
        assert controls(out) | (controls(err) - {"\r"} if columns else controls(err)) == set()
        assert "--json" in line or VISIBLE in without_colours(out if code == 0 else err)
        assert "--json" not in line or json.loads(out)["files"][0]["file"] == name


@pytest.mark.parametrize("columns", [None, 100])
def test_what_a_server_says_never_controls_the_terminal(rowbook, folder, monkeypatch, terminal, new_url, columns):
    def fail(*_):
        raise HBaseError(f"{HOSTILE.replace(chr(0x2028), '').replace(chr(13), '').replace(chr(0x85), '')}".encode())

    monkeypatch.setattr(IntentWriter, "write", fail)
    (folder / "a.csv").write_text(HEADER + "n-1,s-1,b-1,0,lamp,7\n")
    if columns:
        terminal(columns)
    code, _out, err = rowbook(f"load orders a.csv --store {new_url(*ORDERS_DESIGN.main.tables)}")
    assert code == 1
    assert controls(err) <= ({"\r"} if columns else set())
    assert r"\x9b31m\u202e\u2066\x7f" in without_colours(err)


def test_names_that_another_client_gave_never_control_the_terminal(rowbook, folder):
    connection = connect("embedded:a.db")
    connection.create_table("orders", {"o\x9b31m\u202e": {}})  # HBase takes these, and none below U+0020
    connection.close()
    (folder / "a.csv").write_text(HEADER + "n-1,s-1,b-1,0,lamp,7\n")
    code, _out, err = rowbook("load orders a.csv --store embedded:a.db")
    assert (code, controls(err)) == (1, set())
    assert r"(has o\x9b31m\u202e)" in err


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        [f"--{HOSTILE}"],
        ["run", HOSTILE],
        ["run", "--store", f"embedded:{HOSTILE}/a.db"],
        ["run", "--store", f"hbase://{HOSTILE}:1"],
        ["load", "orders", "a.csv", "--store", "embedded:", "--unit", f"placed_ms={HOSTILE}"],
        ["load", "orders", "a.csv", "--store", "embedded:", "--map", f"{HOSTILE}=a"],
        ["ask", "orders", HOSTILE],
        ["ask", "orders", "of-seller", f"{HOSTILE}=a"],
        ["ask", "orders", "of-seller", f"seller_id=a{HOSTILE}", "--cursor", HOSTILE],
        ["ask", "orders", "--store", f"embedded:{HOSTILE}", "order", "order_number=n"],
        ["explain", "orders", "--key", HOSTILE],
        ["ddl", "orders", "--splits", HOSTILE],
        ["serve", "--host", HOSTILE],
        ["serve", "--port", HOSTILE],
        ["serve", "--store", HOSTILE],
        ["serve", "--store", f"embedded:{HOSTILE}/a.db", "--port", "0"],
    ],
    ids=lambda words: words[0] if words[0] != HOSTILE else "",
)
@pytest.mark.parametrize("columns", [None, 80])
def test_errors_never_control_the_terminal(rowbook, terminal, words, columns):
    if columns:
        terminal(columns)
    code, out, err = rowbook(shlex.join(words))
    assert (code != 0, controls(out), controls(err), err.count("\n")) == (True, set(), set(), 1)


def test_a_server_never_controls_the_terminal_either(real_process, folder):
    process = real_process("serve", "--store", f"embedded:{HOSTILE}.db", "--port", "0")
    first = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    assert first.startswith("listening on ")
    assert controls(out) | controls(err) == set()
    assert err == f"terminated; everything is stored in {VISIBLE}.db\n"


# A real terminal


@pytest.fixture
def on_terminal(folder):
    """Runs a command on a pseudo terminal of so many columns; returns exit code and what was shown."""

    def run(columns, *arguments, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-c", "from domains.command_line.main import main; main()", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment},
        )
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # how Linux ends a terminal that nobody holds any more
            pass
        os.close(ours)
        return process.wait(timeout=20), shown.decode()

    return run


def test_a_real_terminal_without_a_useful_width_shows_all(on_terminal):
    code, shown = on_terminal(0, "ask", "orders", "order", "order_number=n-42")
    assert code == 0
    assert {"n-42", "2026-01-04T16:02:08.584Z"} <= {*without_colours(shown).split()}


def test_a_real_terminal_is_asked_for_its_width(on_terminal):
    question = ("ask", "logs:salted", "window", "since=2026-01-12T08:40", "until=2026-01-12T08:50", "--limit", "9")
    for columns in (100,):
        code, shown = on_terminal(columns, *question)
        table = without_colours(shown).partition("\n9 records; ")[0].splitlines()
        assert (code, "\x1b[1m" in shown) == (0, True)
        assert max(map(cell_len, table)) <= columns


def test_a_load_on_a_real_terminal_leaves_its_cursor_visible_and_no_bar(on_terminal):
    code, shown = on_terminal(80, "load", "orders", str(ORDERS), "--store", "embedded:")
    assert code == 0
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "━" not in shown[shown.rindex("\x1b[2K") :]
    assert "csv, 320 records stored\r\n" in shown[shown.rindex("\x1b[2K") :]


# Pipes


@pytest.mark.parametrize(
    "command",
    [
        "run logs:salted --store embedded:a.db",
        "ask orders --json",
    ],
)
def test_a_pipe_that_is_closed_early_ends_quietly_and_cleans_up(real_process, stored, command):
    process = real_process(*command.split())
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0
    if "embedded:a.db" in command:
        assert stored("embedded:a.db") == {}


@pytest.mark.parametrize("command", ["list", "explain orders order_number=n"])
def test_an_output_that_is_full_is_named(command):
    code, error = in_full_streams(command, stdout="/dev/full")
    assert (code, error) == (1, "stdout: No space left on device\n")


def test_the_help_on_a_full_disk_blames_no_store():
    assert in_full_streams("--help", stdout="/dev/full") == (1, "No space left on device\n")


def test_wrong_usage_ends_with_2_even_if_stderr_is_full():
    assert in_full_streams("list nosuch", stderr="/dev/full") == (2, "")


def in_full_streams(command, stdout=os.devnull, stderr=None):
    """Runs a command whose output goes to these files; returns its exit code and its errors."""
    with open(stdout, "w") as out, open(stderr or os.devnull, "w") as errors:
        process = subprocess.run(
            [sys.executable, "-c", "from domains.command_line.main import main; main()", *command.split()],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=errors if stderr else subprocess.PIPE,
            text=True,
            timeout=20,
        )
    return process.returncode, process.stderr or ""


def test_a_load_goes_on_when_nobody_reads_its_bad_lines(real_process, folder, stored, new_url):
    url = new_url(*LOGS_DESIGN.main.tables)
    good = '{"host": "a", "event": "e", "time_ms": 0}\n'
    (folder / "a.jsonl").write_text("{}\n" * 100 + good)
    process = real_process("load", "logs", "a.jsonl", "--store", url, "--on-error", "skip")
    process.stderr.close()
    assert process.stdout.read() == "a.jsonl: jsonl, 1 record stored, 100 bad lines skipped\n"
    assert process.wait(timeout=20) == 0
    assert len(stored(url)["logs"]) == 1


def test_what_an_output_cannot_encode_is_escaped(real_process):
    process = real_process("ask", "orders", "of-seller", "seller_id=店-1", "--limit", "2", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert r"\u8336" in out
