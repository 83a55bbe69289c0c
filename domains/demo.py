"""`rowbook demo`: one screen in which everything is measured while it is printed."""

from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

from rich.console import Console

from domains.logs.design import LATEST
from domains.logs.shown.design import ALL_HOSTS
from domains.logs.shown.design import DESIGN as LOGS
from domains.orders import Order, OrderRepository
from domains.orders.design import DESIGN as ORDERS
from domains.orders.keys import BY_SELLER
from domains.orders.records import STATUSES
from shared.command_line.screen.terminal import count, heading, line
from shared.command_line.screen.text_tables import table
from shared.designs import Design, Variant, scratch_store
from shared.designs.patterns import AccessPattern, key_line
from shared.designs.ruler import ruler_lines
from shared.exhibit import RANGES, recorded_heat
from shared.exhibit.comparison import VariantCosts, measure_variant
from shared.exhibit.heat_tables import TableHeat
from shared.exhibit.shown_design import traps_of
from shared.exhibit.traps import trap_row
from shared.records import parse_time
from shared.testing import Call, WatchedConnection, WriterDied, dying_at

INDENT = "   "
COMPARED = ("logs", "time-first", "salted")
"""The variants of `logs` that are compared: one that suits each question, and one that spreads both."""
BUYER = "b-2"
QUESTIONS = (LATEST, ALL_HOSTS)


def show(to: Console) -> None:
    """Writes the screen: three keys compared, one key in bytes, a published mistake, a crash, and what to do next."""
    line(to, "rowbook: row keys for HBase that run. No HBase needed: this store is in memory.", style="bold")
    _show_keys(to, LOGS)
    _show_mistake(to, LOGS)
    _show_crash(to)
    heading(to, "NEXT")
    width = max(map(len, NEXT))
    is_wide = max(width + 2 + len(answer) for answer in NEXT.values()) + len(INDENT) <= to.width
    for command, answer in NEXT.items():
        line(to, f"{INDENT}{command.ljust(width)}  {answer}" if is_wide else f"{INDENT}{command}")
        if not is_wide:
            line(to, f"{INDENT * 2}{answer}")


NEXT: Mapping[str, str] = {
    "rowbook list": "all designs, with their row keys",
    "rowbook run orders": "one design: rows, costs, which variant to choose",
    "rowbook ask logs latest host=web-1 event=ERROR": "one question, with your own values",
    "rowbook load logs FILE --store embedded:my.db": "your own records, in a store of your own",
}
"""Commands to try, and what each shows."""


def _show_keys(to: Console, design: Design) -> None:
    """The costs of the same records under several keys, then the bytes of one key."""
    variants = [variant for variant in design.variants if variant.name in COMPARED]
    with closing(scratch_store(design.main.tables)) as connection:
        main = measure_variant(connection, design, design.main)
        row, _cells = next(connection.table(design.main.tables[0].name).scan(row_prefix=_errors_of_web_1(), limit=1))
    measured = [main, *(_measured(design, variant) for variant in variants[1:])]
    heading(to, f"1  The same {main.records:,} events, three row keys")
    width = max(len(variant.name) for variant in variants)
    for variant in variants:
        line(to, f"   {variant.name.ljust(width)}  {key_line(variant.tables[0].key)}")
    line(to)
    rows = [[f"   {pattern.question}", *(_cost(costs, pattern) for costs in measured)] for pattern in QUESTIONS]
    heat = recorded_heat(design)
    busiest = [_busiest(heat.busiest(variant.name)) for variant in variants]
    rows.append([f"   new rows in the busiest of {RANGES} ranges", *busiest])
    table(to, ("   rows read for each row returned", *COMPARED), rows, COMPARED)
    line(to, f"   New rows are counted on {heat.sample}.")
    heading(to, "2  One key of logs, byte by byte: the newest error of a host sorts first")
    for _kind, text in ruler_lines(design.main.tables[0].key, row, to.width - len(INDENT)):
        line(to, f"{INDENT}{text}")


def _errors_of_web_1() -> bytes:
    (errors,) = LOGS.main.tables[0].key.plan(**LATEST.sample).ranges
    return errors.start


def _measured(design: Design, variant: Variant) -> VariantCosts:
    with closing(scratch_store(variant.tables)) as connection:
        return measure_variant(connection, design, variant)


def _cost(costs: VariantCosts, pattern: AccessPattern) -> str:
    measurement = next(measurement for measurement in costs.measurements if measurement.pattern is pattern)
    if measurement.refused:
        return "refused"
    read, returned = measurement.read_and_returned
    return f"{read / returned:.1f}"


def _busiest(table: TableHeat | None) -> str:
    return f"{'HOT SPOT ' if table.heat.is_hot_spot else ''}{table.heat.share:.0%}" if table else "-"


def _show_mistake(to: Console, design: Design) -> None:
    """One published mistake, what it returns, and what the key as stored returns."""
    name, published_as, task, wrong, right = trap_row(traps_of(design)[0], design)
    heading(to, f"3  A published mistake in action: {name} ({published_as})")
    line(to, f"   wanted     {task}")
    line(to, f"   published  {wrong}")
    line(to, f"   ours       {right}: in our row key, 00 01 ends the host")


def _show_crash(to: Console) -> None:
    """A writer that dies in the middle of a write, what readers see then, and what `recover` mends."""
    order = Order("n-2", "s-1", BUYER, placed_ms=parse_time("2026-01-13T09:00"), item="sofa", amount=89_900)
    with closing(scratch_store(ORDERS.main.tables)) as connection:
        readers = OrderRepository(connection)
        readers.place(order)
        dying: Any = WatchedConnection(connection, dying_at(_is_put_of_the_seller))
        with suppress(WriterDied):
            OrderRepository(dying).change_status(order.order_number, "paid")
        seen = {"after the crash": _seen(readers, order)}
        settled = readers.upkeep.recover(older_than_ms=0).settled
        seen["after rowbook recover"] = _seen(readers, order)
    heading(to, "4  A crash: a writer marks order n-2 as paid, and dies before it updates the seller's list")
    views = [*seen["after the crash"]]
    table(to, ("   readers see", *views), [(f"   {when}", *statuses.values()) for when, statuses in seen.items()])
    line(to, f"   recover found and completed {count(settled, 'interrupted write')}")


def _is_put_of_the_seller(call: Call) -> bool:
    """Whether a call puts the order into the list of its seller, which is the step after the decision."""
    return call.table == BY_SELLER.layout.name


def _seen(readers: OrderRepository, order: Order) -> Mapping[str, str]:
    """The status of an order as each way to read it shows it."""
    by_number = readers.order(order.order_number)
    return {
        "by number": by_number.status if by_number else "-",
        "by seller and status": ", ".join(
            line.status for status in STATUSES for line in readers.of_seller(order.seller_id, status=status)
        ),
        "by seller": ", ".join(line.status for line in readers.of_seller(order.seller_id)),
        "by buyer": ", ".join(line.status for line in readers.of_buyer(BUYER)),
    }
