"""The command line on terminals, wide and narrow, in pipes that close, and where colours are not wanted."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve
from rich.cells import cell_len

from domains import demo
from domains.logs.shown.design import DESIGN as LOGS_DESIGN
from domains.orders.shown.design import DESIGN as ORDERS_DESIGN
from shared.command_line.files import load_command
from shared.exhibit.regions import sampling
from shared.stores import connect
from tests.designs import all_designs
from tests.few_designs import few_of
from tests.shared.command_line.running import PROGRESS, ROWBOOK, without_terminal

ROOT = Path(__file__).parents[3]
ORDERS = ROOT / "fixtures" / "orders" / "orders.csv"
long = pytest.mark.long
COMPARED = [design for design in all_designs() if len(design.variants) > 1]
few_designs = pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
RULER = "explain logs host=web-1 event=GET time=2026-01-12T08:40Z tie=0011223344556677 random_bucket=1"


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
@pytest.mark.parametrize(
    ("columns", "on_terminal"),
    [(None, False), (80, True), *(pytest.param(*one, marks=long) for one in [(70, False), (200, False), (200, True)])],
)
@few_designs
def test_run_fits_its_lines_and_breaks_no_word(ok, terminal, environment, design, columns, on_terminal):
    if on_terminal:
        terminal(columns)
    elif columns:
        environment["COLUMNS"] = str(columns)
    brief, out = ok(f"run {design.name}"), ok(f"run {design.name} --all")
    assert ("\x1b[" in out) == ("\x1b[" in brief) == on_terminal
    assert max(map(cell_len, without_colours(brief).splitlines())) <= (
        columns if on_terminal else max(columns or 100, 85)
    )
    shown = without_colours(out)
    # Without a terminal names of tables stay whole, and the numbers beside them leave no more for words.
    assert max(map(cell_len, tables(shown))) <= (columns if on_terminal else max(columns or 100, 85))
    words = [pattern.question for pattern in design.patterns]
    if len(design.variants) > 1:  # a design without variants compares none
        words += [f"{variant.name} {variant.differs}" for variant in design.variants]
    assert {*" ".join(words).split()} <= {*shown.split()}
    for pattern in design.patterns:
        assert f"\nrowbook ask {design.name} {pattern.words}\n" in shown


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize("design", few_of(COMPARED, lambda design: design.name))
def test_the_comparison_keeps_names_and_numbers_whole_on_60_columns(ok, terminal, design):
    terminal(60)
    _alone, comparison = without_colours(ok(f"run {design.name} --all")).split(
        "\nWhat each question costs in each variant\n"
    )
    words = comparison.partition("\nWhat each")[0].split()
    asked = " ".join(pattern.question for pattern in design.patterns).split()
    names = [variant.name for variant in design.variants[1:] if variant.name not in asked]
    assert [word for word in words if word in names] == names * len(design.patterns)
    assert words.count(design.name) >= len(design.patterns)  # questions have the word, too
    assert {"ranges", "RPCs", "rows", "read"} <= {*comparison.split()}


@pytest.mark.parametrize("columns", ["0", "-1", "abc", "", " 80", "²", "99999"])
def test_a_number_that_is_not_a_width_is_ignored(ok, environment, columns):
    expected = ok(RULER)
    environment.update(COLUMNS=columns, LINES=columns)
    assert ok(RULER) == expected


@pytest.mark.parametrize("line", ["ddl orders:hashed-number", "list --json"])
def test_statements_and_json_are_never_wrapped(ok, terminal, line):
    wide = ok(line)
    terminal(60)
    assert without_colours(ok(line)) == wide


@pytest.mark.parametrize("columns", [60, pytest.param(100, marks=long)])
@few_designs
def test_what_is_not_to_be_copied_is_never_wider_than_the_terminal(rowbook, terminal, design, columns):
    terminal(columns)
    lines = [
        f"ask {design.name}",
        f"explain {design.name} --key 732d31370001",
        "ask tsdb points metric=load tag=a value=b since=0 until=9",
    ]
    if design.name == "orders":
        lines += ["list", "--help", *(f"{command} --help" for command in ("run", "load", "serve"))]
        lines += ["explain orders seller_id=s-17"]
    for line in lines:
        shown = without_colours(rowbook(line)[1])
        assert [wide for wide in shown.splitlines() if cell_len(wide) > columns] == []


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_no_value_of_a_listed_question_is_broken(ok, terminal, design):
    terminal(60)
    shown = without_colours(ok(f"ask {design.name}"))
    words = [word for pattern in design.patterns for word in pattern.quoted_arguments]
    assert [word for word in words if word not in shown] == []


def test_a_terminal_narrower_than_60_columns_shows_what_one_of_60_does(ok, terminal):
    lines = ("ask orders order order_number=n-42", RULER)
    terminal(60)
    expected = [ok(line) for line in lines]
    assert {"n-42", "2026-01-04T16:02:08.584Z"} <= {*without_colours(expected[0]).split()}
    ruler = [line for line in without_colours(expected[1]).splitlines() if line.startswith((" " * 9, "  row"))]
    assert max(map(len, ruler)) <= 60
    for columns in (1, 2, 20, 59):
        terminal(columns)
        assert [ok(line) for line in lines] == expected


def test_a_record_that_no_row_has_room_for_has_a_line_for_each_value(ok, terminal):
    asked = "ask logs latest host=web-1 event=ERROR --limit 3"
    terminal(80)
    lines = without_colours(ok(asked)).splitlines()
    assert lines[2:6] == [
        "time_ms   2026-01-12T09:08:20.000Z",
        "severity  ERROR",
        r"message   'no route\n\tat Router.find(Router.java:17)\n\tat Main.run'",
        "tie       e9 c7 4b dd 04 f6 23 9c",
    ]
    terminal(120)
    header, first, *_others = without_colours(ok(asked)).splitlines()
    assert header.split()[-2:] == ["message", "tie"]
    assert first.split()[-2:] == [r"Main.run'", "e9c74b..."]
    assert json.loads(ok(f"{asked} --json"))["records"][0]["tie"] == "e9c74bdd04f6239c"


def test_a_long_key_of_the_list_goes_on_below_its_column(ok, terminal):
    terminal(80)
    lines = without_colours(ok("list")).splitlines()
    line = next(number for number, text in enumerate(lines) if "orders_by_seller " in text)
    assert lines[line].index("[") == lines[line + 1].index("[") == len(lines[line + 1]) - len("[order_number]")


LOAD = "--records-a-day 1e6 --keep 100d"
CHAPTERS = [f"review logs --only {chapter}" for chapter in ("size --records-a-day 13e10", f"simulate {LOAD}", "heat")]
MEASURING = [*CHAPTERS, "review logs", "lint logs", "run logs --all"]


@pytest.mark.parametrize("words", MEASURING[:2])
def test_what_takes_seconds_says_what_it_does_on_stderr_of_a_terminal_only(ok, rowbook, terminal, monkeypatch, words):
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 1_000)
    ok(words)  # without a terminal it says nothing
    terminal(80)
    code, out, err = rowbook(words)
    assert (code, "storing" in out) == (0, False)
    assert re.search(r"0:00:0[0-9].* logs: storing [0-9,]+ records", without_colours(err))
    assert max(map(cell_len, re.split(r"\r|\n", without_colours(out + err)))) <= 80


@long
@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("words", [*MEASURING, f"run orders --file {ORDERS} --limit 200"])
def test_nothing_but_commands_to_copy_is_wider_than_a_real_terminal(on_terminal, columns, words):
    code, shown = on_terminal(columns, *words.split())
    lines = re.split(r"\r\n|\r|\n", without_colours(shown))
    assert code == 0
    assert [line for line in lines if cell_len(line) > columns and not line.startswith("rowbook ask ")] == []


SCREENS = {
    "demo": {*demo.COMPARED, "seller", "buyer"},
    "run logs": {"question", "time-first", "storing", "busiest"},
    "list": set(),
}
"""Screens that a new user sees first, each with words of the headers of its tables."""


def header_words(lines):
    """The words of the headers of tables: they stand above a line, or begin as a grid of `run` does."""
    for number, line in enumerate(lines):
        if line.startswith("───"):
            above = lines[:number]
            first = max((at for at, line in enumerate(above) if not line.strip()), default=-1)
            yield from " ".join(above[first + 1 :]).split()
        if line.startswith(("question ", "storing ")):
            end = next(at for at in range(number, len(lines)) if lines[at][:1].strip() and at > number)
            yield from " ".join(lines[number:end]).split()


@pytest.mark.parametrize("columns", [80, pytest.param(100, marks=long), pytest.param(140, marks=long)])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_screens_fit_a_real_terminal_and_break_no_word_of_a_header(on_terminal, columns, screen):
    code, shown = on_terminal(columns, *screen.split())
    lines = re.split(r"\r\n|\r|\n", without_colours(shown))
    assert code == 0
    assert [line for line in lines if cell_len(line) > columns] == []
    assert SCREENS[screen] <= {*header_words(lines)}


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
    assert not {*"\x1b─━│┃┏└"} & {*out}
    assert out == expected


def test_a_progress_bar_is_on_stderr_of_a_terminal_only(rowbook, terminal):
    assert rowbook(f"load orders {ORDERS} --store embedded:a.db")[2] == ""
    terminal(100)
    code, out, err = rowbook(f"load orders {ORDERS} --store embedded:")
    assert (code, "%" in err, "%" in out) == (0, True, False)
    assert f"{ORDERS}: csv, 320 records stored" in without_colours(out)


def test_a_progress_bar_shows_records_a_second_and_breaks_a_long_name(rowbook, terminal, folder, monkeypatch):
    monkeypatch.setattr(load_command, "LINES_AT_ONCE", 1)
    chosen = load_command.chosen_load
    monkeypatch.setattr(load_command, "chosen_load", lambda *given, **more: evolve(chosen(*given, **more), at_once=20))
    name = f"{'folder-' * 8}/orders.csv"
    (folder / name).parent.mkdir()
    (folder / name).write_text(ORDERS.read_text())
    terminal(60)
    shown = without_colours(rowbook(f"load orders {name} --store embedded:a.db")[2])
    assert re.search(r"[0-9] records/s", shown)
    assert "…" not in shown
    assert max(map(cell_len, re.split(r"\r|\n", shown))) <= 60


def test_a_bad_line_stands_on_a_line_of_its_own_above_the_progress_bar(rowbook, folder, terminal):
    good = '{"host": "a", "event": "ERROR", "time_ms": 1580976517000, "message": "x"}\n'
    (folder / "a.jsonl").write_text("{}\n" * 3 + good)
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
ORDER = "order_number,seller_id,buyer_id,placed_ms,item,amount\nn-1,s-1,b-1,0,lamp,7\n"
with_and_without_a_terminal = pytest.mark.parametrize("columns", [None, 80])


def controls(shown):
    """The characters of output that control a terminal, without colours, moves of the cursor and ends of lines."""
    return {character for character in without_colours(shown) if not character.isprintable()} - {"\n"}


@pytest.fixture
def visible(rowbook, terminal):
    """Runs a command whose output must not control a terminal, which has so many columns; returns how it ended."""

    def run(columns, *words):
        if columns:
            terminal(columns)
        code, out, err = rowbook(shlex.join(words))
        if words[0] != "load":
            err = PROGRESS.sub("", err)
        # A progress bar moves to the start of its line.
        assert controls(out) | controls(err) - ({"\r"} if columns and words[0] == "load" else set()) == set()
        return code, without_colours(out), without_colours(err)

    return run


@pytest.mark.parametrize("columns", [None, 400])
@pytest.mark.parametrize(
    "words",
    [
        ["ask", "orders", "of-buyer", "buyer_id=b"],
        ["ask", "orders", "order", f"order_number=n{HOSTILE}"],
        ["explain", "orders", f"order_number=n{HOSTILE}", f"seller_id=s{HOSTILE}", "placed=0"],
    ],
    ids=lambda words: words[2],
)
def test_values_never_control_the_terminal(visible, ok, folder, new_url, columns, words):
    url = new_url(*ORDERS_DESIGN.main.tables)
    order = {"order_number": "n" + HOSTILE, "seller_id": "s" + HOSTILE, "buyer_id": "b", "placed_ms": 0, "amount": 7}
    (folder / "orders.jsonl").write_text(json.dumps(order | {"item": f"[red]lamp[/red] :smile: {HOSTILE}"}) + "\n")
    ok(f"load orders orders.jsonl --store {url}")
    words = [*words, *(() if words[0] == "explain" else ("--store", url))]
    _code, out, _err = visible(columns, *words)
    assert SHOWN in out
    assert words[2] != "order" or "[red]lamp[/red] :smile: " in out  # values are not markup
    _code, out, _err = visible(columns, *words, "--json")
    assert IN_JSON in out
    json.loads(out)


def test_csv_is_exact_in_a_pipe_and_escaped_on_a_terminal(ok, terminal, folder):
    """A pipe may lead to `rowbook load`, which must read what is stored; formulas are text in both."""
    item = f'=HYPERLINK("http://x.example"){HOSTILE}'
    order = {"order_number": "n-1", "seller_id": "s-1", "buyer_id": "b-1", "placed_ms": 0, "item": item, "amount": 7}
    (folder / "a.jsonl").write_text(json.dumps(order), encoding="utf-8")
    ok("load orders a.jsonl --store embedded:a.db")
    exact = ok("scan orders orders --store embedded:a.db --csv")
    assert [row["item"] for row in csv.DictReader(io.StringIO(exact, newline=""))] == [item]
    (folder / "a.csv").write_text(exact, encoding="utf-8", newline="")
    ok("load orders a.csv --store embedded:b.db")
    assert ok("scan orders orders --store embedded:b.db --csv") == exact
    (folder / "points.txt").write_text("put cpu 1356998400 1 host=a\n", encoding="utf-8")
    ok("load tsdb points.txt --store embedded:c.db")
    with closing(connect("embedded:c.db")) as connection:
        connection.table("tsdb-uid").put(b"\0\0\1", {b"name:metrics": b"=1+1\x1b]0;title"})
    assert "=1+1\x1b]0;title" in ok("scan tsdb --lines --store embedded:c.db")
    terminal(400)
    for command in ("scan orders orders --store embedded:a.db --csv", "scan tsdb --lines --store embedded:c.db"):
        shown = without_colours(ok(command))
        assert controls(shown) == set()
        assert r"\x1b]0;title" in shown


@with_and_without_a_terminal
def test_names_of_files_never_control_the_terminal(visible, folder, new_url, columns):
    name = f"{HOSTILE}.csv"
    (folder / name).write_text(f"{ORDER}n-2,s-1\n")
    load = ["load", "orders", name, "--store", new_url(*ORDERS_DESIGN.main.tables)]
    assert VISIBLE in visible(columns, *load)[2]
    assert VISIBLE in visible(columns, *load, "--on-error", "skip")[1]
    _code, out, _err = visible(columns, *load, "--on-error", "skip", "--json")
    assert json.loads(out)["files"][0]["file"] == name


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        [f"--{HOSTILE}"],
        ["run", HOSTILE],
        ["run", "--store", f"embedded:{HOSTILE}/a.db"],
        ["load", "orders", HOSTILE, "--store", "embedded:"],
        ["ask", "orders", "of-seller", f"seller_id=a{HOSTILE}", "--cursor", HOSTILE],
        ["explain", "orders", "--form", "hex", "--key", HOSTILE],
        ["serve", "--host", HOSTILE],
    ],
    ids=lambda words: words[0] if words[0] != HOSTILE else "",
)
@with_and_without_a_terminal
def test_errors_never_control_the_terminal(visible, words, columns):
    code, _out, err = visible(columns, *words)
    assert (code != 0, err.count("\n")) == (True, 1)


# A real terminal


@pytest.fixture
def on_terminal(folder):
    """Runs a command on a pseudo terminal of so many columns; returns exit code and what was shown."""

    def run(columns, *arguments, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*ROWBOOK, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**without_terminal(), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment},
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


@long
@pytest.mark.parametrize(("columns", "fits"), [(60, 60), (0, 80)])
def test_a_real_terminal_is_asked_for_its_width_unless_it_has_none(on_terminal, ok, terminal, columns, fits):
    code, shown = on_terminal(columns, *shlex.split(RULER))
    terminal(fits)
    assert (code, shown.replace("\r\n", "\n")) == (0, ok(RULER))


@long
def test_a_load_on_a_real_terminal_leaves_its_cursor_visible_and_no_bar(on_terminal):
    code, shown = on_terminal(80, "load", "orders", str(ORDERS), "--store", "embedded:")
    assert code == 0
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "━" not in shown[shown.rindex("\x1b[2K") :]
    assert "csv, 320 records stored\r\n" in shown[shown.rindex("\x1b[2K") :]


# Pipes


@pytest.mark.parametrize("command", ["list", pytest.param("run logs:salted --store embedded:a.db", marks=long)])
def test_a_pipe_that_is_closed_early_ends_quietly_and_cleans_up(real_process, stored, command):
    process = real_process(*command.split())
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0
    if "embedded:a.db" in command:
        assert stored("embedded:a.db") == {}


@pytest.mark.parametrize(
    ("command", "stream", "code", "error"),
    [
        ("list", "stdout", 1, "stdout: No space left on device\n"),
        pytest.param("--help", "stdout", 1, "No space left on device\n", marks=long),
        pytest.param("list nosuch", "stderr", 2, None, marks=long),
    ],
)
def test_a_full_disk_is_named_and_no_store_is_blamed(command, stream, code, error):
    with open("/dev/full", "w") as full:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, stream: full}
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run([*ROWBOOK, *command.split()], env=environment, text=True, timeout=20, **streams)
    assert (ended.returncode, ended.stderr) == (code, error)


@pytest.mark.further
def test_a_load_goes_on_when_nobody_reads_its_bad_lines(real_process, folder, stored, new_url):
    url = new_url(*LOGS_DESIGN.main.tables)
    good = '{"host": "a", "event": "e", "time_ms": 0}\n'
    (folder / "a.jsonl").write_text("{}\n" * 100 + good)
    process = real_process("load", "logs", "a.jsonl", "--store", url, "--on-error", "skip")
    process.stderr.close()
    assert process.stdout.read() == "a.jsonl: jsonl, 1 record stored, 100 bad lines skipped\n"
    assert process.wait(timeout=20) == 0
    assert len(stored(url)["logs"]) == 1


@long
def test_what_an_output_cannot_encode_is_escaped(real_process):
    out, err = real_process("explain", "orders", "order_number=茶", PYTHONIOENCODING="ascii").communicate(timeout=20)
    assert err == ""
    assert r"\u8336" in out


def test_records_that_go_into_a_pipe_are_counted_on_the_terminal(ok, folder):
    """In a pipe nothing else shows that a long scan works."""
    ok(f"load orders {ORDERS} --store embedded:a.db")
    ours, theirs = pty.openpty()
    environment = {**without_terminal(), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    words = ["scan", "orders", "orders", "--store", "embedded:a.db", "--limit", "all", "--csv"]
    ended = subprocess.run([*ROWBOOK, *words], stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=20)
    shown = os.read(ours, 65536).decode()
    for end in (ours, theirs):
        os.close(end)
    assert "orders" in without_colours(shown)
    assert (ended.returncode, ended.stdout.count(b"\n")) == (0, 321)
