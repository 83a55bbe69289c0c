"""Tables that an OpenTSDB made, with 20 buckets and names of its own: read as they are, adopted, and worked on."""

from contextlib import closing, contextmanager
from pathlib import Path

import attrs
import pytest

from domains.tsdb import Annotation, TsdbRepository, Widths
from domains.tsdb.formats import import_line
from domains.tsdb.keys import TABLES, data_table, uid_tables
from domains.tsdb.shown.design import DESIGN
from domains.tsdb.storage.codecs import SeriesSalt
from shared.command_line.named.own_settings import are_given
from shared.stores import connect
from shared.tables import create_tables

PAGE = Path(__file__).parents[3] / "domains" / "tsdb" / "OPENTSDB.md"
CONF = """\
# OpenTSDB's own file, as Java reads it
! tsd.storage.salt.width = 0
tsd.network.port = 4242
  tsd.storage.hbase.data_table = prod-tsdb
tsd.storage.hbase.uid_table=prod-uid
tsd.storage.uid.width.tagv: 4
tsd.storage.uid.width.tagk 3
tsd.storage.salt.width = 1
"""
POINTS = [*DESIGN.loads[0].sample_records()][:300]
ROWS = len({(point.metric, point.tags, point.time_ms // 3_600_000) for point in POINTS})
OURS = ("tsdb-rowbook", "rowbook_layouts")


WIDTHS = Widths(tagv=4)


@contextmanager
def opened(url):
    """A repository on OpenTSDB's two tables, whose family is compressed, and on our own."""
    uids, names = uid_tables("prod-uid")
    points = data_table("prod-tsdb", WIDTHS, SeriesSalt(1, 20))
    family = attrs.evolve(points.families["t"], compression="GZ")
    tables = TABLES._replace(points=attrs.evolve(points, families={"t": family}), uids=uids, names=names)
    with closing(connect(url)) as connection:
        create_tables(connection, tables)
        yield TsdbRepository(connection, tables, widths=WIDTHS)


@pytest.fixture
def url(folder):
    """A store as OpenTSDB makes it: its two tables and no other."""
    url = "embedded:prod.db"
    with opened(url) as repository:
        repository.store_all(POINTS)
    with closing(connect(url)) as connection:
        for name in OURS:
            connection.delete_table(name, disable=True)
    (folder / "opentsdb.conf").write_text(CONF)
    return url


def commands_that_only_read(url):
    """The commands of the page that only read, with the store, the table, the metric and the day of this test."""
    block = PAGE.read_text(encoding="utf-8").partition("```text\n$ rowbook ")[2].partition("```")[0]
    for shown, here in (
        ("hbase://HOST:9090", url),
        (" tsdb-uid ", " prod-uid "),
        ("sys.cpu.user", "temperature"),
        ("since=2026-01-12 until=2026-01-13", "since=2013-01-01 until=2013-01-02"),
    ):
        assert shown in block
        block = block.replace(shown, here)
    return block.replace(" \\\n", "").removesuffix("\n").split("\n$ rowbook ")


def test_tables_of_an_opentsdb_are_read_with_its_own_file_and_nothing_is_written(ok, rowbook, url, stored):
    before = stored(url)
    verified, names, answered = map(ok, commands_that_only_read(url))
    assert verified == f"tsdb: {2 * 14} mappings and {ROWS} rows compared: nothing is wrong\n"
    assert names.startswith("name")
    assert "dc=lga,host=web-12" in answered
    tsdb = f"tsdb --store {url} --settings opentsdb.conf"
    assert "prod-tsdb" in ok(f"get {tsdb} prod-tsdb --key {before['prod-tsdb'][0][0].hex()}")
    assert sorted(ok(f"scan {tsdb} --lines").splitlines()) == sorted(map(import_line, POINTS))
    refused = rowbook(f"do {tsdb} compact metric=load")
    assert refused[0] == 1
    assert "has no table tsdb-rowbook, so it can only be read; create it with rowbook adopt tsdb" in refused[2]
    assert stored(url) == before


def test_wrong_settings_are_refused_with_the_advice_to_give_the_right_ones(rowbook, url, stored):
    before = stored(url)
    names = "--settings tsd.storage.hbase.data_table=prod-tsdb --settings tsd.storage.hbase.uid_table=prod-uid"
    for settings, reason in (
        (names, "tsd.storage.uid.width.tagv must be 4, as in its UIDs (got 3); --settings opentsdb.conf gives"),
        ("", "has no table tsdb, tsdb-uid; create missing tables with"),
    ):
        for command in ("verify", "adopt"):
            code, _out, err = rowbook(f"{command} tsdb --store {url} {settings}")
            assert (code, reason in err) == (1, True), err
    for settings, reason in (
        ("tsd.storage.salt.width=x", "tsd.storage.salt.width: must be a number (got 'x')"),
        ("tsd.storage.salt.width=9", "tsd.storage.salt.width: must be 1..8 bytes (got 9)"),
        ("tsd.storage.hbase.uid_table=", "tsd.storage.hbase.uid_table: must be the name of a table (got '')"),
        ("tsd.storage.hbase.uid_table=tsdb", "tsd.storage.hbase.uid_table: must be another table than"),
        ("tsd.storage.fix_duplicates=no-no", "tsd.storage.fix_duplicates: must be true or false (got 'no-no')"),
        ("tsd.salt=1", "unknown setting 'tsd.salt'"),
    ):
        code, _out, err = rowbook(f"verify tsdb --store {url} --settings {settings}")
        assert (code, reason in err) == (2, True), err
    assert stored(url) == before, "wrong settings are not kept"
    assert rowbook(f"verify orders --store {url} --settings a=1")[0] == 2
    assert rowbook("run tsdb --settings opentsdb.conf")[0] == 2


def test_adopted_tables_need_only_their_names_and_can_be_loaded_compacted_deleted_from_and_moved(
    ok, rowbook, folder, url
):
    assert "tsdb-rowbook keeps the settings" in ok(f"adopt tsdb --store {url} --settings opentsdb.conf")
    (folder / "names").write_text("".join(line for line in CONF.splitlines(keepends=True) if "table" in line))
    tsdb = f"tsdb --store {url} --settings names"
    (folder / "more.txt").write_text('temperature{host="web-99",at="[::1]:80"} 1 1357000000000\n')
    noted = rowbook(f"load {tsdb} more.txt")[2]
    assert noted.startswith("more.txt: 1 name has _ in place of characters that OpenTSDB refuses; ")
    assert "; tags, at: '[::1]:80' is stored as '___1__80'" in noted
    with opened(url) as repository:
        repository.store_annotation(Annotation(1357000000, "moved"))
    assert ok(f"do {tsdb} compact metric=temperature").startswith("tsdb compact: compacted 0, left ")
    hour = "since=2013-01-01 until=2013-01-01T00:10"
    assert ok(f"do {tsdb} delete-points m=temperature{{host=web-12}} {hour}") == (
        "tsdb delete-points: changed 1, postponed 0\n"
    )
    assert ok(f"do {tsdb} delete-series m=temperature{{at=___1__80,host=web-99}}").startswith(
        "tsdb delete-series: changed 1,"
    )
    assert ok(f"do {tsdb} delete-points m=temperature{{host=web-12x}} {hour}").endswith(
        "changed 0, postponed 0\nnothing found: tag value 'web-12x' has no UID\n"
    )
    code, _out, err = rowbook(f"do {tsdb} delete-series m=temperature")
    assert (code, "m: must name one series by all its tags" in err) == (2, True), err
    assert (
        rowbook(f"scan {tsdb} --lines --to moved.csv.gz --format csv")[2] == "annotations are not exported (found 1)\n"
    )
    moved = f"{tsdb} --settings tsd.storage.hbase.data_table=moved --settings tsd.storage.salt.width=0"
    ok(f"load {moved} moved.csv.gz")
    of_both = [sorted(rowbook(f"scan {store} --lines")[1].splitlines()) for store in (tsdb, moved)]
    deleted = "temperature 1356998", "host=web-12"
    left = [
        text for text in map(import_line, POINTS) if not (text.startswith(deleted[0]) and text.endswith(deleted[1]))
    ]
    assert of_both == [sorted(left), sorted(left)]
    assert ok(f"verify tsdb --store {url} --settings names --settings tsd.storage.hbase.data_table=moved")


def test_a_load_that_corrects_leaves_one_cell_of_each_time(ok, rowbook, folder):
    (folder / "points.txt").write_text("cpu 1356998400 1 host=a\ncpu 1356998401 2 host=a\n")
    ok("load tsdb points.txt --store embedded:c.db")
    with closing(connect("embedded:c.db")) as connection:
        ((row, _),) = connection.table("tsdb").scan()
        connection.table("tsdb").put(row, {b"t:\xf0\x00\x00\x00": b"\x09"})  # of the same time, in milliseconds
        strict = "--store embedded:c.db --settings tsd.storage.fix_duplicates=false"
        code, out, _err = rowbook(f"verify tsdb {strict}")
        assert (code, "cells of one time must hold the same number" in out) == (1, True), out
        ok("load tsdb points.txt --correct --store embedded:c.db")
        assert [*connection.table("tsdb").row(row)] == [b"t:\x00\x00", b"t:\x00\x10"]
        assert "nothing is wrong" in ok(f"verify tsdb {strict}")
        connection.table("tsdb").put(row, dict.fromkeys([b"t:\0\0\0\x10", b"t:\0\0\0\x20"], b"\x09\x09\0"))
    code, _out, err = rowbook("load tsdb points.txt --correct --store embedded:c.db")
    assert (code, "points.txt:1: stored, but a compacted cell keeps another number of" in err) == (1, True), err
    deletion = "do tsdb delete-points m=cpu since=2013-01-01 until=2013-01-01T00:00:01 --store embedded:c.db"
    postponed = "postponed rows need the same deletion again, ten minutes later"
    assert rowbook(deletion)[:2] == (1, f"tsdb delete-points: changed 0, postponed 1\n{postponed}\n")
    assert rowbook("load orders points.txt --correct --store embedded:")[::2] == (
        2,
        "--correct: leave it out, because orders have only one stored form\n",
    )


def test_a_file_without_fix_duplicates_means_false_as_to_opentsdb(ok, rowbook, folder):
    (folder / "points.txt").write_text("cpu 1356998400 1 host=a\n")
    (folder / "opentsdb.conf").write_text("tsd.network.port = 4242\n")
    ok("load tsdb points.txt --store embedded:c.db")
    with closing(connect("embedded:c.db")) as connection:
        ((row, _),) = connection.table("tsdb").scan()
        connection.table("tsdb").put(row, {b"t:\xf0\x00\x00\x00": b"\x09"})  # of the same time, in milliseconds
    verify, fixing = "verify tsdb --store embedded:c.db", " --settings tsd.storage.fix_duplicates=true"
    for settings in ("", fixing, " --settings opentsdb.conf" + fixing):
        assert "nothing is wrong" in ok(verify + settings)
    for settings in (" --settings opentsdb.conf", fixing + " --settings opentsdb.conf"):
        code, out, _err = rowbook(verify + settings)
        assert (code, "cells of one time must hold the same number" in out) == (1, True), out


def test_what_one_command_line_gives_is_forgotten_when_its_command_ends(rowbook):
    rowbook("run tsdb --settings tsd.storage.salt.width=1")
    assert not are_given()
