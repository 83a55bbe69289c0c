r"""Statements for the HBase shell: golden ones, then that the shell reads every byte as it was meant.

The quoting was held against HBase's own shell (2.4.17, JRuby 9.3.9) before a server of 2.6.1: region starts came out
byte for byte. There "\x80" in double quotes became FD, and '\xff' the letters xff.
"""

import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import Code, EscapedText, FixedBytes, HashPrefix, Int64, KeyLayout, Salt, Splits, split_points
from shared.tables import Family, RecordCells, TableLayout, ddl, physical_tables
from shared.tables.ddl import create_statement, delete_statement, tables_with_splits
from tests.shared.keys.strategies import few
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


@pytest.mark.parametrize("width_bytes", [24, 25, 32, 40])
@pytest.mark.parametrize("byte", [b"\x80", b"a", b"-", b" "], ids=repr)
def test_a_long_point_is_never_cut(width_bytes, byte):
    points = tuple(start + byte * (width_bytes - 1) for start in (b"a", b"b", b"c"))
    statement = create_statement(attrs.evolve(LOGS, splits=Splits(points, "long")))
    assert splits_read(statement) == list(points)


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


# ---- what the shell makes of it ------------------------------------------------------------------


def ruby_strings(source):
    r"""The texts between single quotes, as Ruby has them: only \\ and \' are escapes."""
    written = re.findall(r"'((?:\\.|[^'\\])*)'", source, re.DOTALL)
    return [re.sub(r"\\([\\'])", r"\1", text) for text in written]


def to_bytes_binary(text):
    r"""Java's `Bytes.toBytesBinary`: \x and two capital hex digits are a byte; other characters their lowest 8 bits.

    Where the digits are none it forgets the backslash and reads on.
    """
    made = bytearray()
    index = 0
    while index < len(text):
        if text[index] == "\\" and text[index + 1 : index + 2] == "x":
            digits = text[index + 2 : index + 4]
            if re.fullmatch("[0-9A-F]{2}", digits):
                made.append(int(digits, 16))
                index += 4
            else:
                index += 1
        else:
            made.append(ord(text[index]) & 0xFF)
            index += 1
    return bytes(made)


def splits_read(statement):
    """The split points that the shell would make of a statement."""
    listed = statement.partition("SPLITS => [")[2]
    assert listed.endswith("]")
    assert '"' not in listed
    return [to_bytes_binary(text) for text in ruby_strings(listed)]


def test_the_oracle_reads_as_the_shell_did():
    assert to_bytes_binary(r"\x80\xC3\xA9") == bytes.fromhex("80 c3 a9")
    assert to_bytes_binary(r"\x5Cx41") == bytes.fromhex("5c 78 34 31")
    assert to_bytes_binary(r"\x0a\xff") == b"x0axff"
    assert ruby_strings(r"['\x5C', 'o\'x', 'a\\b']") == [r"\x5C", "o'x", r"a\b"]


def test_the_shell_reads_every_byte_back():
    every = table(EscapedText, Salt(of="host", buckets=256))
    assert splits_read(create_statement(every)) == [bytes([byte]) for byte in range(1, 256)]
    zero = table(Code({f"n{byte}": byte for byte in (0, 10, 32, 34, 35, 39, 92, 120, 255)}))
    assert splits_read(create_statement(zero)) == [bytes([byte]) for byte in (10, 32, 34, 35, 39, 92, 120, 255)]


@few
@given(count=st.integers(1, 1023), codec=st.sampled_from([FixedBytes(2), FixedBytes(16)]))
def test_the_shell_reads_points_of_several_bytes_back(count, codec):
    spread = table(codec)
    statement = create_statement(spread, count)
    assert splits_read(statement) == list(split_points(spread.key, count).points)
    assert max(map(len, statement.splitlines()[1:])) <= 200


@pytest.mark.parametrize("name", ["o'x", r"a\b", r"\x41", "#{1}", "it's\\"])
def test_names_come_back_as_they_were(name):
    statement = create_statement(families(**{name: Family()}))
    assert ruby_strings(statement.splitlines()[1]) == ["logs", name, "ROW"]
