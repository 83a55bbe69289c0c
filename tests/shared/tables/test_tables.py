"""Declared tables are created once, as declared, the same on every store; one that is otherwise is refused.

The tests of tables run in an embedded store, through both gateways to one, and on HBase.
"""

import re
from contextlib import closing

import attrs
import happybase
import pytest

from shared.keys import EscapedText, KeyLayout, Salt, Splits, TrailingText
from shared.stores import connect
from shared.tables import Family, InvalidRecord, RecordCells, TableLayout, TableMismatch, create_tables, drop_tables
from shared.tables.creation import KeepsNoTombstones, NeedsThrift2
from tests.programs.hbase.stores import with_thrift2
from tests.shared.specimens import key_class
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

Named = key_class("Named", name=TrailingText)
NAMES = TableLayout(
    "names",
    "a name",
    KeyLayout(Named),
    RecordCells(Named, {}, marker="n:v"),
    {"n": Family(), "old": Family(3, ttl_seconds=60, bloom="NONE")},
)
OTHERS = TableLayout("others", "another name", KeyLayout(Named), RecordCells(Named, {}, marker="o:v"))


Salted = key_class("Salted", name=EscapedText)
SALTED = TableLayout(
    "salted",
    "a name in its bucket",
    KeyLayout(Salted, Salt(of="name", buckets=4)),
    RecordCells(Salted, {}, marker="s:v"),
    {
        "s": Family(
            2, ttl_seconds=3600, bloom="ROWCOL", compression="GZ", block_size_bytes=8192, keep_tombstones_ms=600_000
        ),
        "t": Family(),
    },
)
CUT = attrs.evolve(OTHERS, name="cut", splits=Splits((b"g", b"p"), "as many names before each"))


@pytest.fixture
def connection(engine):
    with engine.store() as connection:
        yield connection


@pytest.fixture(params=["embedded", "gateways", pytest.param("HBase", marks=pytest.mark.hbase)])
def store(request):
    """A connection to a store of each kind, without any table."""
    if request.param == "embedded":
        with closing(connect("embedded:")) as connection:
            yield connection
    elif request.param == "gateways":
        with both_gateways() as (connection, _store):
            yield connection
    else:
        with with_thrift2() as connection:
            yield connection


@pytest.fixture
def stocked(store):
    """The same, with one table."""
    create_tables(store, [SALTED])
    return store


def regions(connection, table):
    """The first rows of a table's regions."""
    return [region["start_key"] for region in connection.table(table).regions()]


def test_tables_are_created_as_declared(store):
    create_tables(store, [NAMES, SALTED, CUT])
    assert sorted(store.tables()) == [b"cut", b"names", b"rowbook_layouts", b"salted"]
    families = {**store.table("names").families(), **store.table("salted").families()}
    assert sorted(families) == [b"n", b"old", b"s", b"t"]

    def options(option):
        return [families[name][option] for name in sorted(families)]

    assert options("max_versions") == [1, 3, 2, 1]
    assert options("time_to_live") == [2**31 - 1, 60, 3600, 2**31 - 1]
    assert options("bloom_filter_type") == [b"ROW", b"NONE", b"ROWCOL", b"ROW"]
    assert options("compression") == [b"NONE", b"NONE", b"GZ", b"NONE"]
    assert options("block_cache_enabled") == [True] * 4
    with store.beyond_thrift1() as beyond:
        assert beyond.block_sizes("names") == {b"n": 65536, b"old": 65536}
        assert beyond.block_sizes("salted") == {b"s": 8192, b"t": 65536}
        assert beyond.keep_tombstones_ms("names") == {b"n": 0, b"old": 0}
        assert beyond.keep_tombstones_ms("salted") == {b"s": 600_000, b"t": 0}
    assert regions(store, "names") == [b""]
    assert regions(store, "salted") == [b"", b"\x01", b"\x02", b"\x03"]
    assert regions(store, "cut") == [b"", b"g", b"p"]
    # What is as declared is left alone, and split points are not compared.
    create_tables(store, [NAMES, SALTED, attrs.evolve(CUT, splits=Splits((b"k",), "not compared"))])


