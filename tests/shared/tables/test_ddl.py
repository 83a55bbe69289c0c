r"""Statements for the HBase shell, and how each byte is written in them.

The quoting was held against HBase's own shell (2.4.17, JRuby 9.3.9) before a server of 2.6.1: region starts came out
byte for byte. There "\x80" in double quotes became FD, and '\xff' the letters xff.
"""

import re

import attrs
import pytest

from shared.keys import EscapedText, HashPrefix, Int64, KeyLayout, Salt, Splits
from shared.tables import Family, RecordCells, TableLayout, ddl
from shared.tables.ddl import create_statement, delete_statement, tables_with_splits
from shared.tables.layouts import physical_tables
from tests.shared.specimens import key_class


def table(codec, *prefixes, part="host"):
    key = key_class("Key", **{part: codec})
    return TableLayout("logs", "a line", KeyLayout(key, *prefixes), RecordCells(key, {}, marker="l:v"))


def families(**families):
    """A table that keeps its cells in the first of these families."""
    key = key_class("Key", host=EscapedText)
    return TableLayout(
        "logs", "a line", KeyLayout(key), RecordCells(key, {}, marker=f"{next(iter(families))}:v"), families
    )


LOGS = table(EscapedText, Salt(of="host", buckets=4))
L = "{NAME => 'l', VERSIONS => 1, BLOOMFILTER => 'ROW'}"

# ---- golden statements ---------------------------------------------------------------------------


def test_one_version_of_a_cell_is_deleted_by_its_bytes():
    statement = delete_statement("a's", b's-1\x00\x01#{"\xff', b"o:i", 2**63 - 2)
    assert statement == r"""delete 'a\'s', "s-1\x00\x01\x23\x7B\x22\xFF", "o:i", 9223372036854775806"""


def test_the_docstring_shows_the_statement_of_a_table_split_at_its_buckets():
    shown = "\n".join(line.strip() for line in (ddl.__doc__ or "").splitlines() if line.startswith("    "))
    assert create_statement(LOGS) == shown


@pytest.mark.parametrize(
    ("prefix", "count", "points"),
    [
        (Salt(of="host", buckets=4), 1, r"'\x02'"),
        (HashPrefix(of="host", bytes=4, hex=True), 3, "'4', '8', 'c'"),
        (HashPrefix(of="host", bytes=4), 7, r"'\x20', '\x40', '\x60', '\x80', '\xA0', '\xC0', '\xE0'"),
    ],
    ids=str,
)
def test_points_are_letters_and_digits_or_all_in_hex(prefix, count, points):
    reason, statement = create_statement(table(EscapedText, prefix), count).splitlines()
    assert reason.endswith(f" of {prefix}: {count + 1} regions, as equal as possible")
    assert statement == f"create 'logs', {L}, SPLITS => [{points}]"


def test_many_points_go_on_lines_of_their_own_inside_the_bracket():
    hashed = table(EscapedText, HashPrefix(of="host", bytes=4))
    assert create_statement(hashed).splitlines()[1:] == [
        f"create 'logs', {L}, SPLITS => [",
        r"  '\x10', '\x20', '\x30', '\x40', '\x50', '\x60', '\x70', '\x80', '\x90', '\xA0', '\xB0', '\xC0',",
        r"  '\xD0', '\xE0', '\xF0'",
        "]",
    ]


def test_every_byte_of_a_point_is_there_also_of_a_long_one():
    every = create_statement(table(EscapedText, Salt(of="host", buckets=256))).partition("SPLITS => [")[2]
    assert re.findall(r"'(.*?)'", every) == [rf"\x{byte:02X}" for byte in range(1, 256)]
    for byte in (b"\x80", b"a", b"-"):
        long = create_statement(attrs.evolve(LOGS, splits=Splits((b"a" + byte * 39,), "long")))
        hexed = "a" * 40 if byte == b"a" else r"\x61" + rf"\x{byte.hex().upper()}" * 39
        assert f"'{hexed}'" in long


def test_a_quote_and_a_backslash_in_a_name_are_escaped():
    assert r"{NAME => 'it\'s\\', " in create_statement(families(**{"it's\\": Family()}))


def test_a_table_without_points_says_why_and_is_not_split():
    reason, statement = create_statement(table(Int64, part="time_ms")).splitlines()
    assert reason.startswith(
        "# rows start with time_ms: new rows always come after the last split point, so splitting "
    )
    assert f"create 'logs', {L}" == statement


def test_every_family_is_there_as_declared():
    kept = families(
        a=Family(ttl_seconds=-1),
        b=Family(3, ttl_seconds=60, bloom="NONE", compression="GZ", block_size_bytes=8192),
        c=Family(2, bloom="ROWCOL", keep_tombstones_ms=600_000),
    )
    assert create_statement(kept).splitlines()[1] == (
        "create 'logs', {NAME => 'a', VERSIONS => 1, BLOOMFILTER => 'ROW'}, "
        "{NAME => 'b', VERSIONS => 3, TTL => 60, BLOOMFILTER => 'NONE', COMPRESSION => 'GZ', BLOCKSIZE => 8192}, "
        "{NAME => 'c', VERSIONS => 2, BLOOMFILTER => 'ROWCOL', "
        "CONFIGURATION => {'hbase.hstore.time.to.purge.deletes' => '600000'}}"
    )


def test_split_points_of_the_table_itself_go_before_those_of_its_layout():
    own = attrs.evolve(LOGS, splits=Splits((b"g", b"p"), "a third of the hosts each,\nas of today"))
    assert create_statement(own) == (
        f"# a third of the hosts each,\n# as of today\ncreate 'logs', {L}, SPLITS => ['g', 'p']"
    )
    assert tables_with_splits([own], None) == [(physical_tables([own])[0], own.splits)]
    assert create_statement(own, 1) == create_statement(LOGS, 1)
    hosts = table(EscapedText)
    hosts = attrs.evolve(hosts, name="hosts")
    cut = attrs.evolve(hosts, name="cut", splits=own.splits)
    assert [splits.points for _, splits in tables_with_splits([LOGS, hosts, cut], 1)] == [(b"\x02",), (), (b"g", b"p")]


def test_a_service_may_read_and_write_its_rows_and_reads_the_layouts_of_keys():
    assert ddl.grant_statements([LOGS], "svc", "shop:") == [
        "grant 'svc', 'RW', 'shop:logs'",
        "grant 'svc', 'R', 'shop:rowbook_layouts'",
    ]


def test_where_records_expire_a_service_also_writes_the_row_through_which_clocks_are_compared():
    expiring = families(l=Family(ttl_seconds=60))
    assert ddl.grant_statements([expiring, expiring], "o'neil") == [
        r"grant 'o\'neil', 'RW', 'logs'",
        r"grant 'o\'neil', 'RW', 'rowbook_layouts'",
    ]
