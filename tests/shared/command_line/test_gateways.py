"""Tables that the command line makes through an HBase's gateways, with and without Thrift2."""

from contextlib import closing

import pytest

from shared.command_line.files.load_command import ADVICE
from shared.stores import connect
from tests.engines import EMBEDDED
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture
def url(engine):
    """The URL of an empty store with both gateways."""
    if engine.name != EMBEDDED:
        with engine.url() as url:
            yield url
        return
    with both_gateways() as (connection, _store):
        yield f"hbase://127.0.0.1:{connection.port}?thrift2_port={connection.thrift2_port}"


@pytest.fixture
def connection(url):
    """A connection to the store."""
    with closing(connect(url)) as connection:
        yield connection


@pytest.fixture
def thrift1(url):
    """The URL of the store without Thrift2."""
    address, _, options = url.partition("?")
    others = [option for option in options.split("&") if not option.startswith("thrift2_port=")]
    return f"{address}?{'&'.join([*others, 'retry_ms=0'])}"


@pytest.fixture
def refused(rowbook):
    """Runs a command that must fail with one line; returns that line."""

    def run(line):
        code, out, err = rowbook(line)
        assert (code, out, err.count("\n")) == (1, "", 1)
        return err

    return run


def test_a_table_with_split_points_is_made_through_thrift2_and_used_without(
    rowbook, ok, refused, url, thrift1, connection
):
    needs = (
        "table logs_salted: its split points need Thrift2 to be set: give thrift2_port in the store's URL (got none),"
        " or run what rowbook ddl prints in the HBase shell\n"
    )
    assert refused(f"load logs:salted few-logs.jsonl --store '{thrift1}'") == needs
    assert refused(f"run logs:salted --store '{thrift1}'").endswith(needs.partition(": ")[2])
    assert connection.tables() == []
    ok(f"load logs:salted few-logs.jsonl --store '{url}'")
    regions = connection.table("logs_salted").regions()
    assert [region["start_key"] for region in regions] == [b"", *(bytes([salt]) for salt in range(1, 8))]
    code, _out, err = rowbook(f"load logs:salted few-logs.jsonl --store '{thrift1}'")
    assert (code, err) == (0, f"slow: {ADVICE}\n")
    assert len(list(connection.table("logs_salted").scan())) == 40


def test_a_demo_leaves_no_table(ok, url, connection):
    assert "storing one record" in ok(f"run logs:slices --store '{url}'")
    assert connection.tables() == []