@pytest.mark.parametrize(
    ("changed", "wanted", "has"),
    [
        ({"ttl_seconds": None}, "ttl_seconds None", "ttl_seconds 3600"),
        ({"compression": "NONE"}, "compression NONE", "compression GZ"),
        ({"block_size_bytes": 65536}, "block_size_bytes 65536", "block_size_bytes 8192"),
        ({"keep_tombstones_ms": 0}, "keep_tombstones_ms 0", "keep_tombstones_ms 600000"),
        ({"max_versions": 1, "bloom": "ROW"}, "max_versions 1, bloom ROW", "max_versions 2, bloom ROWCOL"),
    ],
)
def test_a_family_that_differs_is_refused_in_one_line_and_left_as_it_is(stocked, changed, wanted, has):
    before = stocked.table("salted").families()
    family = attrs.evolve(SALTED.families["s"], **changed)
    with pytest.raises(TableMismatch) as refused:
        create_tables(stocked, [attrs.evolve(SALTED, families={"s": family, "t": Family()})])
    assert f"table salted, family s: must have {wanted} (has {has})" == str(refused.value)
    assert stocked.table("salted").families() == before


@pytest.mark.parametrize(
    ("stored_s", "fitting", "others"),
    [
        (-1, (None, -1, 0, 2**31 - 1), (60,)),
        (2**31 - 1, (None, -1, 2**31 - 1), (60,)),
        (1, (1,), (None,)),
        (2**31 - 2, (2**31 - 2,), (None,)),
    ],
)
def test_cells_that_never_expire_have_two_numbers_and_any_other_number_is_a_time_to_live(
    connection, monkeypatch, stored_s, fitting, others
):
    create_tables(connection, [OTHERS])
    families = connection.table("others").families()
    families[b"o"]["time_to_live"] = stored_s
    monkeypatch.setattr(happybase.Table, "families", lambda _table: families)
    for declared_s in fitting:
        create_tables(connection, [attrs.evolve(OTHERS, families={"o": Family(ttl_seconds=declared_s)})])
    for declared_s in others:
        with pytest.raises(TableMismatch, match=rf"ttl_seconds {declared_s} \(has "):
            create_tables(connection, [attrs.evolve(OTHERS, families={"o": Family(ttl_seconds=declared_s)})])


def test_a_table_that_another_process_creates_meanwhile_is_one_that_exists(connection, monkeypatch):
    create_tables(connection, [NAMES])
    monkeypatch.setattr(connection, "tables", lambda: [])
    create_tables(connection, [NAMES, OTHERS])
    assert sorted(connection.table("others").families()) == [b"o"]
    with pytest.raises(TableMismatch, match=r"^table names: must have the families o \(has n, old\)$"):
        create_tables(connection, [attrs.evolve(OTHERS, name="names")])


# ---- through Thrift1 alone


@pytest.fixture(params=["embedded", pytest.param("HBase", marks=pytest.mark.hbase)])
def thrift1(request):
    """A connection of the user's own to a Thrift1 gateway, and one with Thrift2 to the same store."""
    if request.param == "embedded":
        with both_gateways() as (whole, _store), closing(happybase.Connection(whole.host, whole.port)) as connection:
            yield connection, whole
    else:
        with (
            with_thrift2() as whole,
            closing(happybase.Connection(whole.host, whole.port, table_prefix=whole.table_prefix)) as connection,
        ):
            yield connection, whole


def test_thrift1_alone_suffices_for_plain_tables(thrift1):
    connection, whole = thrift1
    tables = [NAMES, attrs.evolve(OTHERS, families={"o": Family(compression="GZ")})]
    create_tables(connection, tables)
    create_tables(connection, tables)
    create_tables(whole, tables)  # nor does Thrift2 see a difference
    with pytest.raises(TableMismatch, match=r"^table others, family o: must have compression NONE \(has .* GZ\)$"):
        create_tables(connection, [OTHERS])


def test_split_points_without_thrift2_are_refused_before_anything_is_created(thrift1):
    connection, whole = thrift1
    with pytest.raises(NeedsThrift2) as refused:
        create_tables(connection, [NAMES, CUT])
    assert str(refused.value) == (
        "table cut: its split points need Thrift2 to be set: give thrift2_port in the store's URL (got none), or run"
        " what rowbook ddl prints in the HBase shell"
    )
    assert connection.tables() == []
    create_tables(whole, [CUT])
    create_tables(connection, [NAMES, CUT])  # where they are set is not compared
    assert sorted(connection.tables()) == [b"cut", b"names", b"rowbook_layouts"]


