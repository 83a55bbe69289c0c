"""`rowbook explain` of a cell, and with a store that has the names of what a key holds by number."""

import json
from contextlib import closing
from itertools import islice

import attrs
import pytest

from domains import tsdb
from domains.command_line.designs import all_designs
from domains.tsdb.keys import DELETIONS
from shared.stores import connect
from shared.tables import create_tables

BY_NAME = {
    f"{design.name}:{variant.name}": (design, variant) for design in all_designs() for variant in design.variants
}
HOUR_MS = 1_356_998_400_000  # 2013-01-01T00:00:00.000Z
KEY = "000001 50e22700 000001 000001"


@pytest.fixture
def names(new_url):
    """The URL of a store in which the UIDs 00 00 01 are load, host and web-1."""
    url = new_url(*tsdb.TABLES)
    with closing(connect(url)) as connection:
        create_tables(connection, tsdb.TABLES)
        tsdb.TsdbRepository(connection).store(tsdb.Point("load", HOUR_MS, 1, {"host": "web-1"}))
    return url


def as_hex(column):
    family, _colon, qualifier = column.partition(b":")
    return f"{family.decode()}:{qualifier.hex()}"


# Every design


@pytest.mark.parametrize("name", BY_NAME)
def test_a_stored_cell_of_every_table_shows_the_attributes_of_its_record(ok, sampled_file, name):
    _design, variant = BY_NAME[name]
    explained_tables = set()
    with closing(connect(sampled_file)) as connection:
        for table in variant.record_tables:
            rows = connection.table(table.name).scan(columns=table.cells.columns)
            for row, cells in islice(rows, 2):
                for column, value in islice(cells.items(), 2):
                    words = f"--key {row.hex()} --column {as_hex(column)} --value '{value.hex()}' --json"
                    keys = json.loads(ok(f"explain {name} {words}"))["keys"]
                    (cell,) = (key["cell"] for key in keys if key["table"] == table.name)
                    assert cell["column"] == as_hex(column)
                    check_values(cell["values"], table, row, cells)
                    explained_tables.add((table.name, table.holds))
    filled = {(table.name, table.holds) for table in variant.record_tables if table not in variant.unfilled}
    filled.discard((DELETIONS.name, DELETIONS.holds))  # in one table with the settings; samples delete nothing
    assert explained_tables >= filled


def check_values(values, table, row, cells):
    """Checks that the values of a cell are attributes of a record of its row."""
    records = json.loads(json.dumps([attrs.asdict(record) for record in table.records(row, cells)], default=bytes.hex))
    for of_one in values:
        shown = {name: value for name, value in of_one.items() if name in records[0]}
        assert shown in [{name: record[name] for name in shown} for record in records]
        assert shown or set(of_one) == {"revision", "revision_ms"}


# tsdb


def test_a_key_of_uids_is_shown_with_their_names_and_its_hour(ok, names):
    assert (
        ok(f"explain tsdb:tsdb --key '{KEY}' --column 0031 --value 0101 --store {names}").partition("\ntsdb-uid")[0]
        == """\
tsdb: [metric_uid][1-hour slice of time_ms][tag_uids]
  row    metric_uid  time_ms                   tag_uids
         00 00 01    2013-01-01T00:00:00.000Z  00 00 01 00 00 01
         00 00 01    50 e2 27 00               00 00 01 00 00 01
  hex    00000150e22700000001000001
  names  metric_uid  load
         time_ms     2013-01-01T00:00:00.000Z to 2013-01-01T00:59:59.999Z
         tag_uids    host=web-1
  cell   t:0031
         1 point, in seconds
time_ms                   type            value  bytes
2013-01-01T00:00:03.000Z  int of 2 bytes  257    01 01
"""
    )


def test_names_and_cell_are_in_json(ok, names):
    words = f"--key '{KEY}' --column t:000003c0 --value 2a0100 --store {names}"
    (key,) = json.loads(ok(f"explain tsdb {words} --json"))["keys"]
    assert key["table"] == "tsdb"
    assert key["names"] == {
        "metric_uid": "load",
        "time_ms": "2013-01-01T00:00:00.000Z to 2013-01-01T00:59:59.999Z",
        "tag_uids": "host=web-1",
    }
    assert key["cell"] == {
        "column": "t:000003c0",
        "holds": "2 points, compacted",
        "values": [
            {"time_ms": HOUR_MS, "type": "int of 1 byte", "value": 42, "bytes": "2a"},
            {"time_ms": HOUR_MS + 60_000, "type": "int of 1 byte", "value": 1, "bytes": "01"},
        ],
    }


