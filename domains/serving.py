"""What `rowbook serve` does: an embedded store behind a port, from its first line to the signal that ends it."""

import ctypes
import os
import signal
import socket
import sys
from contextlib import closing, suppress
from ipaddress import ip_address
from typing import Any

from rich.console import Console

from shared.stores import EmbeddedConnection, connect
from shared.stores.server.thrift_server import Protocol, ThriftServer, Transport

from . import show
from .asking import WrongUsage

MAX_PORT = 65_535

# A thread that computes, such as one that asks a filter, gives way to another after this time. With Python's own 5 ms a
# small call beside it takes 70 ms, since it has to wait that long for each of its steps.
SWITCH_S = 0.001

MAX_BUFFER_MIB = 1024 * 1024
_M_ARENA_MAX = -8  # of glibc's malloc.h
INTERRUPTED = 130

_ENDING = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class NotServed(Exception):
    """Why there is no server; one line says what to do."""


def serve(
    out: Console,
    errors: Console,
    *,
    store: str,
    host: str,
    port: str,
    transport: Transport,
    protocol: Protocol,
    buffer_mib: str,
    known_to_be_open: bool,
) -> int:
    """Serves a store until Ctrl-C or SIGTERM; returns the exit code, 130 or 0.

    Calls that run then are finished and answered, unless they take seconds, and the store is closed.
    """
    number = _whole("--port", port, 0, MAX_PORT)
    options: dict[str, Any] = {
        "transport": transport,
        "protocol": protocol,
        "max_buffered_bytes": _whole("--buffer-mib", buffer_mib, 1, MAX_BUFFER_MIB) * 1024 * 1024,
    }
    address = _address(host, known_to_be_open)
    with closing(_embedded(store)) as connection:
        try:
            server = ThriftServer(connection.service, address, number, **options)
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise NotServed(f"{address}:{number}: {reason}; --port 0 takes a free port") from None
        sys.setswitchinterval(SWITCH_S)
        _share_one_heap()
        # The threads of the server inherit this, so that both signals wait for this one to ask for them.
        unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        with server:
            show.line(out, f"listening on {server.address}")
            received = signal.Signals(signal.sigwait(_ENDING))
            for each in _ENDING:
                signal.signal(each, signal.SIG_DFL)  # a second one waits for nothing
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
    show.line(errors, f"{_ENDING[received]}; {_left(store)}")
    return INTERRUPTED if received == signal.SIGINT else 0


def _share_one_heap() -> None:
    """Has glibc give back what threads have freed; otherwise each keeps it, half as much again as its replies took."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _whole(option: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise WrongUsage(f"{option}: must be {least}..{most} (got {text!r:.100})")
    return int(text)


def _address(host: str, known_to_be_open: bool) -> str:
    """The numeric address of a host, IPv4 if it has one; refuses one that other machines may reach."""
    if not host:
        raise WrongUsage("--host: must be a name or an address (got '')")
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotServed(f"--host: {host!r} has no address: {show.reason(error)}") from None
    family_first = min(found, key=lambda each: each[0] != socket.AF_INET)
    address = str(family_first[4][0])
    if not known_to_be_open and not ip_address(address.partition("%")[0]).is_loopback:
        raise WrongUsage(
            f"--host: {host} is open to other machines, and Thrift1 has no access control: "
            "whoever reaches the port reads and writes everything; --i-know-it-is-open serves there all the same"
        )
    return address


def _embedded(url: str) -> EmbeddedConnection:
    if url.startswith("hbase:"):
        raise WrongUsage(
            f"--store: must be embedded: or embedded:FILE, since HBase has a gateway of its own (got {url})"
        )
    connection = connect(url)
    assert isinstance(connection, EmbeddedConnection)
    return connection


def _left(url: str) -> str:
    path = url.partition(":")[2]
    if path and not os.path.exists(path):
        return f"{path} was moved or deleted meanwhile"
    return f"all is stored in {path}" if path else "what was in memory is gone"
