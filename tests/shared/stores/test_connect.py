"""URLs: what opens, and what is refused with one line."""

import traceback

import pytest

from shared.stores import StoreError, connect, masked_url
from shared.stores.hbase.connection import HBaseConnection


def test_a_relative_path_and_odd_names_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.db", ":memory:", "file:x", "é b"):
        connect(f"embedded:{name}").close()
        assert (tmp_path / name).is_file()


@pytest.fixture
def arguments(monkeypatch):
    """The arguments of an HBaseConnection, which does not connect."""
    recorded = {}
    monkeypatch.setattr(HBaseConnection, "__init__", lambda self, **named: recorded.update(named))
    return recorded


def test_an_hbase_url_is_a_connection_to_its_gateway(arguments):
    options = "timeout_ms=1500&retry_ms=0&pool_size=40&in_flight=3&transport=framed&protocol=compact&table_prefix=x"
    url = f"hbase://hb.example:9191?{options}"
    assert type(connect(f"{url}&thrift2_port=9192")) is HBaseConnection
    place = {"host": "hb.example", "port": 9191, "thrift2_port": 9192, "table_prefix": "x"}
    wire = {"timeout_ms": 1500, "retry_ms": 0, "transport": "framed", "protocol": "compact"}
    assert arguments == place | wire | {"pool_size": 40, "in_flight": 3}


def test_what_an_hbase_url_leaves_out_is_as_hbase_has_it(arguments):
    connect("hbase://[::1]", table_prefix="p")
    assert arguments == {"host": "::1", "port": 9090, "table_prefix": "p"}


EMBEDDED, HBASE = "wants embedded:, embedded:PATH or hbase://HOST:PORT (got ", "wants hbase://HOST:PORT"
TIMEOUT = "timeout_ms: wants a whole number from 1 to 86400000 (got "
REFUSED = {
    EMBEDDED: ["", "embedded", "/tmp/x.db", "sqlite:x", "EMBEDDED:"],
    "without // and without ?": ["embedded://x.db", "embedded:x.db?table_prefix=p"],
    "must not contain NUL": ["embedded:a\0b"],
    HBASE: [
        *("hbase:", "hbase:localhost:9090", "hbase://", "hbase://:9090"),
        *("hbase://h:0", "hbase://h:65536", "hbase://h:x"),
        *("hbase://user@h:1", "hbase://h:1/path", "hbase://h:1#f", "hbase://h:1?timeout_ms"),
    ],
    f"{TIMEOUT}'0')": ["hbase://h:1?timeout_ms=0"],
    f"{TIMEOUT}'1.5')": ["hbase://h:1?timeout_ms=1.5"],
    f"{TIMEOUT}'86400001')": ["hbase://h:1?timeout_ms=86400001"],
    "retry_ms: wants a whole number from 0 to 86400000 (got '-1')": ["hbase://h:1?retry_ms=-1"],
    "retry_ms: wants a whole number from 0 to 86400000 (got '999": [f"hbase://h:1?retry_ms={'9' * 5000}"],
    "pool_size: wants a whole number from 1 to 1000 (got '0')": ["hbase://h:1?pool_size=0"],
    "in_flight: wants a whole number from 1 to 64 (got '65')": ["hbase://h:1?in_flight=65"],
    "thrift2_port: wants a whole number from 1 to 65535 (got '": [
        f"hbase://h:1?thrift2_port={port}" for port in ("0", "65536", "")
    ],
    "transport: wants buffered or framed (got 'http')": ["hbase://h:1?transport=http"],
    "protocol: wants binary or compact (got 'json')": ["hbase://h:1?protocol=json"],
    "option: wants one of timeout_ms, retry_ms, pool_size, in_flight, transport, protocol, table_prefix": [
        "hbase://h:1?retry=5"
    ],
    "timeout_ms: wants one value": ["hbase://h:1?timeout_ms=1&timeout_ms=2"],
    "table_prefix: wants one value": ["hbase://h:1?table_prefix=a&table_prefix=b"],
}


@pytest.mark.parametrize(("reason", "url"), [(reason, url) for reason, urls in REFUSED.items() for url in urls])
def test_other_urls_are_refused_in_one_line(reason, url):
    with pytest.raises(StoreError) as caught:
        connect(url)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


SECRETS = [
    *("hbase://user:secret@h", "hbase://user:secret@h:1/", "hbase://secret@h", "hbase:user:secret@h"),
    *("hbase://user:secret/x@h", "hbase://user:1/secret@h", "hbase://user:secret@x@h", "hbase://user:a?secret@h"),
    *("HBASE://user:secret@h", "https://user:secret@h", "user:secret@h", "secret@h", "embedded://user:secret@h"),
    *("hbase://h:x?password=secret", "hbase://h?password=secret&token=secret", "hbase://h?password=secret&bad"),
    *("hbase://h/path?timeout_ms=1&password=secret", "embedded:a.db?password=secret", "hbase://h:1#secret@h"),
    *("secret@h:9090", "hbase://user:secret%40h:9090", "hbase://h:1?timeout_ms=5;password=secret", "hbase://h?secret"),
    *("hbase://h:1?timeout_ms=5#password=secret", "hbase://h?password%3Dsecret", "hbase://h?=secret"),
]


@pytest.mark.parametrize("url", SECRETS)
def test_a_password_in_a_url_is_in_no_error_nor_in_its_cause(url):
    with pytest.raises(StoreError) as caught:
        connect(url)
    shown = "".join(traceback.format_exception(caught.value)).replace(f'connect("{url}")', "")
    assert str(caught.value).startswith("store URL: ")
    assert "secret" not in shown


def test_what_holds_no_password_is_shown_as_it_is():
    for url in ("hbase://h:1?timeout_ms=5&thrift2_port=7", "embedded:a#b;c&d@e.db", "hbase://h?", "hbase://[::1]:9090"):
        assert masked_url(url) == url
    assert masked_url("hbase://user:secret@h:1?timeout_ms=5&password=x") == "hbase://***@h:1?timeout_ms=5&password=***"


@pytest.mark.parametrize(
    ("in_url", "of_caller", "both"),
    [("a", "b", "a_b"), ("", "b", "b"), ("shop:", "b", "shop:b"), ("shop:", None, "shop:")],
)
def test_a_prefix_or_a_namespace_in_a_url_comes_before_the_prefix_of_the_caller(arguments, in_url, of_caller, both):
    connect(f"hbase://h?table_prefix={in_url}", table_prefix=of_caller)
    assert arguments["table_prefix"] == both


PREFIXES = {"shop:": "shop:t", "shop:p": "shop:p_t", "p": "p_t", None: "t"}


@pytest.mark.parametrize(("prefix", "name"), PREFIXES.items())
def test_a_prefix_that_ends_with_a_colon_is_a_namespace(prefix, name):
    connection = connect("embedded:", table_prefix=prefix)
    connection.create_namespace("shop")
    connection.create_table("t", {"d": {}})
    assert connection.tables() == [b"t"]
    assert connection.client.getTableNames() == [name.encode()]
