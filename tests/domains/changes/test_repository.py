"""Every write and every question, in every variant that may be copied: order, watermark, writers, states."""

import attrs
import pytest

from domains.changes import AnotherWriter, NotAllStored, RefusedChange
from domains.changes.shown.design import DESIGN
from shared.keys import InvalidKey, InvalidQuestion
from shared.records import InvalidRecord
from shared.testing.stored_samples import stored_cells

from .made import AT_MS, USERS, change

VARIANTS = [variant for variant in DESIGN.variants if variant.is_to_copy]
INSERTED = change(10, kind="INSERT", name="Ann", age="21")
OLDER = change(12, age="22")
RENAMED = change(17, ms=AT_MS + 1, name="Anne")
OTHER = change(18, "31", "INSERT", ms=AT_MS + 1, name=None)
ALL = [INSERTED, OLDER, RENAMED, OTHER]


def test_a_question_up_to_a_position_stays_the_same_and_may_not_pass_the_watermark(repository):
    repository.store_all(ALL)
    page, bounded = repository.since("shop").page(2), repository.since("shop", up_to=18).page(2)
    latest = change(20, ms=AT_MS + 2, age="23")
    repository.store(latest)
    with pytest.raises(
        InvalidQuestion, match="or the positions up to the watermark have changed since its page; ask w"
    ):
        repository.since("shop").page(2, page.cursor)
    assert repository.since("shop", up_to=18).page(2, bounded.cursor).records == ALL[2:]
    assert [*repository.history(*USERS, "30", up_to=16)] == [OLDER, INSERTED]
    assert [*repository.of_table(*USERS, after=10, up_to=17)] == [OLDER, RENAMED]
    assert repository.states(*USERS, up_to=12) == [repository.state(*USERS, "30", as_of_ms=AT_MS)]
    assert [*repository.since("shop", after=17)] == [OTHER, latest]
    assert [*repository.since("shop", after=20)] == [*repository.since("shop", after=10**9)] == []
    with pytest.raises(InvalidQuestion, match=r"^up_to: must be at most the watermark of source 'shop', 20 .got 21.$"):
        repository.history(*USERS, "30", up_to=21).page()


def test_numbers_and_nested_values_are_stored_and_copied(repository):
    nested = change(10, kind="INSERT", name={"first": ["Ann", None]}, age=21, is_new=True)
    repository.store(nested)
    assert [*repository.history(*USERS, "30")] == [nested]
    repository.copies.feed(*USERS)
    assert repository.copies.record(*USERS, "30").values == repository.state(*USERS, "30").values == nested.values
    for value in (float("nan"), ("a",), "\ud800", object()):
        with pytest.raises(InvalidRecord, match=r"^Change.values: must be texts, None for NULL, or other values that"):
            change(12, name={"a": value})


def test_of_two_writers_of_one_source_the_second_to_move_the_watermark_stops_the_first(connection, variant):
    first, second = variant.open(connection), variant.open(connection)
    first.store(INSERTED)
    second.store(OLDER)
    before = stored_cells(connection, variant.tables)
    for _ in range(2):
        with pytest.raises(AnotherWriter, match=r"^source 'shop': this writer has stored up to 10, another one up to"):
            first.store(RENAMED)
    assert stored_cells(connection, variant.tables) == before
    second.store(RENAMED)  # which has every change after the watermark
    first.store(attrs.evolve(OTHER, source="shop-2"))
    assert [*second.since("shop")] == ALL[:3]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ([change(11)], "must be after the watermark of source 'shop', 12 .got 11, which is not stored: it came too"),
        ([change(12, age="23")], "must be that of one change .got 12, at which source 'shop' has another one."),
        ([change(12, "31", age="22")], "must be that of one change .got 12, at which source 'shop' has another one."),
        ([change(15), change(14)], "must be above the one before, 15 .got 14."),
        ([change(15), change(15, "31")], "must be above the one before, 15 .got 15."),
    ],
)
def test_a_change_out_of_order_is_refused_and_nothing_of_its_call_is_stored(
    connection, variant, repository, given, refused
):
    repository.store_all(ALL[:2])
    before = stored_cells(connection, variant.tables)
    with pytest.raises(NotAllStored, match=f"Change.position: {refused}") as error:
        repository.store_all(given)
    assert isinstance(error.value.__cause__, RefusedChange)
    assert stored_cells(connection, variant.tables) == before


def test_a_change_whose_key_is_too_long_leaves_nothing_and_its_position_free(connection, variant, repository):
    repository.store_all(ALL[:2])
    before = stored_cells(connection, variant.tables)
    with pytest.raises(InvalidKey, match=r"a row key has 1..32767 bytes"):
        repository.store(change(17, "a" * 40_000))
    assert stored_cells(connection, variant.tables) == before
    repository.store(RENAMED)


def test_an_empty_key_is_not_erased(repository):
    with pytest.raises(ValueError, match=r"^key: must be text, not empty"):
        repository.erase("")
