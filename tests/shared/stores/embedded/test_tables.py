"""Tables: created, described, disabled, deleted."""

import happybase
import pytest
from Hbase_thrift import AlreadyExists, ColumnDescriptor, IllegalArgument, IOError
from thriftpy2.thrift import TApplicationException


def test_families_have_the_defaults_that_happybase_sends(table):
    assert table.families()[b"d"] == {
        "name": b"d:",
        "max_versions": 3,
        "compression": b"NONE",
        "in_memory": False,
        "bloom_filter_type": b"NONE",
        "bloom_filter_vector_size": 0,
        "bloom_filter_nb_hashes": 0,
        "block_cache_enabled": False,
        "time_to_live": 2**31 - 1,
    }
    assert table.families()[b"m"]["max_versions"] == 1


def test_options_of_a_family_are_kept(connection):
    connection.create_table(
        "o", {"f": {"compression": "gz", "bloom_filter_type": "ROW", "time_to_live": 60, "in_memory": True}}
    )
    options = connection.table("o").families()[b"f"]
    assert tuple(options[name] for name in ("compression", "bloom_filter_type", "time_to_live", "in_memory")) == (
        b"GZ",
        b"ROW",
        60,
        True,
    )


def test_tables_are_listed_in_order_whatever_their_state(connection):
    for name in ("b", "a", "c"):
        connection.create_table(name, {"f": {}})
    connection.disable_table("b")
    assert connection.tables() == [b"a", b"b", b"c"]


def test_a_prefix_hides_the_tables_of_others():
    from shared.stores import connect

    connection = connect("embedded:", table_prefix="p")
    connection.create_table("t", {"f": {}})
    connection.client.createTable(b"other", [ColumnDescriptor(name=b"f:")])
    assert connection.tables() == [b"t"]
    assert connection.client.getTableNames() == [b"other", b"p_t"]
    assert connection.table("t").name == b"p_t"


@pytest.mark.parametrize("name", ["", ".a", "-a", "a b", "a/b", "zookeeper", b"\xff", "a:", "a:b:c"])
def test_an_illegal_table_name_is_an_undeclared_error(connection, name):
    with pytest.raises(TApplicationException, match="Internal error processing createTable"):
        connection.create_table(name, {"f": {}})


def test_the_default_namespace_is_no_other_name_and_no_other_one_exists(connection):
    connection.create_table("default:h1_é.x-1", {"f": {}})
    assert ["h1_é.x-1".encode()] == connection.tables()
    assert connection.is_table_enabled("default:h1_é.x-1")
    with pytest.raises(IOError, match="NamespaceNotFoundException: ns"):
        connection.create_table("ns:t", {"f": {}})


@pytest.mark.parametrize(
    ("descriptor", "reason"),
    [
        (ColumnDescriptor(name=b""), "column name is empty"),
        (ColumnDescriptor(name=b":"), "can not be empty"),
        (ColumnDescriptor(name=b".f"), "must not start with"),
        (ColumnDescriptor(name=b"a/b"), "must not start with"),
        (ColumnDescriptor(name=b"\x1ff"), "must not start with"),
        (ColumnDescriptor(name=b"f" * 128), "at most 127 bytes"),
        (ColumnDescriptor(name=b"f", maxVersions=0), "Maximum versions must be positive"),
        (ColumnDescriptor(name=b"f", compression="X"), "Unsupported compression algorithm name: X"),
        (ColumnDescriptor(name=b"f", bloomFilterType="row"), "No enum constant"),
    ],
)
def test_an_illegal_family_is_an_illegal_argument(connection, descriptor, reason):
    with pytest.raises(IllegalArgument, match=reason):
        connection.client.createTable("t", [descriptor])
    assert connection.tables() == []


def test_a_family_named_twice_or_none_at_all_is_refused(connection):
    with pytest.raises(IllegalArgument, match="already exists"):
        connection.client.createTable("t", [ColumnDescriptor(name="f"), ColumnDescriptor(name="f:x")])
    with pytest.raises(IOError, match="at least one column family"):
        connection.client.createTable("t", [])


def test_a_table_that_exists_cannot_be_created(connection, table):
    with pytest.raises(AlreadyExists, match="table name already in use"):
        connection.create_table("t", {"x": {}})


def test_a_table_is_deleted_with_its_rows_once_it_is_disabled(connection, table):
    table.put(b"r", {b"d:a": b"1"})
    with pytest.raises(IOError, match="TableNotDisabledException"):
        connection.delete_table("t")
    connection.delete_table("t", disable=True)
    assert connection.tables() == []
    with pytest.raises(IOError, match="table does not exist"):
        connection.delete_table("t")
    connection.create_table("t", {"d": {}})
    assert table.row(b"r") == {}


def test_a_disabled_table_takes_no_reads_and_no_writes(connection, table):
    connection.disable_table("t")
    assert not connection.is_table_enabled("t")
    with pytest.raises(IOError, match="TableNotEnabledException"):
        connection.disable_table("t")
    with pytest.raises(IOError, match="TableNotEnabledException"):
        table.row(b"r")
    with pytest.raises(IOError, match="TableNotEnabledException"):
        next(table.scan())
    with pytest.raises(IOError, match=r"RetriesExhaustedWithDetailsException: Failed 1 action: .*TableNotEnabled"):
        table.put(b"r", {b"d:a": b"1"})
    connection.enable_table("t")
    with pytest.raises(IOError, match="TableNotDisabledException"):
        connection.enable_table("t")
    table.put(b"r", {b"d:a": b"1"})


def test_a_table_that_is_not_there(connection):
    missing = connection.table("nope")
    for call in (
        lambda: connection.enable_table("nope"),
        lambda: connection.disable_table("nope"),
        lambda: connection.is_table_enabled("nope"),
        lambda: connection.compact_table("nope"),
        lambda: connection.compact_table("nope", major=True),
        lambda: connection.delete_table("nope", disable=True),
        missing.families,
        lambda: missing.row(b"r"),
        lambda: next(missing.scan()),
        lambda: missing.put(b"r", {b"d:a": b"1"}),
        lambda: missing.counter_inc(b"r", b"d:a"),
    ):
        with pytest.raises(IOError, match="TableNotFoundException: nope"):
            call()
    assert missing.regions() == []


def test_a_table_is_one_region(connection, table: happybase.Table):
    (region,) = table.regions()
    assert (region["start_key"], region["end_key"], region["version"]) == (b"", b"", 1)
    assert region["name"].startswith(b"t,,%d." % region["id"])
