"""What `rowbook load` says of lines and records of which no row remains: replaced, expired, ignored."""

import json
import os
import time
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import attrs
import pytest

from shared.command_line.files import load_report, stored_keys
from shared.command_line.files.stored_keys import key_function
from shared.command_line.named import designs
from shared.designs import AccessPattern, Design, Load, Variant
from shared.intents import UnknownOutcome
from shared.keys import EscapedText, Int64, KeyLayout, part, row_key
from shared.queries import Query
from shared.records import integer, text
from shared.stores import connect
from shared.tables import BoundTable, Column, Family, RecordCells, TableLayout
from shared.writes import CLOCK, ClockSkew, put_all, store_all
from tests.designs import all_designs, full_name
from tests.few_designs import FEW
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

POINTS = "host,metric,time_ms,value\n"
TWO = f"{POINTS}web-1,cpu,2026-10-25T00:30Z,1\nweb-1,cpu,2026-10-25T00:30Z,2\n"
"""Two points of one millisecond: of an hour that summer time repeats, written without its zone."""
ADDED = ["counters:increment", "counters:sharded", "logs:random", "changes:published", "links clicks"]
"""Variants, or a load, in which a record has no key that another record could have, or none that its fields tell."""
CUT = ["profiles:one-cell", "profiles:versions", "profiles:slots"]
"""Variants that keep only the newest orders of a user."""
LOG = "Jan  5 08:07:31 web-1 cron[7]: ran\nJan  5 08:07:32 web-1 no process\n\n"
PAM = "Jan  5 08:07:33 web-1 su(pam_unix)[1597]: session opened for user cyrus by (uid=0)\n"
ACCEPTED = "Jan  5 08:07:34 web-1 sshd[9]: Accepted password for ada from 203.0.113.9 port 1 ssh2\n"


@pytest.fixture
def counts(rowbook):
    """Loads with `--json`; returns the exit code, what stderr says, and what is said of each file."""

    def load(line):
        code, out, err = rowbook(f"load {line} --json")
        return code, err, json.loads(out)["files"] if out else []

    return load


# Replaced records


def test_a_record_that_a_later_line_replaces_is_counted(ok, counts, folder, new_url):
    (folder / "a.csv").write_text(TWO)
    url = new_url()
    out = ok(f"load monitoring a.csv --store {url}")
    assert out == "a.csv: csv, 2 records stored, 1 of them replaced by later ones\n"
    assert ok(f"count monitoring points --store {url}") == "points: 1 record\n"
    code, err, (first, second) = counts(f"monitoring a.csv a.csv --store {url}")
    assert (code, err) == (0, "")
    assert (first["stored"], first["replaced"], first["replaced_is_exact"]) == (2, 1, True)
    assert (second["stored"], second["replaced"], second["lines"], second["ignored"]) == (2, 2, 3, 0)


def test_also_if_they_come_one_by_one_or_the_load_fails(rowbook, ok, folder, monkeypatch):
    (folder / "a.csv").write_text(f"{TWO}web-1,cpu,never,3\n")
    code, _out, err = rowbook("load monitoring a.csv --store embedded:a.db")
    assert code == 1
    assert err.endswith("; 2 records stored before, 1 of them replaced by later ones\n")
    code, out, _err = rowbook("load monitoring a.csv --store embedded:a.db --on-error skip")
    assert (code, out) == (0, "a.csv: csv, 2 records stored, 1 of them replaced by later ones, 1 bad line skipped\n")


def test_beyond_a_number_of_keys_the_count_is_a_lower_bound_and_says_so(ok, counts, folder, monkeypatch):
    for module in (stored_keys, load_report):
        monkeypatch.setattr(module, "MAX_KEYS", 2)
    times = (1, 2, 3, 1, 3)
    (folder / "a.csv").write_text(POINTS + "".join(f"web-1,cpu,2026-10-25T00:30:0{time}Z,1\n" for time in times))
    out = ok("load monitoring a.csv --store embedded:a.db")
    assert out == "a.csv: csv, 5 records stored, 1 of them replaced by later ones among the first 2\n"
    (file,) = counts("monitoring a.csv --store embedded:a.db")[2]
    assert (file["replaced"], file["replaced_is_exact"]) == (1, False)


def test_processes_compare_the_keys_of_their_files(counts, folder):
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(TWO)
    with both_gateways() as (connection, _store):
        url = f"hbase://127.0.0.1:{connection.port}?thrift2_port={connection.thrift2_port}"
        code, err, files = counts(f"monitoring a.csv b.csv a.csv --store {url} --jobs 2")
    assert (code, err) == (0, "")
    assert [file["stored"] for file in files] == [2, 2, 2]
    assert sum(file["replaced"] for file in files) == 5


