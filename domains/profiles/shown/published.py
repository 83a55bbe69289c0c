"""Published keys beside the keys of `profiles`, and published mistakes with what each of them returns."""

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import Outcome, PublishedColumn, PublishedKey, ScannedTable, Trap
from shared.keys.ranges import RowRange, next_row
from shared.tables import TableLayout

from ..keys import NEWEST, PROFILES, SHOWN, TABLES, NewestFirst, RowOfUser
from ..records import OrderSummary
from ..repository import ProfileRepository
from .variants import slots, versions

# ---- the row and the columns of S3.7 byte for byte as published: all as text


TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z

CONSTANT = "without the constant `user_`, which costs five bytes in every cell and distinguishes nothing"
TIME = "the time, newest first, so that no order moves when a new one comes; as text, order_10 sorts before order_2"
ORDER_ADDED = "added: it distinguishes orders of one millisecond; published in the value"
FIELD = "one letter each for family and field, because HBase stores both with every cell"

_QUOTED = '"user_" + userId'

PUBLISHED = (
    PublishedKey(
        "S3.7", _QUOTED, PROFILES.layout, RowOfUser("12345"), {"user_id": b"user_12345"}, {"user_id": CONSTANT}
    ),
    PublishedKey("S3.7", _QUOTED, slots.PROFILES.layout, slots.PublishedRow("12345"), {"user_id": b"user_12345"}, {}),
    PublishedKey(
        "S3.7",
        "user:order_9",
        NEWEST.layout,
        NewestFirst(TIME_MS, "order_001"),
        {"time_ms": b"order_9"},
        {"time_ms": TIME, "order_id": ORDER_ADDED},
    ),
    PublishedKey("S3.7", "user:order_9", slots.SLOTS.layout, slots.Slot(9), {"slot": b"order_9"}, {}),
)

COLUMNS = tuple(
    PublishedColumn("S3.7", quoted, table, attribute, quoted.encode(), deviation)
    for quoted, attribute in (("user:info:name", "name"), ("user:info:email", "email"))
    for table, deviation in ((PROFILES.layout, FIELD), (slots.PROFILES.layout, ""))
)


# ---- five published mistakes about wide rows, each as wrong code beside the right code, on the embedded store


USER = "12345"
ROW = b"user_12345"
WRITERS = 16

Opened: TypeAlias = Callable[[Any], Any]


def _orders(count: int, step_ms: int = 1000) -> list[OrderSummary]:
    """Orders of one user, the oldest first."""
    return [OrderSummary(USER, TIME_MS + number * step_ms, f"order_{number:03}", "mug", 499) for number in range(count)]


def _counted(number: int) -> str:
    return f"{number} order{'' if number == 1 else 's'}"


def _found(found: Iterable[OrderSummary], wanted: Iterable[OrderSummary]) -> str:
    """`10 orders, 3 of them not asked for; 3 missing`."""
    found, wanted = {*found}, {*wanted}
    words = [_counted(len(found))]
    words += [f"{len(found - wanted)} of them not asked for"] if found - wanted else []
    missing = f"; {len(wanted - found)} missing" if wanted - found else ""
    return ", ".join(words) + missing


def numbered_columns(_design: Design) -> Outcome:
    """Columns sort as bytes: order_10 to order_19 come between order_1 and order_2."""
    orders = _orders(25)
    newest = orders[-SHOWN:]
    table = scratch_table(families=("user",))
    table.put(ROW, {b"user:order_%d" % number: b"" for number in range(len(orders))})
    columns = sorted(table.row(ROW))
    order_of = {b"user:order_%d" % number: order for number, order in enumerate(orders)}
    wrong = _cells(
        ROW, [order_of[column] for column in columns], [order_of[column] for column in columns[-SHOWN:]], newest
    )
    with closing(scratch_store(TABLES)) as connection:
        NEWEST.on(connection).put_all(orders)
        found = ProfileRepository(connection).newest_orders(USER)
        row, cells = next(connection.table(NEWEST.layout.name).scan())
        right = _cells(row, NEWEST.layout.records(row, cells), found, newest)
    return Outcome.of_scans(f"the newest {SHOWN} of {len(orders)} orders, in the last {SHOWN} columns", wrong, right)


def _cells(
    row: bytes, stored: list[OrderSummary], read: Iterable[OrderSummary], wanted: Iterable[OrderSummary]
) -> ScannedTable:
    """The cells of a row in the order of their columns."""
    read, wanted = {*read}, {*wanted}
    cells = ((USER, order in wanted, order in read) for order in stored)
    return ScannedTable.of([RowRange(row, next_row(row))], cells, "cell")


