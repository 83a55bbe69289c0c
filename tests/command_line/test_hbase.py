"""The command line on a real HBase, where it goes wrong: one line on stderr that says what to do, and no table left."""

from contextlib import closing

import pytest

from shared.stores import connect

pytestmark = [pytest.mark.hbase, pytest.mark.usefixtures("few_samples")]


@pytest.fixture
def url(new_url):
    """The URL of an empty store."""
    return new_url()


@pytest.fixture
def tables(url):
    """The tables that are there."""

    def read():
        with closing(connect(url)) as connection:
            return connection.tables()

    return read


def without(option, url):
    """A URL that does not have an option."""
    address, _, options = url.partition("?")
    return f"{address}?{'&'.join(word for word in options.split('&') if not word.startswith(f'{option}='))}"


def test_a_table_with_other_families_is_refused_before_another_is_made(rowbook, url, tables):
    with closing(connect(url)) as connection:
        connection.create_table("orders", {"x": {}})
    message = "table orders: must have the families o (has x)\n"
    assert rowbook(f"load orders few-orders.csv --store {url}") == (1, "", message)
    assert tables() == [b"orders", b"rowbook_layouts"]


def test_a_table_that_keeps_its_cells_otherwise_is_refused(rowbook, url):
    with closing(connect(url)) as connection:
        connection.create_table("logs", {"l": {"max_versions": 3, "time_to_live": 60}})
    code, out, err = rowbook(f"load logs few-logs.jsonl --store {url}")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("table logs, family l: must have max_versions 1, ttl_seconds None")


def test_a_store_that_was_never_loaded_names_the_missing_tables(rowbook, url, tables):
    code, out, err = rowbook(f"ask logs latest host=a event=e --store {url}")
    assert (code, out) == (1, "")
    assert err.startswith(f"{url}: has no table logs; make what is missing with rowbook load logs FILE --store '")
    assert tables() == []


def test_a_table_with_split_points_takes_thrift2_and_others_do_not(rowbook, ok, url, tables):
    thrift1 = without("thrift2_port", url)
    code, out, err = rowbook(f"load logs:salted few-logs.jsonl --store {thrift1}")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "give thrift2_port in the store's URL" in err
    assert tables() == []
    ok(f"load logs few-logs.jsonl --store {thrift1}")
    assert tables() == [b"logs", b"rowbook_layouts"]


def test_a_thrift2_port_that_is_one_of_thrift1_is_said_to_be(rowbook, url):
    with closing(connect(url)) as connection:
        thrift1 = f"{without('thrift2_port', url)}&thrift2_port={connection.port}"
    code, out, err = rowbook(f"load logs:salted few-logs.jsonl --store {thrift1}")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("it is a Thrift1 gateway)\n")


def test_a_demo_has_a_prefix_of_its_own_behind_that_of_the_url_and_leaves_nothing(rowbook, url, tables):
    code, out, _err = rowbook(f"run logs:slices --store {url}")
    assert (code, "logs:" in out) == (0, True)
    assert tables() == []