def test_a_block_size_without_thrift2_is_refused_also_of_a_table_that_is_there(thrift1):
    connection, whole = thrift1
    sized = attrs.evolve(OTHERS, families={"o": Family(block_size_bytes=8192)})
    message = re.escape(
        "table others, family o: block_size_bytes 8192 needs Thrift2 to be set and compared: give thrift2_port in the"
        " store's URL (got none)"
    )
    with pytest.raises(NeedsThrift2, match=f"^{message}$"):
        create_tables(connection, [NAMES, sized])
    assert connection.tables() == []
    create_tables(whole, [sized])
    with pytest.raises(NeedsThrift2, match=f"^{message}$"):
        create_tables(connection, [sized])
    create_tables(connection, [OTHERS])  # which says no other size than HBase's own: that Thrift1 cannot compare
    with pytest.raises(TableMismatch, match="block_size_bytes 65536"):
        create_tables(whole, [OTHERS])


def test_a_table_that_keeps_tombstones_is_created_without_that_through_thrift1_alone(thrift1):
    connection, whole = thrift1
    keeping = attrs.evolve(OTHERS, families={"o": Family(keep_tombstones_ms=600_000)})
    with pytest.warns(KeepsNoTombstones) as warned:
        create_tables(connection, [NAMES, keeping])
    assert [str(warning.message) for warning in warned] == [
        "table others: was created without keep_tombstones_ms, which Thrift1 cannot set: run alter 'others',"
        " {NAME => 'o', VERSIONS => 1, BLOOMFILTER => 'ROW', CONFIGURATION =>"
        " {'hbase.hstore.time.to.purge.deletes' => '600000'}} in the HBase shell, or create tables with thrift2_port"
        " in the store's URL"
    ]
    for table in (keeping, OTHERS):  # nor is it compared
        create_tables(connection, [table])
    with pytest.raises(TableMismatch, match=r"must have keep_tombstones_ms 600000 \(has keep_tombstones_ms 0\)$"):
        create_tables(whole, [keeping])
    create_tables(whole, [attrs.evolve(keeping, name="kept")])
    create_tables(connection, [attrs.evolve(OTHERS, name="kept")])


# ----


def test_dropping_removes_tables_and_passes_over_missing_ones(connection):
    create_tables(connection, [NAMES])
    connection.table("names").put(b"ann", {b"n:v": b"1"})
    drop_tables(connection, [NAMES, OTHERS])
    drop_tables(connection, [NAMES, OTHERS])
    assert connection.tables() == [b"rowbook_layouts"]
    create_tables(connection, [NAMES])
    assert list(connection.table("names").scan()) == []


@pytest.mark.parametrize("points", [(b"",), (b"b", b"a"), (b"a", b"a"), (b"a", bytes(32768))])
def test_split_points_that_are_not_rows_in_order_are_refused_when_declared(points):
    with pytest.raises(
        InvalidRecord, match=r"^table others: split points must be rows of 1..32767 bytes in their order "
    ):
        attrs.evolve(OTHERS, splits=Splits(points, "no reason"))


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("max_versions", 0, "1..2147483647"),
        ("ttl_seconds", 1.5, "-1..2147483647"),
        ("bloom", "row", "one of NONE, ROW, ROWCOL"),
        ("compression", "gz", "one of NONE, GZ, SNAPPY, LZ4, ZSTD, LZO, BZIP2"),
        ("block_size_bytes", 1023, "1024..16777216"),
        ("block_size_bytes", 16 * 1024 * 1024 + 1, "1024..16777216"),
        ("keep_tombstones_ms", -1, "0..9223372036854775807"),
        ("keep_tombstones_ms", 2**63, "0..9223372036854775807"),
        ("keep_tombstones_ms", 600.0, "0..9223372036854775807"),
        ("keep_tombstones_ms", True, "0..9223372036854775807"),
    ],
)
def test_a_family_that_hbase_would_refuse_is_refused_when_declared(field, value, wanted):
    with pytest.raises(ValueError, match=f"^Family.{field}: must be {re.escape(wanted)} \\(got '?{value}'?\\)$"):
        Family(**{field: value})
