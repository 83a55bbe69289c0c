"""`rowbook run`: rows, costs, the variants side by side, published mistakes; in memory and in a store of the user."""

import json
import sys
from contextlib import closing
from functools import partial

import attrs
import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains.command_line import running
from domains.command_line.designs import all_designs
from domains.command_line.main import main
from domains.logs.design import DESIGN as LOGS_DESIGN
from domains.orders.design import DESIGN as ORDERS_DESIGN
from shared.stores import connect
from shared.tables import COUNTER, InvalidRecord, RecordCells
from shared.writes import holds_intents

COSTS = "\nWhat each question costs\n"
COMPARISON = "\nWhat each question costs in each variant\n"
WRITTEN = "\nWhat each variant writes\n"
SPREAD = "\nWhat each table's busiest range takes of its newest rows; an even spread is 12.5%\n"
REFUSED = "\nWhat is refused, and why\n"


def cells(line):
    """The cells of a plain table's line that are not empty."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def has_counters(variant):
    """Whether HBase dates the cells of a variant anew with every increment, so that none is older than others."""
    return any(
        column.packing is COUNTER
        for table in variant.tables
        if isinstance(table.cells, RecordCells)
        for column in table.cells.attributes.values()
    )


def tells_time(design, table):
    """Whether the records of a table, or the timestamps of its cells, say from when they are."""
    return design.time is None or design.time in attrs.fields_dict(table.cells.record)


def lines_below(title, out):
    """The lines of a plain table, without its header."""
    return out.partition(f"{title}")[2].partition("\n\n")[0].splitlines()[1:]


def rows_below(title, out):
    """The lines that begin a row of a plain table: numbers are never broken, so a line without any continues one."""
    return [line for line in lines_below(title, out) if cells(line)[-1].isdecimal() or cells(line)[-1] == "-"]


# Rows and costs


def test_run_shows_rows_of_every_table_and_what_each_question_costs(in_memory):
    out = in_memory("run orders:orders")
    assert "\ntable orders_by_seller: one line of a seller's list\n" in out
    assert (
        """
  row    seller_id  placed_ms                 order_number
         1          2026-01-28T09:49:47.280Z  n-316
         31 00 01   7f ff fe 63 fb fd ac 6f   6e 2d 33 31 36 00 01
  cells  item  amount  status
         茶    1250    paid
         o:i   o:a     o:st
"""
        in out
    )
    lines = lines_below(COSTS, out)
    assert [cells(line)[0] for line in lines] == [pattern.question for pattern in ORDERS_DESIGN.patterns]
    assert cells(lines[1])[1:] == ["1 range", "1", "3", "11", "10", "526"]
    commands = "".join(f"rowbook ask orders {pattern.words}\n" for pattern in ORDERS_DESIGN.patterns)
    assert f"\n\n{commands}\n" in out


@pytest.mark.parametrize("name", ["logs:salted", "orders:oldest-first"])
def test_the_costs_name_the_command_that_asks_the_variant(in_memory, name):
    design = name.partition(":")[0]
    out = in_memory(f"run {name}")
    assert f"\nrowbook ask {name} " in out
    assert f"\nrowbook ask {design} " not in out
    assert out.startswith(f"{design}: ")


def test_a_question_that_a_variant_refuses_is_said_to_be(in_memory):
    line, below = (line for line in in_memory("run logs:logs").splitlines() if line.startswith("all hosts, ten"))
    assert below == "all hosts, ten minutes: refused"
    assert cells(line)[1:] == ["refused", *["-"] * 5]


def test_run_shows_the_ranges_of_each_question(in_memory):
    below = in_memory("run orders").partition("\nThe rows that each question reads\n")[2].partition("\n\n")[0]
    assert (
        below
        == """an order by its number
  orders  order_number n-42
a seller's latest orders
  orders_by_seller  seller_id s-17
a seller's orders of one week
  orders_by_seller  seller_id s-17, placed_ms 2026-01-12T00:00:00.000Z up to 2026-01-19T00:00:00.000Z
a seller's orders of one status
  orders_by_status  seller_id s-17, status cancelled
  orders            order_number n-311
  orders            order_number n-312
  orders            order_number n-99
  orders            order_number n-60
  orders            order_number n-56
  orders            order_number n-0
