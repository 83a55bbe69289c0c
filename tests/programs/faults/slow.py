"""A proxy that is far away: whatever the gateway sends reaches the client some milliseconds later.

Run `python -m tests.programs.faults.slow HOST:PORT [--ms 2]`. It prints the port at which it listens, and ends with the
process that started it. Calls pass at once, so a reply comes that much later than without it, however large it is. One
thread serves all connections, because what it computes itself must not count in what is measured.
"""

import argparse
import select
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from attrs import Factory, define
from attrs import field as attribute

_PIECE_BYTES = 256 * 1024


@define(eq=False)
class _Link:
    """A client's connection and the one to the gateway, with the pieces on their way to the client."""

    client: socket.socket
    gateway: socket.socket
    on_their_way: deque[tuple[float, bytes]] = attribute(default=Factory(deque))
    """When each piece is due, and its bytes; no bytes are the end of the stream."""

    def close(self) -> None:
        self.client.close()
        self.gateway.close()


def serve(address: tuple[str, int], delay_s: float, listener: socket.socket) -> None:
    """Serves until standard input ends."""
    links: dict[socket.socket, _Link] = {}
    while True:
        due_s = min((link.on_their_way[0][0] for link in links.values() if link.on_their_way), default=None)
        wait_s = None if due_s is None else max(due_s - time.monotonic(), 0)
        readable, _, _ = select.select([listener, sys.stdin, *links], [], [], wait_s)  # epoll counts whole milliseconds
        for ready in readable:
            if ready is sys.stdin:
                return
            if ready is listener:
                link = _Link(listener.accept()[0], socket.create_connection(address))
                for connection in (link.client, link.gateway):
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    links[connection] = link
            elif ready in links:
                _forward(ready, links[ready], links, delay_s)
        now_s = time.monotonic()
        for link in {*links.values()}:
            while link.on_their_way and link.on_their_way[0][0] <= now_s:
                _deliver(link, link.on_their_way.popleft()[1], links)


def _forward(ready: socket.socket, link: _Link, links: dict[socket.socket, _Link], delay_s: float) -> None:
    piece = b""
    with suppress(OSError):
        piece = ready.recv(_PIECE_BYTES)
    if ready is link.gateway:
        link.on_their_way.append((time.monotonic() + delay_s, piece))
        if not piece:
            del links[ready]
    elif piece:
        with suppress(OSError):
            link.gateway.sendall(piece)
    else:
        _end(link, links)


def _deliver(link: _Link, piece: bytes, links: dict[socket.socket, _Link]) -> None:
    try:
        link.client.sendall(piece)
    except OSError:
        piece = b""
    if not piece:
        _end(link, links)


def _end(link: _Link, links: dict[socket.socket, _Link]) -> None:
    links.pop(link.client, None)
    links.pop(link.gateway, None)
    link.on_their_way.clear()
    link.close()


@contextmanager
def slow(host: str, port: int, delay_ms: float) -> Iterator[int]:
    """The port of such a proxy before a gateway, in a process of its own."""
    command = [sys.executable, "-m", "tests.programs.faults.slow", f"{host}:{port}", "--ms", str(delay_ms)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def main() -> None:
    """Prints the port, then serves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gateway", metavar="HOST:PORT")
    parser.add_argument("--ms", type=float, default=2.0)
    given = parser.parse_args()
    host, _, port = given.gateway.rpartition(":")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        serve((host, int(port)), given.ms / 1000, listener)


if __name__ == "__main__":
    main()
