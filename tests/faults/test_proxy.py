"""Where on the way of a call each fault hits, as raw sockets see it."""

import socket
from contextlib import suppress

import pytest
from attrs import frozen
from Hbase_thrift import BatchMutation, Hbase, IllegalArgument, Mutation, TScan
from thriftpy2.protocol import TBinaryProtocol
from thriftpy2.transport import TMemoryBuffer

from shared.stores.server.messages import ClientGone
from tests.programs.faults.gateways import EmbeddedGateway
from tests.programs.faults.messages import message, name_of, take_reply
from tests.programs.faults.plans import Fault, Kind
from tests.programs.faults.proxy import Proxy, has_more

TABLE = b"faults"
SILENCE_S = 0.05


@frozen
class First:
    """A plan in which the first call goes wrong, or the first of this name."""

    kind: Kind
    call: str | None = None
    reset: bool = False

    def fault(self, number, call):
        first = number == 0 if self.call is None else call == self.call
        return Fault(self.kind, 0.5, self.reset) if first else None


@pytest.fixture
def gateway():
    behind = EmbeddedGateway()
    behind.direct().table("faults").put(b"s", {b"d:a": b"there from the start"})
    yield behind
    behind.close()


@pytest.fixture
def proxied(gateway):
    """Opens proxies and, at each, clients."""
    opened = []

    def clients(plan, count=1):
        opened.append(Proxy(gateway, plan).__enter__())
        return [opened[0], *(connected(opened[0]) for _ in range(count))]

    def connected(proxy):
        opened.append(socket.create_connection((proxy.host, proxy.port), 10))
        return opened[-1]

    yield clients
    for context in reversed(opened):
        context.__exit__(None, None, None)


def put(row):
    mutation = Mutation(isDelete=False, column=b"d:a", value=row, writeToWAL=True)
    return message("mutateRows", TABLE, [BatchMutation(row, [mutation])], {})


def get(row=b"s"):
    return message("getRow", TABLE, row, {})


def reply(client):
    """One reply, and nothing of the next, which may have come with it."""
    return take_reply(lambda _: client.recv(1))


def answer(client, call):
    client.sendall(call)
    return reply(client)


def result(name, reply):
    protocol = TBinaryProtocol(TMemoryBuffer(reply), decode_response=False)
    protocol.read_message_begin()
    read = getattr(Hbase, f"{name}_result")()
    read.read(protocol)
    return read


def is_silent(client):
    return not has_more(client, SILENCE_S) or not client.recv(1)


def all_until_the_end(client):
    received = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(1000):
            received += piece
    return received


def is_stored(gateway, row):
    return bool(gateway.direct().table("faults").row(row))


def open_scanner(client):
    return result("scannerOpenWithScan", answer(client, message("scannerOpenWithScan", TABLE, TScan(), {}))).success


def test_a_late_reply_comes_when_the_client_goes_on_and_looks_like_the_answer_to_the_next_call(proxied):
    _, client = proxied(First(Kind.LATE_REPLY))
    client.sendall(put(b"r"))
    assert is_silent(client)
    assert name_of(answer(client, get())) == "mutateRows"
    assert name_of(reply(client)) == "getRow"


def test_a_late_reply_does_not_wait_for_a_client_that_has_gone_on_already(proxied):
    proxy, client = proxied(First(Kind.LATE_REPLY))
    client.sendall(put(b"r") + get())
    proxy.settle()
    assert [name_of(reply(client)), name_of(reply(client))] == ["mutateRows", "getRow"]


def test_a_stalled_reply_comes_in_two_pieces(proxied):
    _, client = proxied(First(Kind.STALLED_REPLY))
    client.sendall(get())
    early = client.recv(1000)
    assert is_silent(client)
    client.sendall(get())
    whole = early + client.recv(1000, socket.MSG_PEEK)
    assert early
    assert name_of(whole) == "getRow"


@pytest.mark.parametrize(("reset", "error"), [(False, ClientGone), (True, ConnectionResetError)])
def test_a_reply_is_cut_inside(proxied, reset, error):
    _, client = proxied(First(Kind.CUT_REPLY, reset=reset))
    client.sendall(get())
    with pytest.raises(error):
        reply(client)


@pytest.mark.parametrize(("kind", "stored"), [(Kind.NO_REPLY, True), (Kind.NO_REQUEST, False)])
def test_without_a_reply_or_a_request_the_connection_stays_open_and_silent(gateway, proxied, kind, stored):
    proxy, client = proxied(First(kind))
    client.sendall(put(b"r"))
    proxy.settle()
    assert is_stored(gateway, b"r") == stored
    client.sendall(get())
    assert is_silent(client)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_late_request_is_stored_once_its_client_has_left_or_the_proxy_settles(gateway, proxied, leaves):
    proxy, client = proxied(First(Kind.LATE_REQUEST))
    client.sendall(put(b"r"))
    assert is_silent(client)
    assert not is_stored(gateway, b"r")
    if leaves:
        client.close()
    proxy.settle()
    assert is_stored(gateway, b"r")


def test_the_end_of_an_idle_connection_is_there_with_the_last_byte_of_the_reply(gateway, proxied):
    _, *clients = proxied(First(Kind.IDLE_CLOSE, call="getRow"), count=100)
    for client in clients:
        assert name_of(answer(client, get())) == "getRow"
        assert client.recv(1, socket.MSG_DONTWAIT) == b""


@pytest.mark.parametrize("kind", [Kind.RESTART, Kind.RESTART_AFTER])
def test_a_restart_ends_all_connections_and_forgets_all_scanners(proxied, kind):
    proxy, client, other = proxied(First(kind, call="mutateRows"), count=2)
    scanner = open_scanner(other)
    client.sendall(put(b"r"))
    assert bool(all_until_the_end(client)) == (kind == Kind.RESTART_AFTER)
    assert all_until_the_end(other) == b""
    proxy.settle()
    with connected_again(proxy) as later:
        fetched = result("scannerGetList", answer(later, message("scannerGetList", scanner, 1)))
        assert isinstance(fetched.ia, IllegalArgument)
        assert open_scanner(later) == scanner  # somebody else's, under the same id


def connected_again(proxy):
    while True:
        with suppress(ConnectionRefusedError):
            return socket.create_connection((proxy.host, proxy.port), 10)


def test_an_expired_scanner_is_the_gateways_own_error(proxied):
    _, client = proxied(First(Kind.EXPIRED, call="scannerGetList"))
    scanner = open_scanner(client)
    fetched = result("scannerGetList", answer(client, message("scannerGetList", scanner, 1)))
    assert fetched.ia.message == b"scanner ID is invalid"
