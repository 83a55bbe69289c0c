"""Where on the way of a call each fault hits, as raw sockets see it."""

import socket
from contextlib import ExitStack, closing

import happybase
import pytest
from attrs import frozen
from Hbase_thrift import BatchMutation, IllegalArgument, Mutation, TScan

from tests.programs.faults.gateways import EmbeddedGateway
from tests.programs.faults.messages import message, name_of, take_reply
from tests.programs.faults.plans import Fault, Kind
from tests.programs.faults.proxy import Proxy, has_more
from tests.shared.stores.scripted_gateway import until

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
    yield behind
    behind.close()


@pytest.fixture
def proxied(gateway):
    """Opens a proxy and clients at it."""
    with ExitStack() as opened:

        def clients(plan, count=1):
            proxy = opened.enter_context(Proxy(gateway, plan))
            places = [(proxy.host, proxy.port)] * count
            return [proxy, *(opened.enter_context(socket.create_connection(place, 10)) for place in places)]

        yield clients


GET = message("getRow", TABLE, b"none", {})


def put(row):
    mutation = Mutation(isDelete=False, column=b"d:a", value=b"1", writeToWAL=True)
    return message("mutateRows", TABLE, [BatchMutation(row, [mutation])], {})


def answer(client, call):
    client.sendall(call)
    return take_reply(lambda _: client.recv(1))  # and nothing of what comes behind it


def received(client, *, ends=False):
    """What comes until the client hears nothing more, and whether the connection is at its end then."""
    pieces = b""
    while has_more(client, 10 if ends else SILENCE_S):
        if not (piece := client.recv(1000)):
            return pieces, True
        pieces += piece
    return pieces, False


def is_stored(gateway):
    return bool(gateway.direct().table("faults").row(b"r"))


# Whether a part of the reply or all of it comes at once, whether the connection then ends, whether the put is stored;
# what comes once the client goes on with another call, and whether the put is stored in the end.
FAULTS = {
    Kind.LATE_REPLY: ("", False, True, "both replies", True),
    Kind.STALLED_REPLY: ("part", False, True, "both replies", True),
    Kind.CUT_REPLY: ("part", True, True, "", True),
    Kind.CUT_BEFORE: ("", True, False, "", False),
    Kind.CUT_AFTER: ("", True, True, "", True),
    Kind.NO_REPLY: ("", False, True, "", True),
    Kind.NO_REQUEST: ("", False, False, "", False),
    Kind.LATE_REQUEST: ("", False, False, "", True),
    Kind.IDLE_CLOSE: ("all", True, True, "", True),
    Kind.RESTART: ("", True, False, "", False),
    Kind.RESTART_AFTER: ("all", True, True, "", True),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_what_a_client_hears_of_a_put_and_what_is_stored(gateway, proxied, kind):
    share, ends, is_stored_then, later, is_stored_in_the_end = FAULTS[kind]
    with socket.create_connection(gateway.address) as direct:
        reply = answer(direct, put(b"another"))
    _, client = proxied(First(kind))
    client.sendall(put(b"r"))
    assert has_more(client, 10 if share else SILENCE_S) or not share
    early, ended = received(client, ends=ends)
    assert (early, ended) == ({"": b"", "part": reply[: len(early)], "all": reply}[share], ends)
    assert share != "part" or 0 < len(early) < len(reply)
    assert until(lambda: is_stored(gateway) == is_stored_then)
    if not ends:
        client.sendall(GET)
        while later and len(early) <= len(reply):
            early += client.recv(1000)
        assert not later or name_of(early.removeprefix(reply)) == "getRow"
        assert later or received(client) == (b"", False)
    assert until(lambda: is_stored(gateway) == is_stored_in_the_end)


def test_the_end_of_an_idle_connection_is_there_with_the_last_byte_of_the_reply(proxied):
    _, *clients = proxied(First(Kind.IDLE_CLOSE, call="getRow"), count=20)
    for client in clients:
        assert name_of(answer(client, GET)) == "getRow"
        assert client.recv(1, socket.MSG_DONTWAIT) == b""


def test_an_expired_scanner_is_the_gateways_own_error(proxied):
    (proxy,) = proxied(First(Kind.EXPIRED, call="scannerGetList"), count=0)
    with closing(happybase.Connection(proxy.host, proxy.port)) as connection:
        scanner = connection.client.scannerOpenWithScan(TABLE, TScan(), {})
        with pytest.raises(IllegalArgument, match="scanner ID is invalid"):
            connection.client.scannerGetList(scanner, 1)


def test_a_gateway_that_restarts_forgets_all_scanners(gateway):
    scanners = []
    for _ in range(2):
        with closing(happybase.Connection(*gateway.address)) as connection:
            for scanner in scanners:
                with pytest.raises(IllegalArgument, match="scanner ID is invalid"):
                    connection.client.scannerGetList(scanner, 1)
            scanners.append(connection.client.scannerOpenWithScan(TABLE, TScan(), {}))
        gateway.restart()
    assert scanners[0] == scanners[1]  # somebody else's, under the same id
