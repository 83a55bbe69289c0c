"""Two writers of one source, in every order of their calls: what readers have seen stays, and one writer can go on.

Each call may also be stopped: the writer dies, its reply is lost, or it arrives late, as from a writer that was paused.
"""

from contextlib import closing, suppress
from operator import attrgetter

import pytest

from domains.changes import AnotherWriter, Change, ChangeRepository, NotAllStored, RefusedChange
from domains.changes.keys import SOURCES
from domains.changes.records import BegunSource
from domains.changes.shown.design import DESIGN
from domains.changes.storing import ChangeStore
from shared.designs import metered
from shared.tables.recorded_layouts import check_layouts
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, dying_at, stopped_at
from shared.writes import CLOCK
from tests.domains.interleaving import every_order
from tests.engines import Embedded

from .made import AT_MS, change

COPIED = [variant for variant in DESIGN.variants if variant.is_to_copy]
VARIANTS = [DESIGN.main]
FIRST = change(1, kind="INSERT", name="Ann")
OF_30, OF_31 = change(2, age="22"), change(2, "31", "INSERT", ms=AT_MS + 5, name="Bob")
SAME_RECORD = change(2, ms=AT_MS - 5, name="Anne")
OF_ORDERS = change(2, "1", "INSERT", "orders", user="30")
THIRD, FOURTH = change(3, "31", "INSERT", name="Cy"), change(4, age="23")

PAIRS = {
    "the same change": ([[OF_30]], [[OF_30]]),
    "other records": ([[OF_30]], [[OF_31]]),
    "one record": ([[OF_30]], [[SAME_RECORD]]),
    "other tables": ([[OF_30]], [[OF_ORDERS]]),
    "one goes on": ([[OF_30], [THIRD]], [[OF_31]]),
    "one does not begin after the watermark": ([[OF_30]], [[THIRD]]),
    "one lacks a position": ([[OF_30, FOURTH]], [[OF_30, THIRD]]),
    "the same, in other calls": ([[OF_30, THIRD]], [[OF_30], [THIRD]]),
}


def writing(variant, calls):
    """Stores changes in so many calls; a call without a reply is sent again, once."""

    def prepared(connection):
        check_layouts(connection, variant.tables)
        repository = variant.open(connection)
        return lambda: [store(repository, changes) for changes in calls]

    return prepared


def store(repository, changes):
    for is_last in (False, True):
        try:
            return repository.store_all(changes)
        except NotAllStored as error:
            if is_last or not isinstance(error.__cause__, ReplyLost):
                raise error.__cause__ from None
    raise AssertionError


def log_of(variant, connection):
    """The log as a reader sees it; asserts that the histories say the same."""
    repository = variant.open(connection)
    log = [*repository.since("shop")]
    records = {(entry.table, entry.key) for entry in (FIRST, OF_31, OF_ORDERS)}
    histories = [entry for record in records for entry in repository.history("shop", *record)]
    assert sorted(histories, key=attrgetter("position")) == log
    return tuple(log)


def contents_of(variant, connection):
    """All cells; without the timestamps of those that the store dates."""
    return repr(
        [
            [*connection.table(table.name).scan(include_timestamp="_sources" not in table.name)]
            for table in variant.tables
        ]
    )


def check_nothing_seen_has_changed(before, after):
    (_, log_before), (_, log_after) = before, after
    assert log_after[: len(log_before)] == log_before


def check_pair(variant, pair, **others):
    """Every order of the calls of two writers, and what they leave to the next one; returns how many runs ended."""
    calls = PAIRS[pair]
    log_in: dict[str, tuple[Change, ...]] = {}
    """The log by the contents of a store."""
    one_goes_on = set[str]()

    def state(connection):
        contents = contents_of(variant, connection)
        if contents not in log_in:
            log_in[contents] = log_of(variant, connection)
        return contents, log_in[contents]

    ended = []
    with Embedded().store(*variant.tables) as connection:
        variant.open(connection).store(FIRST)
        runs = tuple(writing(variant, of_one) for of_one in calls)
        orders = every_order(connection, runs, state, check_step=check_nothing_seen_has_changed, **others)
        for store_at_end, answers in orders:
            ended.append(answers)
            contents, log = state(store_at_end)
            for of_one, answer in zip(calls, answers, strict=True):
                if isinstance(answer, list):
                    assert [c for of_call in of_one for c in of_call if c not in log] == []
                assert isinstance(answer, (list, AnotherWriter, RefusedChange, ReplyLost, WriterDied)), repr(answer)
            if contents not in one_goes_on:
                check_one_goes_on(variant, store_at_end, calls)
                one_goes_on.add(contents)
    return len(ended)


