"""What the benchmarks share: options, stores to measure, and times."""

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import happybase

from shared.stores import connect
from shared.tables import TableLayout, create_tables, drop_tables

ROOT = Path(__file__).parents[3]
SERVE = [sys.executable, "-c", "from domains.command_line.main import main; main()", "serve", "--port", "0"]


def options(about: str | None, **flags: str) -> argparse.Namespace:
    """The options of a benchmark: `--quick`, those that `flags` says the purpose of, and a URL if one is `store`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="everything once, with few rows: shows that it runs")
    for name, purpose in flags.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "store":
            parser.add_argument(flag, metavar="URL", help=purpose)
        else:
            parser.add_argument(flag, action="store_true", help=purpose)
    return parser.parse_args()


@contextmanager
def server() -> Iterator[tuple[int, int]]:
    """`rowbook serve` in a process of its own: its process id and its port."""
    with subprocess.Popen(SERVE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.terminate()


@contextmanager
def store_or_server(store: str | None) -> Iterator[str]:
    """This URL, or that of an embedded store in a process of its own: every call crosses a socket, as to a gateway."""
    if store:
        yield store
        return
    with server() as (_process_id, port):
        yield f"hbase://127.0.0.1:{port}"


@contextmanager
def new_tables(url: str, tables: Iterable[TableLayout[Any, Any]], prefix: str = "") -> Iterator[happybase.Connection]:
    """A connection to new tables, which are dropped in the end; their prefix is a random one if omitted."""
    with closing(connect(url, table_prefix=prefix or f"b{secrets.token_hex(3)}")) as connection:
        create_tables(connection, tables)
        try:
            yield connection
        finally:
            drop_tables(connection, tables)


def put_records(
    connection: happybase.Connection, table: TableLayout[Any, Any], records: Iterable[Any], at_ms: int | None = None
) -> None:
    """Puts the rows of records raw, 1,000 in a call."""
    with connection.table(table.name).batch(batch_size=1_000, timestamp=at_ms) as batch:
        for record in records:
            batch.put(table.row(record), table.cells.pack(record))


def seconds(action: Callable[[], Any]) -> float:
    begin_s = time.perf_counter()
    action()
    return time.perf_counter() - begin_s


def best_s(action: Callable[[], Any], times: int) -> float:
    """The least time of so many."""
    return min(seconds(action) for _ in range(times))
