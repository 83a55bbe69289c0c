"""`rowbook run`: rows, costs, the variants side by side, published mistakes; in memory and in a store of the user."""

import json
from contextlib import closing

import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from shared.command_line.measured import running
from shared.intents.slots import holds_intents
from shared.stores import connect
from shared.tables import InvalidRecord
from tests.designs import all_designs
from tests.few_designs import few_of

few_designs = pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
COMPARED = [design for design in all_designs() if len(design.variants) > 1]
KEPT = [design for design in all_designs() if design.name in ("orders", "tsdb")]
COMPARISON = "\nWhat each question costs in each variant\n"
SCREEN = 45
"""Lines of a screen."""
OF_DESIGN = 40
"""The most lines of a design, which are read at once."""
WRITTEN = "\nWhat each variant writes\n"


def cells(line):
    """The cells of a plain table's line that are not empty."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def lines_below(title, out):
    """The lines of a plain table, without its header."""
    return out.partition(f"{title}")[2].partition("\n\n")[0].splitlines()[1:]


def rows_below(title, out):
    """The lines that begin a row of a plain table: numbers are never broken, so a line without any continues one."""
    ends = [cells(line)[-1].removesuffix(" cells") for line in lines_below(title, out)]
    return [line for line, end in zip(lines_below(title, out), ends, strict=True) if end.isdecimal() or end == "-"]


# All designs


def test_run_without_names_is_a_line_of_every_design(ok, few_samples):
    lines = ok("run").splitlines()
    assert [cells(line)[0] for line in lines[1 : lines.index("")]] == [design.name for design in all_designs()]
    assert len(lines) <= SCREEN


@pytest.mark.long
def test_run_in_full_without_names_is_every_design_one_after_the_other(ok, few_samples):
    assert ok("run --all") == "\n".join(ok(f"run {design.name} --all") for design in all_designs())


@pytest.mark.long
@pytest.mark.parametrize("columns", [None, 100])
@few_designs
def test_a_design_is_one_screen(ok, terminal, design, columns):
    if columns:
        terminal(columns)
    assert len(ok(f"run {design.name}").splitlines()) <= OF_DESIGN


@pytest.mark.long
def test_the_demo_fits_a_screen(ok):
    lines = ok("demo").splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("design", few_of(COMPARED, lambda design: design.name))
def test_run_compares_every_variant_in_every_question(ok, few_samples, design):
    names = [variant.marked_name for variant in design.variants]
    lines = rows_below(COMPARISON, ok(f"run {design.name} --all"))
    assert len(lines) == len(names) * len(design.patterns)
    for number, pattern in enumerate(design.patterns):
        first, *others = lines[number * len(names) : (number + 1) * len(names)]
        assert pattern.question.startswith(cells(first)[0])
        assert [cells(first)[1], *(cells(line)[0] for line in others)] == names


def test_variants_that_are_named_are_compared_in_the_order_of_the_design(ok, few_samples):
    out = ok("run logs:salted logs:time-first logs:salted --all")
    assert out == ok("run logs:time-first logs:salted --all")
    assert [cells(line)[0] for line in lines_below(WRITTEN, out)] == ["time-first", "salted"]
    assert ok("run logs:salted logs") == ok("run logs")


@few_designs
def test_run_as_json_has_every_question_of_every_variant(ok, few_samples, design):
    (shown,) = json.loads(ok(f"run {design.name} --json"))["designs"]
    assert [variant["name"] for variant in shown["variants"]] == [variant.name for variant in design.variants]
    asked = [
        {"question": pattern.name, "answers": pattern.question, "ask": pattern.words} for pattern in design.patterns
    ]
    for variant_json, variant in zip(shown["variants"], design.variants, strict=True):
        questions = variant_json["questions"]
        assert [{name: question[name] for name in asked[0]} for question in questions] == asked
        assert {*variant_json["busiest_shares"]} <= {table.name for table in variant.record_tables}
        assert min(variant_json["rows_written"], variant_json["bytes_stored"], variant_json["rpcs_to_store"]) > 0
        has_intents = any(holds_intents(table) and table not in variant.unfilled for table in variant.tables)
        assert (variant_json["bytes_of_intents"] > 0) == has_intents
        tables = {table.name for table in variant.tables}
        assert {range_["table"] for question in questions for range_ in question.get("ranges", [])} <= tables


# In a store of the user


@pytest.fixture
def users_store(engine, folder, monkeypatch):
    """A store of the user."""
    with engine.users_store("a.db", running.DEMO_PREFIX) as store:
        monkeypatch.setattr(running, "DEMO_PREFIX", store.demo_prefix)
        yield store


@pytest.fixture
def demo_tables(users_store):
    """Reads the tables of the demo in the store, with the number of their rows."""

    def read():
        with closing(connect(users_store.url, table_prefix=users_store.demo_prefix)) as connection:
            names = connection.tables()
            if len(names) > 1:  # their layouts are recorded as long as there is a table
                names.remove(b"rowbook_layouts")
            return {name.decode(): len(list(connection.table(name).scan())) for name in names}

    return read


def without_rows_read(out):
    """The JSON of a run without the rows read, which HBase does not count."""
    run = json.loads(out)
    for design in run["designs"]:
        for variant in design["variants"]:
            for question in variant["questions"]:
                question.pop("rows_read", None)
    return run


def test_run_on_a_store_of_the_user_prints_the_same_and_changes_no_other_tables(
    ok, few_samples, stored, users_store, demo_tables
):
    ok(f"load orders few-orders.csv --store {users_store.other_url}")
    before = stored(users_store.other_url)
    line = "run orders:oldest-first logs:slices --json"
    output = ok(f"{line} --store {users_store.url}").replace(f"{users_store.demo_prefix}_", "")
    assert without_rows_read(output) == without_rows_read(ok(line))
    assert demo_tables() == {}
    assert stored(users_store.other_url) == before


@pytest.mark.further
def test_run_keeps_the_tables_of_every_variant_if_told_to_and_says_which(ok, few_samples, users_store, demo_tables):
    out = ok(f"run orders tsdb --store {users_store.url} --keep")
    words = f"kept in {users_store.url}: "
    kept_tables = [line.removeprefix(words) for line in out.splitlines() if line.startswith(words)]
    names = [
        list(dict.fromkeys(table.name for variant in design.variants for table in variant.tables)) for design in KEPT
    ]
    assert kept_tables == [
        ", ".join(f"{users_store.demo_prefix}_{name}" for name in design_names) for design_names in names
    ]
    assert sorted(demo_tables()) == sorted(name for design_names in names for name in design_names)
    unfilled = {table.name for design in KEPT for variant in design.variants for table in variant.unfilled}
    assert {name for name, rows in demo_tables().items() if not rows} == unfilled


def test_run_again_on_tables_that_were_kept_shows_the_same_and_drops_them(ok, few_samples, users_store, demo_tables):
    line = f"run orders:orders orders:hashed-number --store {users_store.url}"
    json.loads(ok(f"run orders:orders --store {users_store.url} --json --keep"))  # it prints nothing else
    first, second = ok(f"{line} --keep"), ok(f"{line} --keep")
    assert first == second
    ok(f"run orders:hashed-number --store {users_store.url}")
    assert sorted(demo_tables()) == ["orders", "orders_intents"]
    ok(line)
    assert demo_tables() == {}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, ""),
        pytest.param(InvalidRecord("a row"), 1, "a row\n", marks=pytest.mark.further),
        pytest.param(HBaseError(b"gone\n\tat java"), 1, "the store failed: gone\n", marks=pytest.mark.further),
    ],
)
def test_run_drops_the_tables_of_all_variants_when_one_fails(
    rowbook, few_samples, users_store, demo_tables, monkeypatch, error, code, message
):
    measure = running.measure_variant

    def fail_at_the_third(connection, design, variant):
        if variant.name == "time-first":
            raise error
        return measure(connection, design, variant)

    monkeypatch.setattr(running, "measure_variant", fail_at_the_third)
    assert rowbook(f"run logs --store {users_store.url}")[0::2] == (code, message)
    assert demo_tables() == {}


def test_an_error_of_ours_is_not_hidden(rowbook, monkeypatch):
    monkeypatch.setattr(running, "measure_variant", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        rowbook("run")