class _LateWrites:
    """A Thrift client of writers that all read before the first of their puts arrives."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._late: list[Callable[[], object]] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not name.startswith("mutate"):
            return call

        def send_late(*arguments: Any) -> None:
            self._late.append(partial(call, *arguments))

        return send_late

    def arrive(self) -> None:
        """All puts arrive, one after the other."""
        for call in self._late:
            call()


def writers_that_read_the_same_ten(_design: Design) -> Outcome:
    """Each writer moves the ten orders that it has read, so the last put replaces what all others have put."""
    orders = _orders(SHOWN + WRITERS)

    def newest_after(opened: Opened, tables: Iterable[TableLayout[Any, Any]]) -> str:
        with closing(scratch_store(tables)) as connection:
            repository = opened(connection)
            for order in orders[:SHOWN]:
                repository.add_order(order)
            client = connection.client
            connection.client = late = _LateWrites(client)
            for order in orders[SHOWN:]:
                repository.add_order(order)
            connection.client = client
            late.arrive()
            return _found(repository.newest_orders(USER), orders[-SHOWN:])

    wrong, right = newest_after(slots.Repository, slots.TABLES), newest_after(ProfileRepository, TABLES)
    return Outcome(f"the newest {SHOWN}, after {WRITERS} writers that added an order at once", wrong, right)


def two_orders_in_one_version(design: Design) -> Outcome:
    """A version is known by its timestamp only, so of two orders of one millisecond one remains."""
    orders: list[OrderSummary] = [order for order in design.loads[1].sample_records() if order.user_id == USER]
    newest = sorted(orders, key=lambda order: (-order.time_ms, order.order_id))[:SHOWN]

    def newest_of(opened: Opened, tables: Iterable[TableLayout[Any, Any]]) -> str:
        with closing(scratch_store(tables)) as connection:
            repository = opened(connection)
            for order in orders:
                repository.add_order(order)
            return _found(repository.newest_orders(USER), newest)

    moments = len({order.time_ms for order in newest})
    return Outcome(
        f"the newest {SHOWN} orders of {USER}, placed in {moments} milliseconds",
        newest_of(versions.Repository, versions.TABLES),
        newest_of(ProfileRepository, TABLES),
    )


def one_version_deleted(_design: Design) -> Outcome:
    """A delete reaches all versions of a column up to its timestamp."""
    orders = _orders(SHOWN)
    gone, kept = orders[6], [*orders[:6], *orders[7:]]
    with closing(scratch_store(versions.TABLES)) as connection:
        as_versions = versions.Repository(connection)
        for order in orders:
            as_versions.add_order(order)
        connection.table(versions.LAST.layout.name).delete(b"12345", [b"o:order"], timestamp=gone.time_ms)
        wrong = _found(as_versions.newest_orders(USER), kept)
    with closing(scratch_store(TABLES)) as connection:
        NEWEST.on(connection).put_all(orders)
        (column,) = NEWEST.layout.cells.pack(gone)
        connection.table(NEWEST.layout.name).delete(b"12345", [column], timestamp=gone.time_ms)
        right = _found(ProfileRepository(connection).newest_orders(USER), kept)
    return Outcome(f"the other {len(kept)} orders, after one of {len(orders)} is deleted", wrong, right)


def colons_in_a_value(design: Design) -> Outcome:
    """An item may contain the delimiter, so the parts of the value are no longer those that were joined."""
    orders: list[OrderSummary] = [*design.loads[1].sample_records()]
    joined = [f"{order.order_id}:{order.item}:{order.amount}" for order in orders]
    split = [text.split(":") for text in joined]
    is_right = [parts[1:3] == [order.item, str(order.amount)] for parts, order in zip(split, orders, strict=True)]
    cells = [(NEWEST.layout.row(order), NEWEST.layout.cells.pack(order)) for order in orders]
    read = [record for row, of_row in cells for record in NEWEST.layout.records(row, of_row)]
    wrong = f"{sum(is_right)} of them; {_example(orders, is_right, split)}"
    return Outcome(
        f"item and amount of {len(orders)} orders", wrong, f"{sum(map(OrderSummary.__eq__, read, orders))} of them"
    )


def _example(orders: list[OrderSummary], is_right: list[bool], split: list[list[str]]) -> str:
    order, parts = next(
        (order, parts) for order, right, parts in zip(orders, is_right, split, strict=True) if not right
    )
    return f"the item {order.item!r} is read as {parts[1]!r}, its amount as {parts[2]!r}"


TRAPS = (
    Trap("numbers in columns", "user:order_0, user:order_1, ..., user:order_9", numbered_columns),
    Trap("writers that read the same ten", "user:order_0 to user:order_9", writers_that_read_the_same_ten),
    Trap("two orders in one version", "VERSIONS => 10", two_orders_in_one_version),
    Trap("one version deleted", "VERSIONS => 10", one_version_deleted),
    Trap("colons in a value", "order_001:商品A:100元", colons_in_a_value),
)
