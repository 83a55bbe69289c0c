"""Batches over the network: what is sent once, twice or not at all when a part of one fails."""

from contextlib import suppress

import pytest

from shared.stores import OutcomeUnknown, Unreachable
from tests.shared.stores.scripted_gateway import Fault


@pytest.fixture
def table(gateway):
    return gateway.opened(retry_ms=200)


def put_each(batch, rows):
    """Puts of some cells to each row; some batches send within them."""
    with batch:
        for row in rows.split():
            batch.put(row, {b"d:a": b"1", b"d:b": b"2"})


def stored(gateway):
    return [row for row, _ in gateway.table.scan()]


def test_the_end_of_a_block_does_not_send_again_what_has_just_failed(gateway, table):
    gateway.goes_wrong("mutateRows", Fault.LOST_CALL)
    with pytest.raises(OutcomeUnknown):
        put_each(table.batch(batch_size=4), b"a b c")
    assert gateway.count("mutateRows") == 1
    assert stored(gateway) == []


@pytest.mark.parametrize(
    ("is_sent", "error", "fate"), [(True, OutcomeUnknown, "have an unknown outcome"), (False, Unreachable, "are not")]
)
def test_the_error_of_a_batch_tells_what_was_stored_before(gateway, table, is_sent, error, fate):
    batch = table.batch(batch_size=2)
    put_each(batch, b"a b")
    if is_sent:
        gateway.goes_wrong("mutateRows", Fault.LOST_CALL)
    else:
        gateway.stop()
    with pytest.raises(error) as caught:
        batch.put(b"c", {b"d:a": b"1", b"d:b": b"2", b"d:c": b"3"})
    if not is_sent:
        gateway.start()
    assert str(caught.value).endswith(f"; of this batch 4 mutations are stored, 3 {fate}")
    assert stored(gateway) == [b"a", b"b"]


def test_a_batch_that_failed_can_be_sent_by_hand(gateway, table):
    gateway.goes_wrong("mutateRows", Fault.LOST_CALL)
    batch = table.batch()
    with pytest.raises(OutcomeUnknown), batch:
        batch.put(b"a", {b"d:a": b"1"})
    batch.send()
    batch.send()
    assert gateway.count("mutateRows") == 2
    assert stored(gateway) == [b"a"]


def test_another_exception_in_the_block_still_sends_what_is_left(gateway, table):
    for row, transaction in ((b"a", False), (b"b", True)):
        with suppress(KeyError), table.batch(transaction=transaction) as batch:
            batch.put(row, {b"d:a": b"1"})
            raise KeyError
    assert stored(gateway) == [b"a"]
