"""A proxy that is far away: whatever the gateway sends reaches the client some milliseconds later.

Run `python -m tests.programs.faults.slow HOST:PORT [--ms 2]`. It prints the port at which it listens, and ends with the
process that started it. Calls pass at once, so a reply comes that much later than without it, however large it is. One
thread serves all connections, because what it computes itself must not count in what is measured.
"""

import argparse
import asyncio
import subprocess
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from selectors import SelectSelector

_PIECE_BYTES = 256 * 1024


async def _forward(reader: StreamReader, writer: StreamWriter, delay_s: float) -> None:
    """Sends on what it reads, so much later, and then the end of the stream."""
    later = partial(asyncio.get_running_loop().call_later, delay_s) if delay_s else lambda call, *given: call(*given)
    while piece := await reader.read(_PIECE_BYTES):
        later(writer.write, piece)
    later(writer.close)


async def serve(host: str, port: int, delay_s: float) -> None:
    """Prints the port, and serves until standard input ends."""

    async def connected(reader: StreamReader, writer: StreamWriter) -> None:
        from_gateway, to_gateway = await asyncio.open_connection(host, port)
        both = _forward(reader, to_gateway, 0), _forward(from_gateway, writer, delay_s)
        await asyncio.gather(*both, return_exceptions=True)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gateway", metavar="HOST:PORT")
    parser.add_argument("--ms", type=float, default=2.0)
    given = parser.parse_args()
    host, _, port = given.gateway.rpartition(":")
    # epoll waits for whole milliseconds
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(SelectSelector())) as runner:
        runner.run(serve(host, int(port), given.ms / 1000))


if __name__ == "__main__":
    main()
