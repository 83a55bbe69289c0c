"""The command line as a user meets it: `list`, help, `explain`, `ddl`, and what the shell completes."""

import json
import shlex
from pathlib import Path

import pytest

from domains.command_line.designs import all_designs
from domains.command_line.key_words import tables_of
from domains.logs.design import DESIGN as LOGS_DESIGN
from domains.orders.design import DESIGN as ORDERS_DESIGN
from shared.loading import FORMATS
from shared.tables import physical_tables

ROOT = Path(__file__).parents[2]
KEY = "73 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77  6e 2d 34 32 00 01"
COMMANDS = ["list", "run", "load", "ask", "explain", "ddl", "recover", "verify", "repair", "erase", "adopt", "serve"]
NAMES = [design.name for design in all_designs()]
VARIANTS = [f"{design.name}:{variant.name}" for design in all_designs() for variant in design.variants]
OTHERS = [f"{design.name}:{variant.name}" for design in all_designs() for variant in design.variants[1:]]
TABLES, RECORD_TABLES = (
    {
        f"{design.name}:{variant.name}": [table.name for table in getattr(variant, tables)]
        for design in all_designs()
        for variant in design.variants
    }
    for tables in ("tables", "record_tables")
)


# list, help


def test_list_shows_each_design_with_its_question_its_variants_and_their_keys(ok):
    lines = ok("list").splitlines()
    assert lines[:9] == [
        f"orders: {ORDERS_DESIGN.question}",
        "  orders           orders                   [order_number]",
        "                   orders_by_seller         [seller_id][placed_ms descending][order_number]",
        "                   orders_by_buyer          [buyer_id][placed_ms descending][order_number]",
        "                   orders_by_status         [seller_id][status][placed_ms descending][order_number]",
        "  oldest-first     orders                   [order_number]",
        "                   orders_by_seller_oldest  [seller_id][placed_ms][order_number]",
        "                   orders_by_buyer_oldest   [buyer_id][placed_ms][order_number]",
        "                   orders_by_status         [seller_id][status][placed_ms descending][order_number]",
    ]
    assert "  salted            logs_salted      [1 of 8 buckets of host][time_ms][host][event][tie]" in lines
    not_to_copy = [variant for design in all_designs() for variant in design.variants if not variant.is_to_copy]
    assert len(lines) == len(NAMES) + sum(map(len, RECORD_TABLES.values())) + len(not_to_copy)


def test_list_as_json_has_every_part_of_every_table(ok):
    designs = json.loads(ok("list --json"))["designs"]
    assert [design["name"] for design in designs] == NAMES
    assert {
        f"{design['name']}:{variant['name']}": [table["name"] for table in variant["tables"]]
        for design in designs
        for variant in design["variants"]
    } == RECORD_TABLES
    logs = designs[NAMES.index("logs")]
    assert logs["question"] == LOGS_DESIGN.question
    (salted,) = (variant for variant in logs["variants"] if variant["name"] == "salted")
    assert salted["differs"] == "bucket of the host, then time"
    (table,) = salted["tables"]
    assert table["holds"] == "one event"
    assert table["prefixes"] == ["Salt(of='host', buckets=8)"]
    assert table["parts"][0] == {
        "name": "time_ms",
        "format": "Int64",
        "meaning": "when, milliseconds since 1970 UTC",
    }


@pytest.mark.parametrize("line", ["", "--help"])
def test_help_names_the_commands(ok, line):
    out = ok(line)
    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []


def test_the_format_option_knows_every_format_of_every_design(ok):
    out = " ".join(ok("load --help").split())
    own = dict.fromkeys(format.name for design in all_designs() for load in design.loads for format in load.formats)
    assert ", ".join(["auto", *(format.name for format in FORMATS), *own]) in out
    assert {"combined", "log4j"} <= {*own}


# explain


def test_explain_shows_every_key_whose_parts_are_given_and_what_the_others_need(ok):
    assert (
        ok("explain orders:orders order_number=n-42 seller_id=s-17 placed=2020-02-06T08:08:37Z")
        == """\
orders: [order_number]
  row    order_number
         n-42
         6e 2d 34 32
  hex    6e2d3432

orders_by_seller: [seller_id][placed_ms descending][order_number]
  row    seller_id          placed_ms                 order_number
         s-17               2020-02-06T08:08:37.000Z  n-42
         73 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77   6e 2d 34 32 00 01
  hex    732d313700017ffffe8fe674d0776e2d34320001

orders_by_buyer: [buyer_id][placed_ms descending][order_number]
  needs buyer_id=
orders_by_status: [seller_id][status][placed_ms descending][order_number]
  needs status=
"""
    )


