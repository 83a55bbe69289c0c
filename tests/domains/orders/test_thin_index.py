"""The thin index: what a crash does to a number, what repairs it, and what two orders of one number do."""

import attrs
import pytest

from domains.orders import OrderConflict, UnknownOrder
from domains.orders.keys import OrderByNumber
from domains.orders.shown.design import DESIGN
from domains.orders.shown.variants import thin_index
from domains.orders.shown.variants.thin_index import CLAIM_MS, KeyOfBuyersOrder
from shared.intents.times import FORGET_MS
from shared.tables import InvalidRow
from shared.testing import (
    StoppedWrites,
    WatchedConnection,
    Write,
    WriterDied,
    dying_at,
    paused_at,
    sources,
    sources_and_lines,
)
from shared.testing.crash_tests import crash_tests
from shared.testing.rival_checks import check_late_calls, check_rivals
from shared.testing.stop_checks import (
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
)
from shared.upkeep import Instructions

from .stopped_writes import DESK, LAMP, MUG, RIVALS, VIEWS, cancel, erase, one_order, paid_order, pay, place, two_orders

(THIN,) = (variant for variant in DESIGN.variants if variant.name == "thin-index")
VARIANTS = [THIN]
INDEX = thin_index.INDEX.layout
ROW = INDEX.row(OrderByNumber("n-42"))

OTHERS = {name: run for name, run in RIVALS.items() if name != "place another"}
"""Another order under the number of one whose writer died is refused, as a test below says."""
WRITES = (
    Write("place", place, one_order, OTHERS, calls=7),
    Write("change_status", pay, two_orders, OTHERS, calls=6),
    Write("cancel", cancel, paid_order, OTHERS, calls=6),
    Write("erase", erase, two_orders, OTHERS, calls=5),
)


def contents(repository, tables):
    """The orders, their lines, and the entries that lead to an order."""
    stored = sources_and_lines(repository, [table for table in tables if table.name != INDEX.name])
    orders = sources(repository.writer)
    entries = repository.writer.rows(INDEX.name).scan(columns=[b"o:k"])
    return stored | {INDEX.name: {row: cells[b"o:k"] for row, cells in entries if cells[b"o:k"] in orders}}


STOPPED = StoppedWrites(WRITES, VIEWS, VARIANTS, (OrderConflict, UnknownOrder), contents)


@pytest.mark.parametrize("few", [2, pytest.param(None, marks=pytest.mark.long)], ids=["few", "all"])
@pytest.mark.parametrize(
    "write",
    [pytest.param(write, marks=[pytest.mark.further] * (write.run is cancel), id=write.name) for write in WRITES],
)
def test_a_writer_of_a_thin_index_may_stop_pause_or_meet_another_one(engine, write, few):
    crashes = crash_tests(engine, STOPPED, THIN)
    assert len(crashes.clean(write).calls) == write.calls
    check_a_stop_at_each_call(crashes, write, few, all_replies_lost=few is None)
    check_a_crash_of_the_recoverer_too(crashes, write, few)
    check_a_pause_at_each_call(crashes, write, few, compacts=True)
    check_late_calls(crashes, write, few)
    check_rivals(crashes, write, few)
    if few is None:
        check_rivals(crashes, write, dies=True, compacts=True)


def die_after_the_claim(connection):
    dying = THIN.open(WatchedConnection(connection, dying_at(lambda call: call.table != INDEX.name)))
    with pytest.raises(WriterDied):
        dying.place(LAMP)


def lose_entry(connection):
    index = connection.table(INDEX.name)
    ((_order_row, put_ms),) = index.row(ROW, include_timestamp=True).values()
    index.delete(ROW, [b"o:k"], timestamp=put_ms)


def findings(orders):
    return [(finding.kind, finding.table, finding.row) for finding in orders.upkeep.verify()]


def test_a_number_whose_writer_died_leads_to_no_order_is_refused_to_others_and_kept_for_the_same(connection, orders):
    die_after_the_claim(connection)
    assert (orders.order("n-42"), [*orders.numbered("n-4")], [*orders.of_seller("s-17")]) == (None, [], [])
    assert orders.upkeep.recover(older_than_ms=0).settled == 0  # no intent names the order
    refused = r"^Order.order_number: must be free, or of this order \(got 'n-42', .* after 42 minutes\)$"
    with pytest.raises(OrderConflict, match=refused):
        orders.place(DESK)
    with pytest.raises(UnknownOrder):
        orders.cancel("n-42")
    assert findings(orders) == []  # its writer may be at work
    orders.place(LAMP)
    assert orders.order("n-42") == LAMP


def test_repair_frees_a_number_that_has_led_to_no_order_for_42_minutes(passes, connection, orders):
    die_after_the_claim(connection)
    passes(CLAIM_MS + 60_000)
    orders = THIN.open(connection)
    assert findings(orders) == [("dangling", INDEX.name, ROW)]
    assert [is_mended for _, is_mended in orders.upkeep.repair()] == [True]
    orders.place(DESK)
    assert orders.order("n-42") == DESK


