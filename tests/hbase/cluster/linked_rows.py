"""Rows that name the row before them, in the manner of HBase's integration test of linked lists.

A writer stores a row only after the row before it was acknowledged. So a row that names a missing one is proof of a
loss, and so is an acknowledged row that is missing. A derived table holds the links in the other direction.
"""

from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs
import happybase

from shared.keys import EscapedText, KeyLayout, TrailingText
from shared.stores import connect
from shared.tables import Column, RecordCells, TableLayout
from shared.writes import IntentWriter, SourceCells, intents_table
from tests.shared.specimens import key_class
from tests.shared.writes.processes import Log, entries


@attrs.frozen
class Link:
    """A row, and the row before it; None for the first row of a writer."""

    name: str
    before: str | None


@attrs.frozen
class BackLink:
    """The same link, by the row before."""

    before: str
    name: str


LinkByName = key_class("LinkByName", name=TrailingText)
LinkByBefore = key_class("LinkByBefore", before=EscapedText, name=EscapedText)
LINK_CELLS = SourceCells(RecordCells(Link, {"before": Column("f:b")}, marker=None), "f:l")
LINKS = TableLayout("links", "a row", KeyLayout(LinkByName), LINK_CELLS)
BACK_LINKS = TableLayout("back_links", "a link", KeyLayout(LinkByBefore), RecordCells(BackLink, {}, marker="f:x"))
LINK_INTENTS = intents_table("links_intents")
LINK_TABLES = (LINKS, BACK_LINKS, LINK_INTENTS)


def name_of(writer: int, number: int) -> str:
    """The name of a writer's row: its rows are spread over the whole table."""
    return sha256(b"%d %d" % (writer, number)).hexdigest()[:16]


def link_of(writer: int, number: int) -> Link:
    """A writer's row; rows count from 1."""
    return Link(name_of(writer, number), name_of(writer, number - 1) if number > 1 else None)


def link_writer(connection: happybase.Connection) -> IntentWriter[Link]:
    """The writer of links."""
    return IntentWriter(connection, LINKS, LINK_INTENTS, [BACK_LINKS], _lines_of, moving=[BACK_LINKS])


def _lines_of(link: Link) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
    if link.before is not None:
        yield BACK_LINKS, BackLink(link.before, link.name)


def link_rows(url: str, log_file: Path, writer: int, first: int, last: int) -> None:
    """A process that stores rows from `first` to `last`, and writes down each that was acknowledged."""
    log = Log(log_file)
    with closing(connect(url)) as connection:
        links = link_writer(connection)
        for number in range(first, last + 1):
            link = link_of(writer, number)
            links.write(LinkByName(link.name), lambda _stored, link=link: link)
            log.write(writer=writer, number=number)


def recover_links(url: str) -> None:
    """A process that gives up every write it sees, until it is killed."""
    with closing(connect(url)) as connection:
        links = link_writer(connection)
        while True:
            links.recover(older_than_ms=0)


def last_acknowledged(folder: Path) -> dict[int, int]:
    """Each writer's last acknowledged row, from the logs of a folder."""
    last: dict[int, int] = {}
    for entry in entries(folder):
        last[entry["writer"]] = max(entry["number"], last.get(entry["writer"], 0))
    return last


def faults_of(connection: happybase.Connection, acknowledged: dict[int, int]) -> list[str]:
    """Acknowledged rows that are missing or different, rows after a missing one, and links in one direction only.

    `acknowledged` is each writer's last acknowledged row; rows before it were acknowledged too.
    """
    sources = {row.decode(): LINKS.record(row, cells) for row, cells in connection.table(LINKS.name).scan()}
    back = {BACK_LINKS.key.decode(row) for row, _ in connection.table(BACK_LINKS.name).scan()}
    found = [
        f"row {number} of writer {writer} is {sources.get(name_of(writer, number))}"
        for writer, last in acknowledged.items()
        for number in range(1, last + 1)
        if sources.get(name_of(writer, number)) != link_of(writer, number)
    ]
    followed = {(link.before, link.name) for link in sources.values() if link.before is not None}
    found += [f"{name} follows {before}, which is missing" for before, name in followed if before not in sources]
    reverse = {(key.before, key.name) for key in back}
    return found + [f"{link} is stored in one direction only" for link in followed ^ reverse]
