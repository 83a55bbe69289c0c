"""Feeding a copy: each change once, by its position, whatever dies, repeats itself, arrives late or is compacted."""

import random
from contextlib import suppress
from itertools import groupby
from operator import attrgetter

import pytest

from domains.changes.copying import Copies
from domains.changes.keys import CHECKPOINTS, COPY, SOURCES
from domains.changes.records import CopiedRecord
from domains.changes.repository import ChangeRepository
from domains.changes.shown.design import DESIGN
from shared.tables import Family
from shared.testing import Stop, WatchedConnection, WriterDied, dying_at, paused_at

from .made import AT_MS, USERS, change

VARIANTS = [DESIGN.main]
KINDS = ["INSERT", "UPDATE", "UPDATE", "UPDATE", "DELETE"]


def some_changes(seed, count):
    """Changes as no database would log them: records that do not exist are updated, existing ones inserted again."""
    chance, position = random.Random(seed), 0
    for _ in range(count):
        position += chance.choice([1, 1, 9])
        values = {name: chance.choice(["1", "2", None]) for name in chance.sample(["a", "b", "c"], chance.randrange(4))}
        kind, key = chance.choice(KINDS), chance.choice(["3", "30", "é"])
        yield change(position, key, kind, ms=chance.randrange(0, 5000), **values)


def dying_at_random(chance, calls):
    """A process that dies at one of so many calls, with some of the rows of that call stored."""
    stored = frozenset({0} if chance.random() < 0.5 else ())
    number = chance.randrange(calls)
    return lambda call, _of: Stop(call, stored) if call == number else None


def further(cases):
    """The first case in every run, the others in longer ones."""
    first, *others = cases
    return [first, *(pytest.param(case, marks=pytest.mark.further) for case in others)]


@pytest.mark.parametrize(
    "variant", further(variant for variant in DESIGN.variants if variant.is_to_copy), ids=attrgetter("name")
)
@pytest.mark.parametrize("seed", further(range(3)))
def test_a_writer_and_a_feeder_that_are_killed_at_random_lose_nothing(engine, connection, variant, seed):
    """After every life of a process the copy is as the log was at its position, and in the end as the source."""
    chance, source = random.Random(seed), [*some_changes(seed, 50)]
    transactions = [[*same] for _, same in groupby(source, key=lambda change: change.position // 3)]
    lives = 0
    while transactions or variant.open(connection).copies.position(*USERS) != source[-1].position:
        lives += 1
        assert lives < 1_000  # otherwise no life makes progress
        dying = (WatchedConnection(connection, dying_at_random(chance, calls)) for calls in (8, 80))
        writer, feeder = map(variant.open, dying)
        with suppress(WriterDied):
            while transactions and chance.random() < 0.8:
                writer.store_all(transactions[0])
                del transactions[0]
        with suppress(WriterDied):
            feeder.copies.feed(*USERS)
        if chance.random() < 0.2 and engine.compacts:
            connection.compact(COPY.layout.name)
        changes = variant.open(connection)
        if changes.copies.position(*USERS) is not None:
            assert [str(finding) for finding in changes.upkeep.verify()] == []
    assert [*changes.copies.records(*USERS)] == changes.states(*USERS)
    assert [*changes.since("shop")] == source
    assert lives > 5


def test_a_feeder_that_was_paused_before_any_call_changes_nothing_that_others_have_fed(engine, connection, variant):
    """The others feed all, and the copy is compacted, before the paused feeder sends its call, and all later ones."""
    source = [*some_changes(3, 12)]
    variant.open(connection).store_all(source[:8])
    feeder = WatchedConnection(connection)
    variant.open(feeder).copies.feed(*USERS)

    def meanwhile():
        changes = variant.open(connection)
        changes.store_all(source[8:])
        changes.copies.feed(*USERS)
        if engine.compacts:
            connection.compact(COPY.layout.name)

    for number in range(len(feeder.calls)):
        with engine.store(*variant.tables) as other:
            variant.open(other).store_all(source[:8])
            connection = other
            variant.open(WatchedConnection(other, paused_at(number, meanwhile))).copies.feed(*USERS)
            changes = variant.open(other)
            assert changes.copies.position(*USERS) == source[-1].position
            assert [*changes.copies.records(*USERS)] == changes.states(*USERS)
            assert [*changes.upkeep.verify()] == []


def test_a_deleted_record_stays_deleted_if_its_changes_are_applied_again_after_a_compaction(
    engine, connection, repository
):
    ends = change(9, kind="DELETE", a="1")
    source = [change(1, kind="INSERT", a="1", b="2"), change(4, b="3"), ends]
    repository.store_all(source)
    repository.copies.feed(*USERS)
    if engine.compacts:
        connection.compact(COPY.layout.name)
    for late in source[:2]:
        repository.copies.apply(late)
    assert repository.copies.record(*USERS, "30") is None
    assert [*repository.copies.records(*USERS)] == []
    repository.store(change(12, kind="INSERT", b="4"))
    repository.copies.feed(*USERS)
    assert repository.copies.record(*USERS, "30").values == {"b": "4"}  # and nothing of the earlier record
    assert [*repository.upkeep.verify()] == []


def test_recovery_continues_the_copies_that_are_behind_and_begins_none(connection, variant, repository):
    repository.store_all(some_changes(5, 10))
    assert repository.upkeep.recover().settled == 0
    assert repository.copies.position(*USERS) is None
    for number in range(14):
        with suppress(WriterDied):
            variant.open(WatchedConnection(connection, dying_at(number))).copies.feed(*USERS)
        if number:
            assert repository.upkeep.recover().failed == ()
            assert repository.copies.position(*USERS) == repository.watermark("shop")
            assert repository.upkeep.recover().settled == 0
    assert [*repository.copies.records(*USERS)] == repository.states(*USERS)


def test_a_copy_of_one_table_may_be_in_another_store_and_follows_the_watermark(engine, variant, repository):
    orders = [change(n, str(n), "INSERT", "users_old") for n in range(1, 5)]
    repository.store_all(orders[:2])
    with engine.store(*variant.tables) as elsewhere:
        copies = Copies(elsewhere, repository.watermark, repository.of_table)
        assert (copies.feed(*USERS), copies.position(*USERS)) == (0, 2)
        repository.store_all([*orders[2:], change(9, kind="INSERT", a=None)])
        assert (copies.feed(*USERS), copies.position(*USERS)) == (1, 9)
        assert [*copies.records(*USERS)] == [copies.record(*USERS, "30")] == repository.states(*USERS)
    assert repository.copies.position(*USERS) is None


@pytest.mark.parametrize(
    ("table", "family", "opened"),
    [
        (COPY, "c", lambda connection, copy: Copies(connection, len, list, copy=copy)),
        (CHECKPOINTS, "c", lambda connection, checkpoints: Copies(connection, len, list, checkpoints=checkpoints)),
        (SOURCES, "s", lambda connection, sources: ChangeRepository(connection, sources=sources)),
        (SOURCES, "t", lambda connection, sources: ChangeRepository(connection, sources=sources)),
    ],
)
def test_a_table_that_must_forget_nothing_is_refused_with_a_ttl(connection, table, family, opened):
    expiring = table.like(families={**table.layout.families, family: Family(ttl_seconds=60)})
    wanted = f"^{table.layout.name}, family {family}: ttl_seconds must be None, because .* .got 60.$"
    with pytest.raises(ValueError, match=wanted):
        opened(connection, expiring)


def test_a_change_that_leaves_older_columns_is_no_fence():
    assert not CopiedRecord(*USERS, "30", "UPDATE", AT_MS, {"name": "Ann"}).fence
