"""Tables that the command line makes on gateways: pre-split through Thrift2, or one line if there is none."""

import pytest

from tests.shared.stores.hbase.thrift2_gateway import both_gateways

EVENT = "host,event,time_ms,message\nweb-1,GET,2026-01-12,/\n"
NEEDS = (
    "table logs_salted: its split points need Thrift2 to be set: give thrift2_port in the store's URL (got none), or"
    " run what rowbook ddl prints in the HBase shell\n"
)


@pytest.fixture
def gateways(folder):
    """A connection to an HBase's two gateways, and the URL of its store with one of them and with both."""
    (folder / "a.csv").write_text(EVENT)
    with both_gateways() as (connection, _store):
        url = f"hbase://127.0.0.1:{connection.port}"
        yield connection, url, f"{url}?thrift2_port={connection.thrift2_port}"


def test_load_makes_the_regions_that_the_layout_tells(ok, gateways):
    connection, thrift1, both = gateways
    ok(f"load logs:salted a.csv --store {both}")
    regions = connection.table("logs_salted").regions()
    assert [region["start_key"] for region in regions] == [b"", *(bytes([salt]) for salt in range(1, 8))]
    ok(f"load logs:salted a.csv --store {thrift1}")  # what is there may be used through Thrift1 alone
    assert len(list(connection.table("logs_salted").scan())) == 1


def test_without_thrift2_one_line_names_the_option(rowbook, gateways):
    connection, thrift1, _both = gateways
    assert rowbook(f"load logs:salted a.csv --store {thrift1}") == (1, "", NEEDS)
    assert rowbook(f"run logs:salted --store {thrift1}") == (1, "", NEEDS)
    assert connection.tables() == []


def test_a_plain_table_takes_thrift1_alone(ok, gateways):
    _connection, thrift1, _both = gateways
    assert "1 record stored" in ok(f"load logs a.csv --store {thrift1}")


def test_a_table_that_keeps_its_cells_otherwise_is_refused_in_one_line(rowbook, gateways):
    connection, thrift1, both = gateways
    connection.create_table("logs", {"l": {"max_versions": 3, "bloom_filter_type": "ROW", "compression": "GZ"}})
    for url in (thrift1, both):
        assert rowbook(f"load logs a.csv --store {url}") == (
            1,
            "",
            "table logs, family l: must have max_versions 1, compression NONE (has max_versions 3, compression GZ)\n",
        )


def test_a_thrift2_port_where_nobody_is_is_refused_in_one_line(rowbook, gateways):
    connection, thrift1, _both = gateways
    code, out, err = rowbook(f"load logs:salted a.csv --store {thrift1}?thrift2_port={connection.port}")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"thrift2_port: must be the port of a Thrift2 gateway (got {connection.port}; 127.0.0.1:")