a buyer's latest orders
  orders_by_buyer  buyer_id b-1
all orders of one status
  orders_by_seller  all rows
  orders            order_number n-25
  orders            order_number n-118
  orders            order_number n-79
  orders            order_number n-287
  orders            order_number n-95
  orders            order_number n-155
  orders            order_number n-253
  and 10 ranges more, which --json shows
  then server filter on status
orders whose numbers begin alike
  orders  order_number starting with n-31"""
    )


def test_run_shows_eight_ranges_and_how_many_more(in_memory):
    out = in_memory("run logs:random")
    below = out.partition("\nThe rows that each question reads\n")[2].splitlines()
    assert out.count("question reads") == 1
    assert sum(line.endswith(": refused") for line in below) == len(LOGS_DESIGN.patterns)
    below = in_memory("run orders:index-table").partition("\nThe rows that each question reads\n")[2].splitlines()
    start = below.index("all orders of one status")
    assert len([line for line in below[start + 1 : start + 9] if line.startswith("  orders")]) == 8
    assert below[start + 9] == "  and 10 ranges more, which --json shows"


def test_run_without_names_is_every_design_and_a_name_twice_is_once(ok, few_samples):
    assert ok("run") == "".join(ok(f"run {design.name}") for design in all_designs())
    assert ok("run logs:slices logs:slices") == ok("run logs:slices")


# Variants side by side


@pytest.mark.parametrize("columns", [None, 70, 80, 100, 200])
@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_tables_without_a_terminal_are_no_wider_than_a_line_and_break_no_word(
    ok, few_samples, monkeypatch, design, columns
):
    if columns:
        monkeypatch.setenv("COLUMNS", str(columns))
    out = ok(f"run {design.name}")
    for title in (COSTS, COMPARISON, WRITTEN, SPREAD):
        # Names of tables stay whole, and the numbers beside them leave no more for words.
        assert max(map(len, lines_below(title, out))) <= max(columns or 100, 85 if title == SPREAD else 0)
    words = " ".join(
        [pattern.question for pattern in design.patterns]
        + [f"{variant.name} {variant.differs}" for variant in design.variants]
    )
    assert {*words.split()} <= {*out.split()}


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_run_compares_every_variant_in_every_question(in_memory, design):
    names = [variant.marked_name for variant in design.variants]
    lines = rows_below(COMPARISON, in_memory(f"run {design.name}"))
    assert len(lines) == len(names) * len(design.patterns)
    for number, pattern in enumerate(design.patterns):
        first, *others = lines[number * len(names) : (number + 1) * len(names)]
        assert pattern.question.startswith(cells(first)[0])
        assert [cells(first)[1], *(cells(line)[0] for line in others)] == names


def test_the_comparison_has_the_figures_that_each_variant_shows_alone(in_memory):
    lines = rows_below(COMPARISON, in_memory("run logs"))
    assert cells(lines[0])[1:] == ["logs", "1 range", "1", "4", "33"]
    assert cells(lines[4]) == ["salted", "1.8x, filtered", "1", "4", "61"]
    assert cells(lines[6]) == ["random (mistake)", "refused", "-", "-", "-"]
    alone, _below = (line for line in in_memory("run logs:salted").splitlines() if line.startswith("one kind of"))
    assert cells(alone)[1:6] == ["1.8x, filtered", "1", "4", "61", "33"]


def test_what_each_variant_writes_is_told_once_with_what_differs(in_memory):
    out = in_memory("run logs")
    written = lines_below(WRITTEN, out)[: len(LOGS_DESIGN.variants)]
    assert [cells(line)[0] for line in written] == [variant.marked_name for variant in LOGS_DESIGN.variants]
    assert [cells(line)[-1] for line in written] == [variant.differs for variant in LOGS_DESIGN.variants]
    assert cells(written[2])[1:3] == ["1", "116"]


def test_where_the_newest_rows_go_is_told_of_every_table_of_every_variant(in_memory):
    lines = lines_below(SPREAD, in_memory("run orders"))
    assert len(lines) == sum(len(variant.record_tables) for variant in ORDERS_DESIGN.variants)
    assert [cells(line) for line in lines[:4]] == [
        ["orders", "orders", "30", "100%"],
        ["orders_by_seller", "30", "43%"],
        ["orders_by_buyer", "30", "23%"],
        ["orders_by_status", "30", "23%"],
    ]


def test_a_refusal_has_the_planners_reason(in_memory):
    out = in_memory("run logs")
    first, *_others, last = out.partition(REFUSED)[2].partition("\n\n")[0].splitlines()
    assert first == (
        'logs and host-first refuse "all hosts, ten minutes": '
        "time_ms: needs a value for host and event, which come earlier in the row key"
    )
    assert last.startswith("random refuses every other question: host: needs a value for random_bucket")


def test_variants_that_are_named_are_compared_in_the_order_of_the_design(ok, few_samples):
    out = ok("run logs:salted logs:time-first")
    assert out == ok("run logs:time-first logs:salted")
    assert [cells(line)[0] for line in lines_below(WRITTEN, out)] == ["time-first", "salted"]
    assert ok("run logs:salted logs") == ok("run logs")


def test_one_variant_alone_is_compared_with_nothing(in_memory):
    out = in_memory("run logs:salted")
    assert COMPARISON not in out
    assert "trap:" not in out


def test_published_mistakes_are_shown_with_what_they_give(in_memory):
    out = in_memory("run logs")
    assert [line for line in out.splitlines() if line.startswith("trap: ")] == [
        f"trap: {trap.name}: {trap.published_as}" for trap in LOGS_DESIGN.traps
    ]
    assert (
        """
