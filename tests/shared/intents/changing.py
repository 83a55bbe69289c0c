"""Writers that change the status of orders at random, and the comparison of what they were answered with the store."""

from collections.abc import Sequence
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import attrs
import happybase

from domains.orders import Order, OrderRepository
from domains.orders.keys import BY_BUYER, BY_SELLER, BY_STATUS, ORDERS, OrderByNumber
from domains.orders.records import STATUSES
from shared.intents import IntentWriter, UnknownOutcome
from shared.intents.source_cells import WRITES_KEPT
from shared.stores import connect
from shared.tables import TableLayout
from tests.shared.intents.processes import Log

TABLES = (ORDERS.layout, BY_SELLER.layout, BY_BUYER.layout, BY_STATUS.layout, ORDERS.intents)
DERIVED = (BY_SELLER.layout, BY_BUYER.layout, BY_STATUS.layout)


def numbered(number: int) -> Order:
    """The order of that number, as it is placed."""
    return Order(f"n-{number}", f"s-{number % 3}", f"b-{number % 5}", 1_700_000_000_000 + number, "lamp", number)


class Lost(Exception):
    """Another change came first."""


class Changer:
    """One writer. Its shop allows any change of status, but only of the status that the writer has seen."""

    def __init__(self, connection: happybase.Connection, log: Log, dice: Random, numbers: Sequence[int]) -> None:
        self.orders = OrderRepository(connection)
        self._log = log
        self._dice = dice
        self._numbers = numbers
        self._tried: list[tuple[int, bytes]] = []
        _record_tries(self.orders.writer, self._tried, log)

    def change(self) -> None:
        """Places an order, or changes its status, and writes down the answer."""
        placed = numbered(self._dice.choice(self._numbers))
        seen = self.orders.order(placed.order_number)
        if seen is None:
            wanted = placed
        else:
            status = self._dice.choice([status for status in STATUSES if status != seen.status])
            wanted = attrs.evolve(seen, status=status)

        def decide(stored: Order | None) -> Order:
            if stored != seen:
                assert stored
                raise Lost(stored.status)
            return wanted

        self._tried.clear()
        try:
            self.orders.writer.write(OrderByNumber(placed.order_number), decide)
        except Lost as lost:
            self._log.write(kind="lost", order=placed.order_number, to=str(lost), seen=seen and seen.status)
        except UnknownOutcome:  # it lost, and 64 others won before it looked for its id
            self._log.write(kind="unknown", order=placed.order_number)
        else:
            revision, write_id = self._tried[-1]
            self._log.write(
                kind="accepted",
                order=placed.order_number,
                revision=revision + 1,
                write_id=write_id.hex(),
                seen=seen and seen.status,
                status=wanted.status,
            )


def _record_tries(writer: IntentWriter[Order], tried: list[tuple[int, bytes]], log: Log) -> None:
    """Lets a writer note the revision that it read and the id of each write, and log each raise that was stored."""
    revision_of, check_and_put = writer.next_revision, writer.check_and_put

    def revision(source: Any, record: Any, now_ms: int, *write_id: bytes) -> Any:
        tried.extend((source.revision, write) for write in write_id)
        return revision_of(source, record, now_ms, *write_id)

    def checked(row: bytes, source: Any, new: Any) -> bool:
        is_stored = check_and_put(row, source, new)
        if is_stored and new.writes == source.writes:
            log.write(kind="raised", order=ORDERS.layout.key.decode(row).order_number, revision=new.revision)
        return is_stored

    writer.next_revision = revision  # type: ignore[method-assign]
    writer.check_and_put = checked  # type: ignore[method-assign]


def change_orders(url: str, log_file: Path, seed: int, numbers: Sequence[int]) -> None:
    """A process that changes orders until it is killed."""
    log, dice = Log(log_file), Random(seed)
    with closing(connect(url)) as connection:
        changer = Changer(connection, log, dice, numbers)
        log.write(kind="begun")
        while True:
            changer.change()


def recover_again_and_again(url: str) -> None:
    """A process that gives up every write it sees, until it is killed."""
    with closing(connect(url)) as connection:
        writer = OrderRepository(connection).writer
        while True:
            writer.recover(older_than_ms=0)


# ---- the comparison


def differences(
    connection: happybase.Connection, writer: IntentWriter[Any], derived: Sequence[TableLayout[Any, Any]]
) -> list[str]:
    """Where the derived cells are not those of the sources."""
    stored = {
        (table.name, row, column): value
        for table in derived
        for row, cells in connection.table(table.name).scan()
        for column, value in cells.items()
    }
    wanted: dict[tuple[str, bytes, bytes], bytes] = {}
    for row, _ in connection.table(writer.source.name).scan():
        wanted |= writer.derived(writer.reader.read(row).record)
    differing = dict.fromkeys(cell for cell, _ in stored.items() ^ wanted.items())
    return [f"{cell} is {stored.get(cell)!r} instead of {wanted.get(cell)!r}" for cell in differing]


def contradictions(writer: IntentWriter[Order], answers: Sequence[dict[str, Any]]) -> list[str]:
    """Which answers the sources contradict, and which answers contradict each other."""
    wrong: list[str] = []
    for number in sorted({answer["order"] for answer in answers if "order" in answer}):
        source = writer.reader.read(ORDERS.layout.row(OrderByNumber(number)))
        of_order = [answer for answer in answers if answer.get("order") == number]
        accepted = sorted((answer for answer in of_order if answer["kind"] == "accepted"), key=itemgetter("revision"))
        revisions = sorted(answer["revision"] for answer in of_order if answer["kind"] in ("accepted", "raised"))
        if len(revisions) > len({*revisions}):
            wrong.append(f"{number}: two writes made one revision: {revisions}")
        if revisions and revisions[-1] > source.revision:
            wrong.append(f"{number}: has revision {source.revision}, but {revisions[-1]} was answered")
        kept = {write.hex() for write in source.writes}
        if len(source.writes) < WRITES_KEPT:
            lost = [entry for entry in accepted if entry["write_id"] not in kept]
            wrong += [f"{number}: {entry} is not among its writes" for entry in lost]
        if accepted and accepted[-1]["revision"] == revisions[-1] == source.revision:
            status = source.record and source.record.status
            if status != accepted[-1]["status"]:
                wrong.append(f"{number}: is {status}, but {accepted[-1]} was answered")
    return wrong