@pytest.mark.parametrize(
    ("design", "variant", "load"),
    [
        pytest.param(
            *(design, variant, load),
            id=f"{full_name(design, variant)} {load.name}",
            marks=[] if variant is design.main and design.name in FEW else pytest.mark.long,
        )
        for design in all_designs()
        for variant in design.variants
        for load in design.loads
    ],
)
def test_the_records_that_a_table_has_are_those_stored_less_those_replaced(
    counts, folder, cut_designs, design, variant, load
):
    name = full_name(design, variant)
    if {name, f"{name} {load.name}"} & {*ADDED}:
        assert key_function(load, variant) is None
        return
    (samples,) = (cut.samples for cut in cut_designs[design.name].loads if cut.name == load.name)
    code, _err, (first, second) = counts(f"{name} {samples} {samples} --as {load.name} --store embedded:a.db")
    assert code == 0
    assert second["replaced"] == second["stored"] == first["stored"]
    if (load.name == "orders" and name in CUT) or name == "reservations":  # whose bookings are within rooms
        return
    named = load.record.__name__  # StoredPost holds a Post
    table = next(table for table in variant.record_tables if table.cells.record.__name__.endswith(named))
    with closing(connect("embedded:a.db")) as connection:
        rows = BoundTable(connection, table).rows.scan(columns=table.cells.columns)
        held = sum(len(table.records(row, cells)) for row, cells in rows)
    copies = 21 if design.name == "messages" else 0  # of messages to the members of groups
    assert held == first["stored"] - first["replaced"] + copies


# Ignored lines, and files of which nothing is stored


def test_lines_that_a_format_ignores_are_counted(ok, counts, folder):
    (folder / "auth.log").write_text(LOG + PAM)
    out = ok("load activity auth.log --year 2026 --store embedded:a.db")
    assert out == "auth.log: auth, 1 record stored, 2 of 4 lines ignored\n"
    (file,) = counts("activity auth.log --year 2026 --store embedded:a.db")[2]
    assert (file["lines"], file["ignored"], file["stored"], file["skipped"]) == (4, 2, 1, 0)


ORDERS = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"


@pytest.mark.parametrize(
    ("name", "text", "record", "expected"),
    [
        ("activity --year 2026", LOG, PAM, "lines in which sshd, sudo or PAM names a user, such as `session opened"),
        ("counters --year 2026", LOG + PAM, ACCEPTED, "lines of sshd that start with Accepted; --format sshd-failed"),
        ("orders", ORDERS, "n-1,s-1,b-1,2026-01-01,lamp,7\n", "records in the format CSV"),
        ("tsdb", "# HELP load\n", 'load{host="a"} 1 1356998400000\n', "records in the format Prometheus text"),
    ],
)
def test_a_file_of_which_no_line_became_a_record_fails_after_all_files(rowbook, folder, name, text, record, expected):
    (folder / "none").write_text(text)
    (folder / "good").write_text(text + record)
    code, out, err = rowbook(f"load {name} none good --store embedded:a.db")
    assert code == 1
    assert " 0 records stored" in out.splitlines()[0]
    assert " 1 record stored" in out.splitlines()[1]
    assert err.startswith(f"none: no line became a record; expected {expected}")
    assert err.count("\n") == 1


# Expired records

DAY_S = 86_400


@contextmanager
def pipe(name):
    """The name of a pipe with the text of a file: its records are stored one by one."""
    reading, writing = os.pipe()
    with open(reading), open(writing, "w") as end:
        end.write(Path(name).read_text())
        end.close()
        yield f"/dev/fd/{reading}"


@attrs.frozen
class Event:
    host: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0))
    a: str = "a"
    b: str = "b"


@row_key
class EventOfHost:
    host: str = part(EscapedText, "the host")
    time_ms: int = part(Int64, "milliseconds since 1970")


class Events:
    """Events in one table, three in a call."""

    def __init__(self, connection, *, tables):
        self._events = BoundTable(connection, tables[0])

    def store(self, event):
        put_all([event], self._events)

    def store_all(self, events):
        return store_all(events, lambda batch: put_all(batch, self._events), at_once=3)

    def of_host(self, host):
        return Query(self._events, self._events.plan(host=host))