def test_explain_shows_a_prefix_that_is_computed_from_the_fields(ok):
    assert (
        ok("explain logs:salted host=web-1 event=GET time=2026-01-12T08:40Z tie=0011223344556677")
        == """\
logs_salted: [1 of 8 buckets of host][time_ms][host][event][tie]
  row    Salt  time_ms                   host                  event
               2026-01-12T08:40:00.000Z  web-1                 GET
         05    80 00 01 9b b1 5c af 00   77 65 62 2d 31 00 01  47 45 54 00 01
         tie
         00 11 22 33 44 55 66 77
         00 11 22 33 44 55 66 77
  hex    058000019bb15caf007765622d31000147455400010011223344556677

"""
    )


def test_explain_takes_the_tie_of_an_event_from_its_other_fields(ok, stored, folder, new_url):
    url = new_url()
    (folder / "a.jsonl").write_text('{"host": "web-1", "event": "GET", "time_ms": 7, "message": "/"}\n')
    ok(f"load logs:salted a.jsonl --store {url}")
    ((row, _cells),) = stored(url)["logs_salted"]
    assert f"  hex    {row.hex()}\n" in ok("explain logs:salted host=web-1 event=GET time=7 message=/")
    assert f"  hex    {row.hex()}\n" not in ok("explain logs:salted host=web-1 event=GET time=7 message=/cart")


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_explain_of_a_design_shows_the_tables_of_every_variant_each_once(ok, design):
    golden = json.loads((ROOT / "fixtures" / design.name / "keys.json").read_text(encoding="utf-8"))
    values = {}
    for table in tables_of(design.variants):
        values |= golden[table.name][0]["key"]
        if not {*table.key.part_named} <= values.keys():  # its golden keys are those of the table's other layout
            values |= dict.fromkeys(table.key.part_named, "web-1")
    words = shlex.join(f"{name}={value}" for name, value in values.items())
    explained = json.loads(ok(f"explain {design.name} {words} --json"))
    assert [key["table"] for key in explained["keys"]] == [table.name for table in tables_of(design.variants)]
    assert explained["others"] == []


@pytest.mark.parametrize("key", [KEY, KEY.replace(" ", ""), KEY.upper()])
def test_explain_goes_back_from_hex_with_or_without_blanks(ok, key):
    out = ok(f"explain orders:orders --key '{key}'")
    assert "         s-17               2020-02-06T08:08:37.000Z  n-42\n" in out
    assert "\norders_by_buyer: [buyer_id]" in out
    assert "OrderByNumber.order_number: must be UTF-8" in out


def test_explain_as_json_has_bytes_and_values(ok):
    explained = json.loads(ok("explain orders:orders seller_id=s-17 placed_ms=0 order_number=n-42 --json"))
    _number, seller = explained["keys"]
    assert seller["parts"][1] == {"name": "placed_ms", "bytes": "7fffffffffffffff", "value": 0}
    assert explained["others"] == [
        {"table": "orders_by_buyer", "reason": "needs buyer_id="},
        {"table": "orders_by_status", "reason": "needs status="},
    ]
    back = json.loads(ok(f"explain orders --key {seller['row']} --json"))
    assert seller in back["keys"]


def test_a_key_of_one_variant_is_explained_beside_the_reasons_of_the_others(ok):
    salted = "058000019bb15caf007765622d31000147455400010011223344556677"
    explained = json.loads(ok(f"explain logs --key {salted} --json"))
    (key,) = (key for key in explained["keys"] if key["table"] == "logs_salted")
    assert key["parts"][0] == {"name": "Salt", "bytes": "05", "value": None}
    assert key["parts"][-1] == {"name": "tie", "bytes": "0011223344556677", "value": "0011223344556677"}
    reasons = {entry["table"]: entry["reason"] for entry in explained["others"]}
    assert reasons["logs_host_first"].startswith("LogHostFirst.")
    assert {*reasons, *(entry["table"] for entry in explained["keys"])} == {
        table.name for table in tables_of(LOGS_DESIGN.variants)
    }


def test_a_key_that_no_table_has_says_why_for_each(rowbook):
    code, out, err = rowbook("explain orders --key ff")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert all(f"{table.name}: " in err for table in tables_of(ORDERS_DESIGN.variants))


# ddl


