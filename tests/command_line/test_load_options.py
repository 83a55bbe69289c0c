"""`rowbook load`: dates as people write them, values within objects, files that fit another load or none."""

import json
import re
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from domains.command_line.designs import all_designs
from domains.command_line.loading import BAD_LINES_AT_START
from domains.command_line.running import DEMO_PREFIX
from shared.loading import FORMATS
from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server.thrift_server import ThriftServer

ROOT = Path(__file__).parents[2]
POSTS = ROOT / "fixtures" / "feeds" / "posts.csv"
REAL = ROOT.parent / "shared" / "data"
CDC = REAL / "cdc" / "openstates_pr_people_cdc.jsonl"
TERMS = REAL / "profiles" / "congress_terms.csv"
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
STORE = "--store embedded:a.db"


def ask(ok, words):
    return json.loads(ok(f"ask {words} {STORE} --json"))["records"]


# ---- times


@pytest.mark.parametrize(
    ("option", "text", "placed_ms"),
    [
        ("--time-format placed_ms=%m/%d/%Y", "7/4/1996", 836438400000),
        ("--time-format 'placed_ms=%Y.%m.%d %H:%M'", "2009.07.06 18:04", 1246903440000),
        ("--unit placed_ms=s", "1588205198.9", 1588205198900),
    ],
)
def test_dates_and_fractions_are_read_as_the_options_say(ok, folder, option, text, placed_ms):
    (folder / "a.csv").write_text(f"{HEADER}n-1,s-1,b-1,{text},lamp,7\n")
    ok(f"load orders a.csv {option} {STORE}")
    assert [order["placed_ms"] for order in ask(ok, "orders of-seller seller_id=s-1")] == [placed_ms]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("placed=%Y", "Order.placed: no such field (fields: order_number, "),
        ("item=%Y", "Order.item: is not a time, so it has no time format (times: placed_ms)\n"),
        ("placed_ms=%m/%d", "Order.placed_ms: its time format must have a year, %Y or %y (got '%m/%d')\n"),
        ("placed_ms=%Y --unit placed_ms=s", "Order.placed_ms: must have a unit or a time format, not both (got 's')\n"),
        ("placed_ms", "'placed_ms': must be FIELD=FORMAT\n"),
    ],
)
def test_a_time_format_that_does_not_fit_is_wrong_usage(rowbook, folder, option, message):
    (folder / "a.csv").write_text(HEADER)
    code, _out, err = rowbook(f"load orders a.csv --time-format {option} {STORE}")
    assert (code, err[: len(message)]) == (2, message)
    assert not (folder / "a.db").exists()


# ---- values within objects


def test_a_field_is_read_from_within_objects(ok, folder):
    line = {"userIdentity": {"userName": "ada", "session": {"at": "2026-01-12T08:00Z"}}}
    dotted = {"userIdentity.userName": "bob", "userIdentity": {"session": {"at": "2026-01-12T09:00Z"}}}
    (folder / "a.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(dotted)}\n")
    maps = "--map user=userIdentity.userName --map time_ms=userIdentity.session.at"
    ok(f"load counters a.jsonl {maps} {STORE}")
    assert [len(ask(ok, f"counters logins user={user}")) for user in ("ada", "bob", "eve")] == [1, 1, 0]


@pytest.mark.parametrize("value", ['{"b": 1}', '{"b": null}', '{"b": {"x": 1}}', '"b.c"', "null", "[1]"])
def test_a_path_that_an_object_lacks_is_named_with_those_that_it_has(rowbook, folder, value):
    (folder / "a.jsonl").write_text(f'{{"a": {value}, "time_ms": "2026-01-12"}}\n')
    code, _out, err = rowbook(f"load counters a.jsonl --map user=a.b.c {STORE}")
    names = {'{"b": {"x": 1}}': "a.b.x", '{"b": 1}': "a.b", '{"b": null}': "a.b"}.get(value, "a")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"a.jsonl:1: no column a.b.c for Login.user; map a field to one of: {names}, time_ms;")


# ---- files that do not fit


def test_a_file_of_which_no_line_can_be_read_ends_with_one_line_also_if_lines_are_skipped(rowbook, folder):
    (folder / "a.csv").write_text(HEADER + "n-1,s-1,b-1,never,lamp,7\n" * 2 * BAD_LINES_AT_START)
    code, _out, err = rowbook(f"load orders a.csv --on-error skip {STORE}")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("a.csv:2: Order.placed_ms: must be a time such as")
    assert f"; none of its first {BAD_LINES_AT_START} lines can be read; 0 records stored before\n" in err


def test_a_file_whose_lines_can_be_read_after_many_bad_ones_is_loaded(rowbook, folder):
    bad = BAD_LINES_AT_START - 1
    good = "n-1,s-1,b-1,2026-01-12,lamp,7\n"
    (folder / "a.csv").write_text(HEADER + "bad\n" * bad + good + "bad\n" * 2 * bad)
    code, out, err = rowbook(f"load orders a.csv --on-error skip {STORE}")
    assert (code, out) == (0, f"a.csv: csv, 1 record stored, {3 * bad} bad lines skipped\n")
    lines = err.splitlines()
    assert [lines[0].partition(" ")[0], lines[-1].partition(" ")[0]] == ["a.csv:2:", f"a.csv:{3 * bad + 2}:"]
    assert len(lines) == 3 * bad


