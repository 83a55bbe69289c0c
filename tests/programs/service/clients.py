"""Clients of a service, many at a time: each keeps a connection, and sends one request after the other."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from attrs import define, field

AGAIN = (503, 504)
"""The statuses after which a client sends the same request again."""


@define
class Tally:
    """What the clients have got."""

    statuses: Counter[int] = field(factory=Counter[int])
    cut: int = 0
    """Requests without an answer: the connection was refused or broke."""
    settled: int = 0
    """Requests that were sent more than once, until they were answered by neither 503 nor 504."""
    troubles: int = 0
    """How often a process or a gateway was killed or stopped meanwhile."""
    durations_s: list[float] = field(factory=list[float])
    """How long each answer took."""

    def slowest_hundredth_ms(self) -> float:
        """The time in which 99 of 100 answers came."""
        return 1000 * sorted(self.durations_s)[int(0.99 * (len(self.durations_s) - 1))]


@define
class Client:
    """A connection to a service at a port of this machine."""

    port: int
    tally: Tally
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the JSON of one answer; (0, None) without an answer."""
        start_s = time.monotonic()
        try:
            status, text = await self._ask(method, path, b"" if body is None else json.dumps(body).encode())
        except (OSError, EOFError, ValueError):
            self.close()
            self.tally.cut += 1
            return 0, None
        self.tally.durations_s.append(time.monotonic() - start_s)
        self.tally.statuses[status] += 1
        return status, json.loads(text) if text else None

    async def until_settled(self, method: str, path: str, body: Any = None, pause_s: float = 0.05) -> tuple[int, Any]:
        """Sends the same request again after 503, 504 and no answer."""
        status, answer = await self.ask(method, path, body)
        if status and status not in AGAIN:
            return status, answer
        while not status or status in AGAIN:
            await asyncio.sleep(pause_s)
            status, answer = await self.ask(method, path, body)
        self.tally.settled += 1
        return status, answer

    async def _ask(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._writer.write(f"{head}\r\n".encode() + body)
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines if line)
        text = await self._reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.close()
        return int(first.split(" ")[1]), text

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


def run_clients(
    port: int, count: int, requests: Callable[[Client, int], Coroutine[Any, Any, None]], tally: Tally
) -> float:
    """Runs so many clients, each with its number, until all are done; returns the seconds."""

    async def together() -> None:
        clients = [Client(port, tally) for _ in range(count)]
        await asyncio.gather(*(requests(client, number) for number, client in enumerate(clients)))
        for client in clients:
            client.close()

    start_s = time.monotonic()
    asyncio.run(together())
    return time.monotonic() - start_s


def numbers_of(client: int, count: int) -> Iterator[int]:
    """The numbers of a client's requests, which no other client has."""
    return iter(range(client * count, (client + 1) * count))
