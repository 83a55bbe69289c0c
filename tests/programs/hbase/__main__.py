"""A real HBase until Ctrl-C. Prints the URL for `--store`."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.programs.hbase.processes import until_ctrl_c
from tests.programs.hbase.server import running


@contextmanager
def announced(arguments: argparse.Namespace) -> Iterator[list[str]]:
    """An HBase while the block runs, and what is said of it."""
    started_s = time.monotonic()
    with running(data=arguments.data, thrift1=arguments.port) as hbase:
        yield [
            f"HBase is ready after {time.monotonic() - started_s:.0f} s; Ctrl-C ends it",
            f"--store '{hbase.url}'",
            f"pages and counters: {hbase.info_url}; logs: {hbase.folder}",
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder that keeps the data; deleted with the server if omitted")
    parser.add_argument("--port", type=_port, help="port of the Thrift1 gateway; a free one if omitted")
    return until_ctrl_c(announced(parser.parse_args()))


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"must be 1..65535 (got {text!r})")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
