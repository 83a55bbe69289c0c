"""What each way to count makes of a lost reply: a proxy cuts the connection after the gateway has done the call."""

from contextlib import closing, contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import happybase
import pytest
from thriftpy2.thrift import TException

from domains.counters import TABLES, LoginRepository
from shared.stores import OutcomeUnknown, connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.service import ThriftService
from shared.stores.server.thrift_server import ThriftServer
from shared.tables import create_tables
from tests.engines import EMBEDDED
from tests.programs.faults.plans import Fault, Kind
from tests.programs.faults.proxy import Proxy

from .asking import BY_NAME, DAY, HOUR_MS, login

THREE = [login(DAY + hour * HOUR_MS) for hour in (8, 12, 18)]


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
    attempts = len(THREE)
    for new in THREE:
        try:
            repository.store(new)
        except OutcomeUnknown:
            attempts += 1
            repository.store(new)
    return attempts


@pytest.mark.parametrize(
    ("name", "call", "number", "attempts", "counts"),
    [
        ("increment", "atomicIncrement", 4, 4, (4, 3)),  # the first increment of the second login
        *(("counters", "mutateRowsTs", number, 3, (3, 3)) for number in (1, 2, 3, 6)),
    ],
)
def test_increments_of_which_one_is_sent_again_disagree_and_cells_count_three_whichever_reply_is_lost(
    engine, name, call, number, attempts, counts
):
    """The client of the suite sends a put again by itself, because its timestamp makes it the same put."""
    variant = BY_NAME[name]
    with losing(engine, variant.tables, call, number) as (lossy, direct):
        with closing(connect(lossy)) as connection:
            assert store_until_answered(variant.open(connection)) == attempts
        with closing(connect(direct)) as connection:
            repository = variant.open(connection)
            assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == counts


def test_cells_count_three_with_plain_happybase_too_if_the_caller_tries_again(engine):
    with losing(engine, TABLES, "mutateRowsTs", 3) as (lossy, direct), closing(connect(direct)) as connection:
        address, prefix = urlsplit(lossy), connection.table_prefix
        opened = [happybase.Connection(address.hostname, address.port, table_prefix=prefix) for _ in range(2)]
        first, second = map(LoginRepository, opened)
        first.store(THREE[0])
        with pytest.raises(TException):
            first.store(THREE[1])
        for login_ in THREE[1:]:
            second.store(login_)
        for plain in opened:
            plain.close()
        assert LoginRepository(connection).days("ada")[0].count == 3