@pytest.fixture
def day(folder, monkeypatch):
    """Makes events live for a day, and those of one family for `other_s`; writes their file, some already expired."""

    def make(other_s, ages_h):
        families = {"t": Family(ttl_seconds=DAY_S), "u": Family(ttl_seconds=other_s)}
        cells = RecordCells(Event, {"a": Column("t:a"), "b": Column("u:b")})
        tables = (TableLayout("day", "an event", KeyLayout(EventOfHost), cells, families),)
        design = Design(
            name="days",
            question="?",
            loads=(Load("events", Event, Events.store, folder / "none", store_all=Events.store_all),),
            patterns=(AccessPattern("events of a host", Events.of_host, {"host": "a"}),),
            repository=partial(Events, tables=tables),
            variants=(Variant(None, "itself", tables=tables),),
        )
        monkeypatch.setattr(designs, "own_design", {"days": design}.get)
        now_ms = time.time_ns() // 10**6
        lines = [f"h-{number},{now_ms - age_h * 3_600_000}\n" for number, age_h in enumerate(ages_h)]
        (folder / "a.csv").write_text("".join(["host,time_ms\n", *lines]))

    return make


EXPIRED = "3 already expired: table day, family t, TTL 86,400 s"


@pytest.mark.parametrize("is_pipe", [False, True])
def test_expired_records_are_left_out_and_counted(ok, counts, day, is_pipe):
    day(2 * DAY_S, [1, 50, 2, 3, 4, 60, 70, 5])
    with pipe("a.csv") if is_pipe else nullcontext("a.csv") as name:
        assert ok(f"load days {name} --store embedded:a.db") == f"{name}: csv, 5 records stored, {EXPIRED}\n"
    assert ok("count days day --store embedded:a.db") == "day: 5 records\n"
    (file,) = counts("days a.csv --store embedded:a.db")[2]
    assert (file["stored"], file["replaced"]) == (5, 0)
    assert file["expired"] == [{"table": "day", "family": "t", "ttl_seconds": DAY_S, "records": 3}]


def test_a_file_of_expired_records_fails_unless_they_are_stored_all_the_same(rowbook, ok, day):
    day(2 * DAY_S, [50, 60, 70])
    advice = "a.csv: no record is left; --allow-expired stores records that expire at once\n"
    assert rowbook("load days a.csv --store embedded:a.db") == (1, f"a.csv: csv, 0 records stored, {EXPIRED}\n", advice)
    assert ok("load days a.csv --allow-expired --store embedded:a.db") == "a.csv: csv, 3 records stored\n"
    assert ok("count days day --store embedded:a.db") == "day: 0 records\n"


@pytest.mark.parametrize("skips", ["", "--on-error skip"])
def test_a_record_that_would_expire_in_part_is_never_left_out(rowbook, ok, day, skips):
    day(3 * DAY_S, [1, 2, 3, 50, 4])
    code, out, err = rowbook(f"load days a.csv {skips} --store embedded:a.db")
    ttl = "the TTL of table day, family t, 86,400 s"
    part = f"a.csv:5: only a part of it is older than {ttl}; --allow-expired stores it; 3 records stored before\n"
    assert (code, out, err) == (1, "", part)
    assert ok("load days a.csv --allow-expired --store embedded:a.db") == "a.csv: csv, 5 records stored\n"


@pytest.mark.parametrize("error", [ClockSkew("clock: must be right"), UnknownOutcome("row 01: is unknown")], ids=type)
@pytest.mark.parametrize("is_pipe", [False, True])
def test_an_error_of_the_writer_stops_the_load_and_the_file_is_named(rowbook, day, is_pipe, error, monkeypatch):
    day(2 * DAY_S, [1] * 3)
    answers = iter([CLOCK.moment()] * (3 if is_pipe else 1))

    def compared(*_arguments):
        if (answer := next(answers, None)) is None:
            raise error
        return answer

    monkeypatch.setattr("shared.writes.server_clock.checked_moment", compared)
    with pipe("a.csv") if is_pipe else nullcontext("a.csv") as name:
        code, out, err = rowbook(f"load days {name} a.csv --store embedded:a.db")
    named = {ClockSkew: "a.csv", UnknownOutcome: "a.csv:2: the store failed"}[type(error)]
    assert (code, out, err) == (1, "", f"{named}: {error}; 3 records stored before\n")


def test_samples_that_are_older_than_the_ttl_of_a_store_cannot_run_in_it(rowbook, folder, day):
    day(2 * DAY_S, [50])
    (folder / "a.csv").rename("none")
    code, out, err = rowbook("run days --store embedded:a.db")
    assert (code, out) == (1, "")
    assert err.startswith("Event: must be dated less than 86,400 s ago, the TTL of table day, family t (got ")
    assert err.endswith("): 1 would expire at once; run without --store measures samples of any age\n")
    assert rowbook("run days")[0] == 0
