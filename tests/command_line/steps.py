"""What happens in a transcript between commands, to the store embedded:a.db."""

import os
import socket
from contextlib import closing
from pathlib import Path

from shared.stores import connect


def prepare_what_is_no_file() -> None:
    """A folder, a pipe, a socket, an empty and a binary file, a store without tables, and one with another table."""
    Path("folder").mkdir()
    Path("empty").touch()
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    Path("binary").write_bytes(b"\x7f\0\0binary" * 100)
    connect("embedded:new.db").close()
    connection = connect("embedded:other.db")
    connection.create_table("orders", {"x": {}})
    connection.close()


def put(table: str, row: str, column: str, value: str) -> None:
    """Puts a cell; row and value are in hex."""
    with closing(connect("embedded:a.db")) as connection:
        connection.table(table).put(bytes.fromhex(row), {column.encode(): bytes.fromhex(value)})