def test_ddl_cuts_a_table_at_the_buckets_of_its_salt(ok):
    assert (
        ok("ddl logs:salted") == r"""# 8 buckets of Salt(of='host', buckets=8): one region each
create 'logs_salted', {NAME => 'l', VERSIONS => 1, BLOOMFILTER => 'ROW'}, SPLITS => ['\x01', '\x02', '\x03', """
        r"""'\x04', '\x05', '\x06', '\x07']
"""
    )


def test_ddl_of_a_design_is_that_of_its_first_variant(ok):
    assert ok("ddl orders") == ok("ddl orders:orders")
    lines = ok("ddl orders").splitlines()
    assert [line.partition(",")[0] for line in lines if line[0] != "#"] == [
        "create 'orders'",
        "create 'orders_by_seller'",
        "create 'orders_by_buyer'",
        "create 'orders_by_status'",
        "create 'orders_intents'",
    ]
    assert all("SPLITS" not in line for line in lines)
    assert lines[0].startswith("# rows start with order_number (TrailingText), and the layout does not say ")


@pytest.mark.parametrize("name", VARIANTS)
def test_ddl_as_json_has_the_families_the_points_and_the_reason_of_every_table(ok, name):
    tables = json.loads(ok(f"ddl {name} --json"))["tables"]
    (variant,) = (
        variant for design in all_designs() for variant in design.variants if name == f"{design.name}:{variant.name}"
    )
    declared = physical_tables(variant.tables)
    assert [table["name"] for table in tables] == [design.name for design in declared]
    for table, design in zip(tables, declared, strict=True):
        assert table["families"] == {
            family: {
                "max_versions": 1,
                "ttl_seconds": None,
                "bloom": "ROW",
                "compression": "NONE",
                "block_size_bytes": 65536,
                "keep_tombstones_ms": options.keep_tombstones_ms,
            }
            for family, options in design.families.items()
        }
        points = design.splits
        assert [bytes.fromhex(point) for point in table["splits"]] == [*points.points]
        assert table["reason"] == points.reason
        assert f"# {points.reason}\ncreate '{design.name}', " in ok(f"ddl {name}")


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("logs:salted --splits 1", [["04"]]),
        ("logs:salted --splits 7", [["01", "02", "03", "04", "05", "06", "07"]]),
        ("logs:modulo --splits 3", [["02", "04", "06"]]),
        ("logs:random --splits 3", [["40", "80", "c0"]]),
        ("orders:hashed-number --splits 3", [["40", "80", "c0"], [], [], [], []]),
    ],
)
def test_splits_asks_for_a_number_of_points_where_the_layout_can_tell_them(ok, line, points):
    assert [table["splits"] for table in json.loads(ok(f"ddl {line} --json"))["tables"]] == points


def test_the_most_points_that_can_be_asked_for_are_all_different(ok):
    hashed, *_lists = json.loads(ok("ddl orders:hashed-number --splits 1023 --json"))["tables"]
    assert len({*hashed["splits"]}) == 1023
    text = ok("ddl orders:hashed-number --splits 1023")
    assert text.count(r"'\x") == 1023
    assert max(map(len, text.partition("\n]\n")[0].splitlines()[1:])) <= 100


# What the shell completes


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["rowbook", ""], COMMANDS),
        (["rowbook", "ask", ""], [*NAMES, *OTHERS]),
        (["rowbook", "ask", "l"], [name for name in (*NAMES, *OTHERS) if name.startswith("logs")]),
        (["rowbook", "ask", "logs:s"], ["logs:salted", "logs:slices"]),
        (["rowbook", "ddl", "orders:"], [name for name in OTHERS if name.startswith("orders:")]),
        (["rowbook", "load", "logs:time"], ["logs:time-first"]),
        (["rowbook", "explain", "orders:i"], ["orders:index-table"]),
        (["rowbook", "run", "logs", "orders:o"], ["orders:oldest-first"]),
        (["rowbook", "ask", "orders", "of-"], ["of-seller", "of-buyer"]),
        (["rowbook", "ask", "orders:oldest-first", "of-"], ["of-seller", "of-buyer"]),
        (["rowbook", "ask", "logs:salted", ""], ["host-events", "latest", "window", "hosts-like", "of-severity"]),
        (["rowbook", "ask", "trains", ""], []),
        (["rowbook", "load", "logs", "a.log", "--on-error", ""], ["stop", "skip"]),
    ],
    ids=" ".join,
)
def test_the_shell_completes_commands_designs_variants_and_questions(rowbook, monkeypatch, words, found):
    monkeypatch.setenv("_ROWBOOK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    code, out, _err = rowbook("")
    assert (code, out.split()) == (0, found)