def test_a_number_that_is_claimed_again_while_it_is_freed_stays(passes, connection):
    die_after_the_claim(connection)
    passes(CLAIM_MS + 60_000)
    again = paused_at(lambda call: call.table == INDEX.name, lambda: THIN.open(connection).place(LAMP))
    list(THIN.open(WatchedConnection(connection, again)).upkeep.repair())
    orders = THIN.open(connection)
    assert (orders.order("n-42"), findings(orders)) == (LAMP, [])


def test_an_entry_that_a_backup_lacks_is_put_again_and_one_that_leads_elsewhere_is_kept(connection, orders):
    orders.place(LAMP)
    lose_entry(connection)
    assert orders.order("n-42") is None
    assert findings(orders) == [("missing", INDEX.name, ROW)]
    assert [is_mended for _, is_mended in orders.upkeep.repair()] == [True]
    assert orders.order("n-42") == LAMP
    connection.table(INDEX.name).put(ROW, {b"o:k": thin_index.IN_LIST.layout.row(DESK)})
    assert findings(orders) == [("differing", INDEX.name, ROW)]
    assert [is_mended for _, is_mended in orders.upkeep.repair()] == [False]


WRONG_ROWS = (thin_index.IN_LIST.layout.row(MUG), b"\x92\xf7")


@pytest.mark.parametrize("wrong_row", [*WRONG_ROWS, b""])
def test_an_entry_that_leads_to_no_row_of_its_number_is_never_followed_and_repair_puts_it_again(
    connection, orders, wrong_row
):
    orders.place(LAMP)
    orders.place(MUG)
    connection.table(INDEX.name).put(ROW, {b"o:k": wrong_row})
    for use in (orders.order, orders.cancel, lambda number: [*orders.numbered(number)]):
        with pytest.raises(InvalidRow, match=f"^{INDEX.name}: row 6e 2d 34 32: "):
            use("n-42")
    unread = []
    assert [*orders.numbered("n-4").on_invalid(unread.append)] == [MUG]
    assert [invalid.row for invalid in unread] == [ROW]
    assert orders.order("n-43") == MUG
    assert findings(orders) == [("differing", INDEX.name, ROW)]
    assert [is_mended for _, is_mended in orders.upkeep.repair()] == [True]
    assert (orders.order("n-42"), findings(orders)) == (LAMP, [])


@pytest.mark.parametrize("wrong_row", WRONG_ROWS)
def test_an_entry_that_leads_to_no_row_of_its_number_and_that_no_order_has_is_removed_if_told(
    connection, orders, wrong_row
):
    connection.table(INDEX.name).put(ROW, {b"o:k": wrong_row})
    with pytest.raises(InvalidRow, match=f"^{INDEX.name}: row 6e 2d 34 32: "):
        orders.place(LAMP)
    assert findings(orders) == [("undecodable", INDEX.name, ROW)]
    assert [is_mended for _, is_mended in orders.upkeep.repair()] == [False]
    told = Instructions(discards_undecodable=True)
    assert [is_mended for _, is_mended in orders.upkeep.repair(instructions=told)] == [True]
    orders.place(LAMP)
    assert orders.order("n-42") == LAMP


def test_a_buyers_line_that_no_order_has_is_not_shown_and_goes_when_the_buyer_is_erased_after_42_minutes(
    passes, connection, orders
):
    orders.place(LAMP)
    stray = KeyOfBuyersOrder("b-3", 5, "n-never", "s-1")
    lines = connection.table(thin_index.OF_BUYER.layout.name)
    lines.put(thin_index.OF_BUYER.layout.row(stray), thin_index.OF_BUYER.layout.cells.pack(stray))
    assert [line.order_number for line in orders.of_buyer("b-3")] == ["n-42"]
    assert orders.erase("b-3") == 1  # a delete might hide the line of an order that is being placed
    assert [row for row, _cells in lines.scan()] == [thin_index.OF_BUYER.layout.row(stray)]
    assert orders.order("n-42") == attrs.evolve(LAMP, buyer_id=None)
    passes(FORGET_MS + 1_000)
    assert orders.erase("b-3") == 0
    assert [*lines.scan()] == []


def test_an_order_that_is_placed_while_its_buyer_is_erased_keeps_its_line(monkeypatch, connection, orders):
    """The writer begins after `erase` has recovered, and goes on when it has ended."""
    monkeypatch.setattr(orders.writer, "recover", lambda older_than_ms: None)
    left = []
    erase_meanwhile = paused_at(
        lambda call: (call.name, call.table) == ("checkAndPut", thin_index.IN_LIST.layout.name),
        lambda: left.append(orders.erase("b-3")),
    )
    THIN.open(WatchedConnection(connection, erase_meanwhile)).place(LAMP)
    monkeypatch.undo()
    assert left == [1]
    assert [line.order_number for line in orders.of_buyer("b-3")] == ["n-42"]
    assert findings(orders) == []
    assert orders.erase("b-3") == 0
    assert orders.order("n-42") == attrs.evolve(LAMP, buyer_id=None)
