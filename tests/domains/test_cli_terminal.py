"""The command line on terminals, wide and narrow, in pipes that close, and where colours are not wanted."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len

from domains import cli

ROOT = Path(__file__).parents[2]
ORDERS = ROOT / "fixtures" / "orders" / "orders.csv"
BOXES = set("─━│┃┏└")


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def tables(shown):
    """The lines of the tables below the titles; what follows a table is commands, refusals and blank lines."""
    for below in shown.split("\nWhat each ")[1:]:
        for line in below.splitlines()[1:]:
            if not line or line.startswith("rowbook ask") or " refuses: " in line:
                break
            yield line


# Widths


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("design", cli.DESIGNS, ids=lambda design: design.name)
def test_run_fits_a_terminal_and_breaks_no_word(ok, terminal, design, columns):
    terminal(columns)
    out = ok(f"run {design.name}")
    assert "\x1b[" in out
    shown = without_colours(out)
    assert max(map(cell_len, tables(shown))) <= columns
    assert "rows read for" not in shown  # which stands above narrow numbers, so on several lines
    assert {*" ".join(pattern.question for pattern in design.patterns).split()} <= {*shown.split()}
    for variant in design.variants:
        assert {variant.name, *variant.differs.split()} <= {*shown.split()}
    for pattern in design.patterns:
        assert f"\nrowbook ask {design.name} {pattern.words}\n" in shown


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("design", cli.DESIGNS, ids=lambda design: design.name)
def test_the_comparison_keeps_names_and_numbers_whole_on_60_columns(ok, terminal, design):
    terminal(60)
    shown = without_colours(ok(f"run {design.name}"))
    _alone, compared = shown.split("\nWhat each question costs in each variant\n")
    names = [variant.name for variant in design.variants]
    assert [word for word in compared.partition("\nWhat each")[0].split() if word in names] == names * len(
        design.patterns
    )
    assert {"ranges", "RPCs", "returned"} <= {*compared.split()}


def test_rulers_fit_a_narrow_terminal(ok, terminal):
    line = "explain logs host=web-1 event=GET time=2026-01-12T08:40Z tie=0011223344556677 drawn=1"
    for columns in (60, 80):
        terminal(columns)
        rulers = [each for each in without_colours(ok(line)).splitlines() if each.startswith((" " * 9, "  row"))]
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


# Colours


@pytest.mark.parametrize("plain", ["--plain run {}", "run {} --plain", "NO_COLOR"])
def test_plain_output_has_no_colours_and_no_boxes_and_is_that_of_a_pipe(ok, few_samples, terminal, monkeypatch, plain):
    names = "orders:published orders:hashed-number logs:salted"
    expected = ok(f"run {names}")
    terminal(100)
    if plain == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
        plain = "run {}"
    out = ok(plain.format(names))
    assert "\x1b" not in out
    assert not BOXES & {*out}
    assert out == expected


def test_values_cannot_colour_the_terminal_nor_speak_markup(ok, folder, terminal, new_url):
    url = new_url(*cli.ORDERS.main.tables)
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


# A real terminal


@pytest.fixture
def on_terminal(folder):
    """Runs a command on a pseudo terminal of so many columns; returns exit code and what was shown."""

    def run(columns, *arguments, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-c", "from domains.cli import main; main()", *arguments],
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


def test_a_real_terminal_is_asked_for_its_width(on_terminal):
    question = ("ask", "logs:salted", "window", "since=2026-01-12T08:40", "until=2026-01-12T08:50", "--limit", "9")
    for columns in (100, 200):
        code, shown = on_terminal(columns, *question)
        table = without_colours(shown).splitlines()[:-2]
        assert (code, "\x1b[1m" in shown) == (0, True)
        assert max(map(cell_len, table)) <= columns


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_real_terminal_without_colours_is_plain(on_terminal, environment):
    code, shown = on_terminal(80, "ask", "orders", "order", "order_number=n-42", **environment)
    assert code == 0
    assert "\x1b" not in shown
    assert not BOXES & {*shown}


def test_a_load_on_a_real_terminal_leaves_its_cursor_visible_and_no_bar(on_terminal):
    code, shown = on_terminal(80, "load", "orders", str(ORDERS), "--store", "embedded:")
    assert code == 0
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "━" not in shown[shown.rindex("\x1b[2K") :]
    assert "csv, 320 records stored\r\n" in shown[shown.rindex("\x1b[2K") :]


# Pipes


@pytest.mark.parametrize(
    "command",
    ["run orders:published logs:salted --store embedded:a.db", "run logs:salted --json", "ask orders --json", "list"],
)
def test_a_pipe_that_is_closed_early_ends_quietly_and_cleans_up(real_process, stored, command):
    process = real_process(*command.split())
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0
    if "embedded:a.db" in command:
        assert stored("embedded:a.db") == {}


def test_a_load_goes_on_when_nobody_reads_its_bad_lines(real_process, folder, stored, new_url):
    url = new_url(*cli.LOGS.main.tables)
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


def test_it_runs_as_a_module_too(folder):
    done = subprocess.run(
        [sys.executable, "-m", "domains.cli", "list"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "orders")
