"""When `store_all` hands over the records that it has read."""

from shared.writes import store_all


def stored(records, **when):
    batches = []
    assert store_all(records, batches.append, **when) == sum(map(len, batches))
    return [len(batch) for batch in batches]


def test_records_are_stored_so_many_at_once():
    assert stored(range(2500)) == [1000, 1000, 500]
    assert stored(range(25), at_once=10) == [10, 10, 5]


def test_records_that_waited_so_long_are_stored_with_the_next_one(monkeypatch):
    times_s = iter((0.0, 0.4, 1.0, 1.1, 1.5, 2.2))
    monkeypatch.setattr("shared.writes.batches.time.monotonic", lambda: next(times_s))
    assert stored(range(6), within_s=1.0) == [3, 3]
