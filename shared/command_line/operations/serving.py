"""`rowbook serve`: serves an embedded store on a port, from the first line it prints to the signal that ends it."""

import ctypes
import gc
import os
import signal
import socket
import sys
from contextlib import ExitStack, closing, suppress
from ipaddress import ip_address
from typing import Any

from rich.console import Console

from ...keys.errors import shown
from ...stores import connect, masked_url
from ...stores.embedded.connection import EmbeddedConnection
from ...stores.outcomes.connection_errors import first_line
from ...stores.server.thrift_server import Protocol, ThriftServer, Transport
from ..screen import terminal
from ..screen.signals import INTERRUPTED, WORDS, Signals
from ..screen.wrong_usage import CommandFailed, WrongUsage

MAX_PORT = 65_535

# A thread that computes, such as one that evaluates a filter, gives way to another after this time. With Python's 5 ms
# a small call at the same time takes 70 ms, because each of its steps has to wait that long.
SWITCH_S = 0.001

# CPython's defaults. Commands collect cyclic garbage less often, which a server cannot afford.
_GARBAGE_THRESHOLDS = (700, 10, 10)

MAX_BUFFER_MIB = 1024 * 1024

# Parameters of mallopt, by their names in glibc's malloc.h, with their values. Unless the threshold is fixed, glibc
# raises it to the size of a freed message, and then no longer returns memory of smaller ones.
_HEAP_OPTIONS = {"M_ARENA_MAX": (-8, 1), "M_MMAP_THRESHOLD": (-3, 128 * 1024)}


def serve(
    out: Console,
    errors: Console,
    *,
    store: str,
    host: str,
    port: str,
    thrift2_port: str | None,
    transport: Transport,
    protocol: Protocol,
    buffer_mib: str,
    known_to_be_open: bool,
) -> int:
    """Serves a store until Ctrl-C or SIGTERM; returns the exit code, 130 or 0.

    It then answers the calls that are still running, unless they take seconds, and closes the store.
    """
    port_number = _whole_number("--port", port, 0, MAX_PORT)
    thrift2_number = None if thrift2_port is None else _whole_number("--thrift2-port", thrift2_port, 0, MAX_PORT)
    options: dict[str, Any] = {
        "transport": transport,
        "protocol": protocol,
        "max_buffered_bytes": _whole_number("--buffer-mib", buffer_mib, 1, MAX_BUFFER_MIB) * 1024 * 1024,
    }
    address = _address(host, known_to_be_open)
    with closing(_embedded(store)) as connection, ExitStack() as servers:
        server = _listening("--port", connection, address, port_number, **options)
        lines = [f"listening on {server.address}"]
        servers.enter_context(server)
        if thrift2_number is not None:
            options |= {"version": "Thrift2", "beside": server}
            second = _listening("--thrift2-port", connection, address, thrift2_number, **options)
            lines.append(f"Thrift2 on {second.address}")
            servers.enter_context(second)
        sys.setswitchinterval(SWITCH_S)
        gc.set_threshold(*_GARBAGE_THRESHOLDS)
        _share_one_heap()
        with Signals() as signals:
            for line in lines:
                terminal.line(out, line)
            received = signals.wait()
    terminal.line(errors, f"{WORDS[received]}; {_where_the_data_is(store)}")
    return INTERRUPTED if received == signal.SIGINT else 0


def _listening(option: str, connection: EmbeddedConnection, address: str, port: int, **options: Any) -> ThriftServer:
    try:
        return ThriftServer(connection.service, address, port, **options)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise CommandFailed(f"{address}:{port}: {reason}; {option} 0 picks a free port") from None


def _share_one_heap() -> None:
    """Makes glibc return memory that threads have freed; otherwise each keeps 1.5 times the size of its replies."""
    with suppress(AttributeError, OSError):  # another C library
        for parameter, value in _HEAP_OPTIONS.values():
            ctypes.CDLL(None).mallopt(parameter, value)


def _whole_number(option: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise WrongUsage(f"{option}: must be {least}..{most} (got {shown(text)})")
    return int(text)


def _address(host: str, known_to_be_open: bool) -> str:
    """The numeric address of a host, IPv4 if it has one; refuses an address that other machines may reach."""
    if not host:
        raise WrongUsage("--host: must be a name or an address (got '')")
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise CommandFailed(f"--host: {shown(host)} has no address: {first_line(error)}") from None
    *_, socket_address = min(addresses, key=lambda candidate: candidate[0] != socket.AF_INET)
    address = str(socket_address[0])
    if not known_to_be_open and not ip_address(address.partition("%")[0]).is_loopback:
        raise WrongUsage(
            f"--host: {host} is open to other machines, and Thrift1 has no access control: "
            "every client that reaches the port reads and writes everything; --i-know-it-is-open serves there anyway"
        )
    return address


def _embedded(url: str) -> EmbeddedConnection:
    if url.startswith("hbase:"):
        raise WrongUsage(
            "--store: must be embedded: or embedded:FILE, because HBase has a gateway of its own"
            f" (got {masked_url(url)})"
        )
    connection = connect(url)
    assert isinstance(connection, EmbeddedConnection)
    return connection


def _where_the_data_is(url: str) -> str:
    path = url.partition(":")[2]
    if path and not os.path.exists(path):
        return f"{path} was moved or deleted meanwhile"
    return f"everything is stored in {path}" if path else "the store was in memory, its data is gone"
