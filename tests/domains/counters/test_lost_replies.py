"""What each way to count makes of a lost reply: a proxy cuts the connection after the gateway has done the call."""

from contextlib import closing, contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import happybase
import pytest
from Hbase_thrift import TAppend
from thriftpy2.thrift import TException

from domains.counters import LoginRepository
from shared.stores import OutcomeUnknown, connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.service import ThriftService
from shared.stores.server.thrift_server import ThriftServer
from shared.tables import create_tables
from tests.engines import EMBEDDED, plain_table
from tests.programs.faults.plans import Fault, Kind
from tests.programs.faults.proxy import Proxy

from .asking import BY_NAME, DAY, HOUR_MS, login

THREE = [login(DAY + hour * HOUR_MS) for hour in (8, 12, 18)]
STATS = plain_table("t_daily_stats", "stat")


class LosesOneReply:
    """A plan of faults: the gateway carries out the call of this name and number, and the client gets no reply."""

    def __init__(self, name, number):
        self._name = name
        self._number = number

    def fault(self, _number, call):
        if call != self._name:
            return None
        self._number -= 1
        return Fault(Kind.CUT_AFTER, share=0, reset=False) if self._number == 0 else None


@contextmanager
def served(engine, tables):
    """The URL of a gateway with empty tables."""
    if engine.name != EMBEDDED:
        with engine.url("", *tables) as url:
            yield url
        return
    with closing(EmbeddedConnection(None)) as store:
        create_tables(store, tables)
        server = ThriftServer(ThriftService(store.service.engine))
        server.start()
        try:
            yield f"hbase://{server.host}:{server.port}"
        finally:
            server.stop()


@contextmanager
def losing(engine, tables, name, number):
    """The URLs of the same store: through a proxy that loses one reply, and past it."""
    with served(engine, tables) as url:
        direct = urlsplit(url)
        gateway = SimpleNamespace(address=(direct.hostname, direct.port))
        with Proxy(gateway, LosesOneReply(name, number)) as proxy:
            yield direct._replace(netloc=f"{proxy.host}:{proxy.port}").geturl(), url
            assert proxy.faults == {Kind.CUT_AFTER: 1}
            proxy.clients_leave()


def store_until_answered(repository):
    """Stores three logins; an error is answered with another attempt. Returns the number of attempts."""
    attempts = 0
    for each in THREE:
        attempts += 1
        try:
            repository.store(each)
        except OutcomeUnknown:
            attempts += 1
            repository.store(each)
    return attempts


def test_three_increments_of_which_one_is_sent_again_count_four_and_the_counters_disagree(engine):
    """The fourth increment is the first of the second login."""
    variant = BY_NAME["increment"]
    with losing(engine, variant.tables, "atomicIncrement", 4) as (lossy, direct):
        with closing(connect(lossy)) as connection:
            assert store_until_answered(variant.open(connection)) == 4
        with closing(connect(direct)) as connection:
            repository = variant.open(connection)
            assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (4, 3)


@pytest.mark.parametrize("number", [1, 2, 3, 6])
def test_three_logins_as_cells_count_three_whichever_reply_is_lost(engine, number):
    """The client of the suite sends a put again by itself, because its timestamp makes it the same put."""
    variant = BY_NAME["counters"]
    with losing(engine, variant.tables, "mutateRowsTs", number) as (lossy, direct):
        with closing(connect(lossy)) as connection:
            assert store_until_answered(variant.open(connection)) == 3
        with closing(connect(direct)) as connection:
            repository = variant.open(connection)
            assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (3, 3)


def test_cells_count_three_with_plain_happybase_too_if_the_caller_tries_again(engine):
    variant = BY_NAME["counters"]
    with losing(engine, variant.tables, "mutateRowsTs", 3) as (lossy, direct):
        address, prefix = urlsplit(lossy), connection_prefix(direct)
        opened = [happybase.Connection(address.hostname, address.port, table_prefix=prefix) for _ in range(2)]
        first, second = (LoginRepository(connection) for connection in opened)
        first.store(THREE[0])
        with pytest.raises(TException):
            first.store(THREE[1])
        second.store(THREE[1])
        second.store(THREE[2])
        for connection in opened:
            connection.close()
        with closing(connect(direct)) as connection:
            assert LoginRepository(connection).days("ada")[0].count == 3


def connection_prefix(url):
    with closing(connect(url)) as connection:
        return connection.table_prefix


def test_three_appends_of_1_read_as_111_with_no_reply_lost(engine):
    with served(engine, [STATS]) as url, closing(connect(url)) as connection:
        table = connection.table(STATS.name)
        for _ in THREE:
            connection.client.append(TAppend(table.name, b"ada_20240315", [b"stat:login_count"], [b"1"]))
        assert table.row(b"ada_20240315") == {b"stat:login_count": b"111"}