def test_records_of_another_load_are_recognized(rowbook, folder):
    (folder / "posts.jsonl").write_text('{"author": "ada", "posted_ms": 1, "post_id": 7, "text": "hi"}\n')
    for file in (POSTS, "posts.jsonl"):
        code, _out, err = rowbook(f"load feeds {file} {STORE}")
        assert (code, err.count("\n")) == (1, 1)
        assert "; its first line fits --as posts" in err
    code, _out, err = rowbook(f"load feeds {POSTS} --map text=body {STORE}")
    fields = "fields: reader, author, since_ms"
    assert (code, err) == (2, f"Follow.text: no such field ({fields}); these are fields of --as posts\n")
    code, _out, err = rowbook(f"load feeds {POSTS} --map nothing=body {STORE}")
    assert (code, err) == (2, f"Follow.nothing: no such field ({fields})\n")


def test_no_list_of_formats_seems_to_name_one_twice():
    for design in all_designs():
        for load in design.loads:
            titles = [format.title for format in (*load.formats, *FORMATS)]
            assert len({*", ".join(titles).split(", ")}) == len(titles)


# ---- stores


def test_a_full_store_is_named_with_what_to_do(folder):
    (folder / "a.csv").write_text(HEADER + "".join(f"n-{n},s-1,b-1,2026-01-12,lamp,7\n" for n in range(500)))
    words = [
        sys.executable,
        "-m",
        "domains.command_line",
        *f"load orders {folder}/a.csv --store embedded:{folder}/a.db".split(),
    ]
    limited = ["bash", "-c", f"ulimit -f 300; exec {shlex.join(words)}"]  # blocks of 1,024 bytes
    ended = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True)
    where = f"{folder}/a.db: the disk is full or failed, free some space and try again: "
    assert ended.returncode == 1
    assert re.fullmatch(
        rf"{folder}/a.csv:\d+: the store failed: {where}disk I/O error; \d+ records stored before\n", ended.stderr
    )


def test_run_puts_its_tables_behind_the_prefix_of_the_url_and_drops_no_others(rowbook, folder):
    def ok(line):
        """Without Thrift2, it warns of each table whose tombstones are not kept."""
        code, out, err = rowbook(line)
        assert code == 0
        assert all(
            re.match(r"warning: table \w+: was created without keep_tombstones_ms", of) for of in err.splitlines()
        )
        return out

    with closing(EmbeddedConnection(None)) as store, ThriftServer(store.service) as server:
        url = f"hbase://{server.address}?table_prefix=x"
        ok(f"load orders {ROOT / 'fixtures' / 'orders' / 'orders.csv'} --store '{url}'")
        own = sorted(store.tables())
        out = ok(f"run orders:orders --keep --store '{url}'")
        kept = out.splitlines()[-1]
        assert kept.startswith(f"kept in {url}: x_{DEMO_PREFIX}_orders, ")
        assert {table for table in store.tables() if table not in own} == {
            name.replace(b"x_", f"x_{DEMO_PREFIX}_".encode(), 1) for name in own
        }
        ok(f"run orders:orders --store '{url}'")
        assert sorted(store.tables()) == own
        with closing(connect(url)) as connection:
            assert len([*connection.table("orders").scan()]) == 320


# ---- real files


@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_real_changes_are_read_from_within_their_records(rowbook, ok, folder):
    maps = "host=table event=op time_ms=commit_ts message=after.name severity=after.party"
    options = " ".join(f"--map {words}" for words in maps.split())
    code, out, err = rowbook(f"load logs {CDC} {options} --on-error skip {STORE}")
    changes = [json.loads(line) for line in CDC.read_text().splitlines()]
    whole = [change for change in changes if change["after"] and {"name", "party"} <= change["after"].keys()]
    skipped = len(changes) - len(whole)
    assert code == 0
    assert out.startswith(f"{CDC}: jsonl, {len(whole)} records stored" + (f", {skipped} bad" if skipped else "\n"))
    assert err.count("\n") == skipped


@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_real_dates_are_the_same_by_their_format(ok, folder):
    rows = [line.split(",") for line in TERMS.read_text().splitlines()[1:500]]
    american = [(row[0], "/".join(str(int(part)) for part in (row[6][5:7], row[6][8:], row[6][:4]))) for row in rows]
    (folder / "iso.csv").write_text("user,time_ms\n" + "".join(f"{row[0]},{row[6]}\n" for row in rows))
    (folder / "us.csv").write_text("user,time_ms\n" + "".join(f"{user},{date}\n" for user, date in american))
    ok(f"load counters iso.csv {STORE}")
    ok("load counters us.csv --time-format time_ms=%m/%d/%Y --store embedded:b.db")
    user = rows[0][0]
    first, second = (
        json.loads(ok(f"ask counters logins user={user} --store embedded:{file}.db --json"))["records"] for file in "ab"
    )
    assert first == second != []