def check_one_goes_on(variant, connection, calls):
    """A next writer with the changes of one of the two is not refused; then both tables agree."""
    refused = 0
    for of_one in calls:
        with closing(connection.copy()) as copy:
            repository = variant.open(copy)
            try:
                for changes in of_one:
                    store(repository, changes)
            except RefusedChange:
                refused += 1
                continue
            assert [c for changes in of_one for c in changes if c not in log_of(variant, copy)] == []
            assert [*repository.upkeep.verify()] == []
    assert refused < len(calls)


QUICK = "other records", "one lacks a position"


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=[pytest.mark.long] * (pair != "one lacks a position")) for pair in PAIRS]
)
def test_what_readers_have_seen_stays_in_every_order_of_two_writers(pair):
    assert check_pair(DESIGN.main, pair) > 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "pair"),
    [(variant, pair) for variant in COPIED for pair in PAIRS if variant == DESIGN.main or pair in QUICK],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_what_readers_have_seen_stays_in_every_variant_if_a_call_is_stopped_or_late(variant, pair):
    check_pair(variant, pair, stops=1, interruptions=1)


# ---- another release


class OlderRelease(ChangeRepository):
    """Its store is that of releases before `begun`."""

    def __init__(self, connection):
        super().__init__(connection)
        self._changes = OlderStore(self, self._by_position, self._of_source, self.of_table, CLOCK)


class OlderStore(ChangeStore):
    """Decides nothing before it puts rows."""

    def _to_write(self, source):
        return BegunSource(source, self._records.watermark(source))

    def _with_begun(self, stored, changes):
        return stored


def dying_after_its_rows(connection, changes):
    """An older release dies before it moves the watermark."""
    watched = WatchedConnection(connection, dying_at(lambda call: call.name == "checkAndPut"))
    with pytest.raises(WriterDied):
        OlderRelease(watched).store_all(changes)


def test_a_store_of_an_older_release_is_continued_and_it_continues_one_of_this(connection):
    older, newer = OlderRelease(connection), ChangeRepository(connection)
    older.store(FIRST)
    newer.store_all([OF_30])
    OlderRelease(connection).store(THIRD)
    ChangeRepository(connection).store_all([OF_30, THIRD, FOURTH])
    assert [*newer.since("shop")] == [FIRST, OF_30, THIRD, FOURTH]
    assert [*newer.upkeep.verify()] == []


def test_rows_that_an_older_release_left_are_not_changed_and_the_same_changes_complete_them(connection):
    OlderRelease(connection).store(FIRST)
    dying_after_its_rows(connection, [OF_30, THIRD])
    for changes in ([OF_31], [SAME_RECORD], [THIRD], [OF_30, FOURTH]):
        with pytest.raises(RefusedChange, match="which a writer of source 'shop' has begun to store"):
            store(ChangeRepository(connection), changes)
    newer = ChangeRepository(connection)
    newer.store(OF_30)
    with pytest.raises(RefusedChange, match=r"must be 3 next, which a writer of source 'shop' has begun .* .got 4.$"):
        newer.store(FOURTH)
    assert newer.store_all([THIRD, FOURTH]) == 2
    assert [*newer.since("shop")] == [FIRST, OF_30, THIRD, FOURTH]
    assert [*newer.upkeep.verify()] == []


def test_many_changes_of_one_call_are_begun_in_a_cell_that_readers_do_not_get(connection):
    many = [change(position, str(position % 7), n=str(position)) for position in range(2, 2001)]
    writer = ChangeRepository(connection)
    assert writer.store_all([FIRST, *many]) == 2000
    ((_, cells),) = connection.table(SOURCES.layout.name).scan()
    assert 20_000 < len(cells[b"s:b"]) < 30_000
    with metered(connection) as cost:
        assert writer.watermark("shop") == 2000
    assert cost.bytes_fetched < 100


LOG = [change(number, str(number), "INSERT", ms=AT_MS + (number == 2), n=str(number)) for number in range(1, 8)]


@pytest.mark.parametrize("first", [0, 1], ids="{} changes in the next call".format)
@pytest.mark.parametrize("arrived", [{1}, pytest.param({0, 2}, marks=pytest.mark.further), {0, 1, 2}], ids=str)
@pytest.mark.parametrize("call", range(8))
def test_the_next_writers_of_a_log_store_it_to_its_end_whatever_a_dead_one_left(connection, call, arrived, first):
    """Whichever rows of its last call have arrived, and in calls of any size."""
    dying = WatchedConnection(connection, stopped_at(Stop(call, frozenset(arrived))))
    with suppress(WriterDied):
        ChangeRepository(dying).store_all(LOG[:3])
    for at_most in (first, len(LOG)):
        writer = ChangeRepository(connection)
        writer.store_all([change for change in LOG if change.position > writer.watermark("shop")][:at_most])
    assert [*writer.since("shop")] == LOG
    assert [*writer.upkeep.verify()] == []