def test_a_uid_has_a_name_of_each_kind_and_a_name_its_uid(ok, names):
    forward, reverse, _settings, _deletion = json.loads(ok(f"explain tsdb --key 000001 --store {names} --json"))["keys"]
    assert (forward["names"], reverse["names"]) == ({}, {"metrics": "load", "tagk": "host", "tagv": "web-1"})
    (key,) = json.loads(ok("explain tsdb --key 6c6f6164 --column id:6d657472696373 --value 000001 --json"))["keys"]
    assert key["cell"]["values"] == [{"name": "load", "kind": "metrics", "uid": "000001"}]


def test_a_registered_deletion_shows_what_it_deletes(ok, names):
    with closing(connect(names)) as connection:
        tsdb.TsdbRepository(connection).delete_points("load", (), HOUR_MS, HOUR_MS + 1)
        rows = connection.table(DELETIONS.name).scan(columns=DELETIONS.cells.columns)
        ((row, cells),) = rows
    for column, value in cells.items():
        words = f"--key {row.hex()} --column {as_hex(column)} --value '{value.hex()}' --json"
        keys = json.loads(ok(f"explain tsdb {words}"))["keys"]
        (shown,) = (key["cell"] for key in keys if "cell" in key)
        check_values(shown["values"], DELETIONS, row, cells)


def test_fields_make_a_key_whose_names_are_shown_too(ok, names):
    fields = "metric_uid=000001 time=2013-01-01 tag_uids=000001000001"
    out = ok(f"explain tsdb {fields} --store {names} --column 0000 --value 2a")
    assert "metric_uid  load\n" in out
    assert "int of 1 byte  42     2a\n" in out


# Wrong input


ENDS = [
    (f"tsdb --key '{KEY}' --column 0000", 2, "--column: needs --value, too"),
    (f"tsdb --key '{KEY}' --value 00", 2, "--value: needs --column, too"),
    (f"tsdb --key '{KEY}' --column xyz --value 00", 2, "--column: must be hex digits, two for each byte (got 'xyz')"),
    (f"tsdb --key '{KEY}' --column 0000 --value 0", 2, "--value: must be hex digits, two for each byte (got '0')"),
    (f"tsdb --key '{KEY}' --column '' --value 00", 2, "--column: must be HEX or FAMILY:HEX (got '')"),
    (f"tsdb --key '{KEY}' --column :00 --value 00", 2, "--column: must be HEX or FAMILY:HEX (got ':00')"),
    ("tsdb --key 0 --column 0000 --value 00", 2, "--key: must be hex digits, two for each byte (got '0')"),
    ("tsdb --column 0000 --value 00", 2, "explain tsdb: give the fields of a key (field=value ...), or --key HEX"),
    (
        f"tsdb --key '{KEY}' --column x:00 --value 00",
        1,
        "not a cell of tsdb: tsdb: column: must be t:HEX (got x:00); tsdb-uid: column: must be id:HEX (got x:00); ",
    ),
    (
        f"tsdb --key '{KEY}' --column t:0003 --value 0102ff",
        1,
        "not a cell of tsdb: tsdb: cell 00 03: must be an int of 1, 2, 4 or 8 bytes, or a float of 4 or 8 ",
    ),
    (
        "orders:without-intents --key 6e --column o:ff --value 00",
        1,
        "not a cell of orders:without-intents: orders_plain: column: must be one of o:",
    ),
    (
        "orders --key 6e --store embedded:",
        2,
        "--store: is not needed, because keys of orders hold all values themselves",
    ),
    (f"tsdb --key '{KEY}' --store embedded:none.db", 1, "none.db: no such store; rowbook load makes one"),
    (
        f"tsdb --key '{KEY}' --store embedded:",
        1,
        "embedded:: has no table tsdb, tsdb-uid, tsdb-rowbook; make what is missing with ",
    ),
]


@pytest.mark.parametrize(("line", "code", "said"), ENDS)
@pytest.mark.parametrize("as_json", ["", " --json"])
def test_what_cannot_be_explained_is_one_line(rowbook, folder, line, code, said, as_json):
    ended, out, err = rowbook(f"explain {line}{as_json}")
    assert (ended, out, err.count("\n")) == (code, "", 1)
    assert err.startswith(said)
    assert not any(folder.iterdir())


def test_a_store_that_lost_a_uid_is_one_line(rowbook, names):
    code, out, err = rowbook(f"explain tsdb --key 00000950e22700000001000001 --store {names}")
    assert (code, out, err) == (1, "", f"{names}: metrics: must be a UID with a name (got 00 00 09)\n")