trap: prefix without a terminator: scan with the name as prefix
  asked for  the 49 events of host1
  gives      137 rows, 88 of them of host12, host123
  right way  49 rows, of host1
"""
        in out
    )


# JSON


def test_run_as_json_is_one_object_with_every_question_of_every_variant(ok, few_samples):
    designs = json.loads(ok("run --json"))["designs"]
    assert [design["name"] for design in designs] == [design.name for design in all_designs()]
    for design_json, design in zip(designs, all_designs(), strict=True):
        assert [variant["name"] for variant in design_json["variants"]] == [variant.name for variant in design.variants]
        for variant_json, variant in zip(design_json["variants"], design.variants, strict=True):
            questions = variant_json["questions"]
            assert [question["question"] for question in questions] == [pattern.name for pattern in design.patterns]
            assert [question["answers"] for question in questions] == [pattern.question for pattern in design.patterns]
            assert [question["ask"] for question in questions] == [pattern.words for pattern in design.patterns]
            assert len(variant_json["busiest_shares"]) == len({table.name for table in variant.record_tables})
            assert all(0 <= share <= 1 for share in variant_json["busiest_shares"])
            is_known = partial(tells_time, design)
            unknown = {
                table.name for table in variant.record_tables if table in variant.unfilled or not is_known(table)
            }
            assert variant_json["busiest_shares"].count(0) == len(unknown) or has_counters(variant)
            assert variant_json["rows_written"] > 0
            assert variant_json["bytes_stored"] > 1
            assert variant_json["rpcs_to_store"] > 0
            has_intents = any(holds_intents(table) and table not in variant.unfilled for table in variant.tables)
            assert (variant_json["bytes_of_intents"] > 0) == has_intents
            tables = {table.name for table in variant.tables}
            assert {range_["table"] for question in questions for range_ in question.get("ranges", [])} <= tables


def test_run_as_json_has_ranges_in_hex_and_the_reason_of_a_refusal(in_memory):
    (logs,) = json.loads(in_memory("run logs:slices logs:salted --json"))["designs"]
    salted, slices = logs["variants"]
    assert salted["questions"][0] == {
        "question": "host-events",
        "answers": "one kind of a host's events, ten minutes",
        "ask": "host-events host=web-1 event=GET since=2026-01-12T08:40:00.000Z until=2026-01-12T08:50:00.000Z",
        "is_wrong": False,
        "left_to_the_client": ["event", "host"],
        "left_to_a_filter": [],
        "ranges": [{"table": "logs_salted", "from": "058000019bb15caf00", "up_to": "058000019bb165d6c0"}],
        "rpcs": 4,
        "rows_read": 61,
        "rows_returned": 33,
        "bytes_fetched": 3122,
    }
    refused = slices["questions"][1]
    assert [*refused] == ["question", "answers", "ask", "refused"]
    assert refused["refused"].startswith("LogInSlices.time_ms: needs a value or an interval with both ends")


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


def test_run_on_a_store_in_a_file_prints_the_same(ok, few_samples, stored):
    line = "run orders logs:salted logs:slices"
    assert ok(line) == ok(f"{line} --store embedded:a.db")


def test_run_keeps_the_tables_of_every_variant_if_told_to_and_says_which(ok, few_samples, users_store, demo_tables):
    out = ok(f"run --store {users_store.url} --keep")
    words = f"kept in {users_store.url}: "
    kept_tables = [line.removeprefix(words) for line in out.splitlines() if line.startswith(words)]
    names = [
        list(dict.fromkeys(table.name for variant in design.variants for table in variant.tables))
        for design in all_designs()
    ]
    assert kept_tables == [
        ", ".join(f"{users_store.demo_prefix}_{name}" for name in design_names) for design_names in names
    ]
    assert sorted(demo_tables()) == sorted(name for design_names in names for name in design_names)
    unfilled = {table.name for design in all_designs() for variant in design.variants for table in variant.unfilled}
    assert {name for name, rows in demo_tables().items() if not rows} == unfilled


def test_run_again_on_tables_that_were_kept_shows_the_same_and_drops_them(ok, few_samples, users_store, demo_tables):
    line = f"run orders:orders orders:hashed-number --store {users_store.url}"
    first, second = ok(f"{line} --keep"), ok(f"{line} --keep")
    assert first == second
    ok(f"run orders:hashed-number --store {users_store.url}")
    assert [*demo_tables()] == ["orders"]
    ok(line)
    assert demo_tables() == {}


def test_run_of_one_variant_keeps_its_tables_only(ok, few_samples, users_store, demo_tables):
    out = ok(f"run orders:oldest-first --store {users_store.url} --keep --plain")
    assert [*demo_tables()] == [
        "orders",
        "orders_by_buyer_oldest",
        "orders_by_seller_oldest",
        "orders_by_status",
        "orders_intents",
    ]
    assert out.splitlines()[-1].startswith(f"kept in {users_store.url}: {users_store.demo_prefix}_orders, ")


def test_run_as_json_prints_nothing_else_even_if_it_keeps_the_tables(ok, few_samples, users_store, demo_tables):
    designs = json.loads(ok(f"run logs:salted --json --store {users_store.url} --keep"))["designs"]
    (table,) = {range_["table"] for question in designs[0]["variants"][0]["questions"] for range_ in question["ranges"]}
    assert [table] == [f"{users_store.demo_prefix}_{name}" for name in demo_tables()]


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (InvalidRecord("a row"), 1), (HBaseError(b"gone\n\tat java"), 1)]
)
def test_run_drops_its_tables_also_when_it_fails(rowbook, users_store, demo_tables, monkeypatch, error, code):
    def fail(*_):
        raise error

    monkeypatch.setattr(running, "measure_variant", fail)
    ended, _out, err = rowbook(f"run logs --store {users_store.url}")
    assert (ended, err.count("\n")) == (code, 0 if code == 130 else 1)
    assert demo_tables() == {}


def test_run_drops_the_tables_of_the_variants_before_the_one_that_fails(
    rowbook, few_samples, users_store, demo_tables, monkeypatch
):
    measure = running.measure_variant

    def fail_at_the_third(connection, design, variant):
        if variant.name == "time-first":
            raise InvalidRecord("a row")
        return measure(connection, design, variant)

    monkeypatch.setattr(running, "measure_variant", fail_at_the_third)
    assert rowbook(f"run logs --store {users_store.url}")[0::2] == (1, "a row\n")
    assert demo_tables() == {}


def test_an_error_of_ours_is_not_hidden(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(running, "measure_variant", fail)
    monkeypatch.setattr(sys, "argv", ["rowbook", "run"])
    with pytest.raises(ZeroDivisionError):
        main()
