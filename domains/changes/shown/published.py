"""Published keys beside the keys of `changes`, and published mistakes with what each of them returns."""

from collections.abc import Callable, Iterable
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import Outcome, PublishedKey, ScanTask, Trap
from shared.keys import between
from shared.keys.ranges import next_row
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.writes import NotAllStored

from ..keys import BY_POSITION, BY_RECORD, TABLES, ChangeOfRecord
from ..records import Change, State
from ..repository import ChangeRepository
from .variants import published
from .variants.published import LONG_MAX, TABLE, PublishedChange

if TYPE_CHECKING:
    import happybase

# ---- the key of S2.9 byte for byte as published: text with commas


QUOTED = "03,9223370455878258,17870"
KEY, SECONDS, POSITION = b"03,", b"9223370455878258,", b"17870"

ADDED = "added: the tables of several databases are in one table; as published, each has a table of its own"

PUBLISHED = (
    PublishedKey(
        "S2.9",
        QUOTED,
        published.TABLE.layout,
        published.PublishedRow("30", (published.LONG_MAX - 1_580_976_517_000) // 1000, "17870"),
        {"key": KEY, "seconds_left": SECONDS, "position": POSITION},
        {},
    ),
    PublishedKey(
        "S2.9",
        QUOTED,
        BY_RECORD.layout,
        ChangeOfRecord("shop", "users", "30", 17870),
        {"key": KEY, "position": SECONDS + POSITION},
        {
            "source": ADDED,
            "table": ADDED,
            "key": "not reversed, with the terminator `00 01`: keys that count up are spread by `salted`",
            "position": "inverted, in eight bytes, and without a time: clocks go back, positions do not",
        },
    ),
)


# ---- nine mistakes about change logs, each as wrong code beside the right code, on the embedded store


SHOP = "shop"
PAGE = 50


def _of_shop(design: Design) -> list[Change]:
    """The changes of one source, in the order of its log."""
    return [change for change in design.loads[0].sample_records() if change.source == SHOP]


def _record(change: Change | State) -> tuple[str, str, str]:
    return change.source, change.table, change.key


def _newest(changes: Iterable[Change]) -> dict[tuple[str, str, str], Change]:
    """The newest change of each record."""
    return {_record(change): change for change in sorted(changes, key=attrgetter("position"))}


# ---- the published key


def second_computed_otherwise(_design: Design) -> Outcome:
    """A reader that divides before it subtracts looks one second too far for 192 of 1,000 milliseconds."""
    changes = [Change(SHOP, ms + 1, "users", "30", "UPDATE", 1_580_976_517_000 + ms, "t-1") for ms in range(1000)]
    rows = {change: TABLE.layout.row(PublishedChange.of(change)) for change in changes}
    of_all = ScanTask(changes, is_wanted=lambda _change: True, label=lambda change: f"{change.time_ms % 1000}")

    def looked_up(second: Callable[[int], int]) -> "Callable[[happybase.Table], Iterable[tuple[bytes, Any]]]":
        guessed = [b"03,%d,%d" % (second(change.time_ms), change.position) for change in changes]
        return lambda table: table.rows(guessed)

    wrong = of_all.run(rows.__getitem__, looked_up(lambda ms: LONG_MAX // 1000 - ms // 1000))
    right = of_all.run(rows.__getitem__, looked_up(lambda ms: (LONG_MAX - ms) // 1000))
    return Outcome("1,000 changes, one a millisecond, each by its key", wrong.words, right.words)


def newest_change_first(design: Design) -> Outcome:
    """Seconds come newest first, but the changes of one second oldest first: the first row is not the newest."""
    changes = _of_shop(design)
    newest = _newest(changes)

    def older(row_of: Callable[[Change], bytes]) -> int:
        """Records whose first row is not that of their newest change."""
        change_of = {row_of(change): change for change in changes}
        first: dict[tuple[str, str, str], Change] = {}
        for row, _cells in scratch_table(change_of).scan():
            first.setdefault(_record(change_of[row]), change_of[row])
        return sum(first[record] != change for record, change in newest.items())

    wrong, right = older(lambda change: TABLE.layout.row(PublishedChange.of(change))), older(BY_RECORD.layout.row)
    return Outcome(
        f"the newest change of each of {len(newest)} records, by its first row",
        f"an older change for {wrong} of them",
        f"an older change for {right or 'none'} of them",
    )


def position_as_text(design: Design) -> Outcome:
    """10000 sorts before 9990, so a reader that continues there never sees it."""
    first = 9_990
    after = ScanTask(
        _of_shop(design),
        lambda change: change.position >= first,
        lambda change: f"positions of {len(str(change.position))} digits",
    )
    wrong = after.run(
        lambda change: b"%b,%d" % (change.source.encode(), change.position),
        lambda table: table.scan(b"shop,%d" % first, b"shop-"),
    )
    plan = BY_POSITION.layout.plan(source=SHOP, position=between(first, None))
    right = after.run(BY_POSITION.layout.row, lambda table: scan(table, plan))
    return Outcome.of_scans(f"the {after.wanted} changes from position {first} on", wrong, right)


def prefix_of_a_reversed_id(design: Design) -> Outcome:
    """03 is the start of the rows of 30, and of those of all ids that end in 30."""
    of_30 = ScanTask(
        [change for change in _of_shop(design) if change.table == "users"],
        lambda change: change.key == "30",
        lambda change: change.key,
    )
    wrong = of_30.run(
        lambda change: TABLE.layout.row(PublishedChange.of(change)), lambda table: table.scan(row_prefix=b"03")
    )
    plan = BY_RECORD.layout.plan(source=SHOP, table="users", key="30")
    right = of_30.run(BY_RECORD.layout.row, lambda table: scan(table, plan))
    return Outcome.of_scans(f"the {of_30.wanted} changes of user 30", wrong, right)


def versions_as_history(design: Design) -> Outcome:
    """Two changes of one column in one millisecond are one version of its cell."""
    changes = [change for change in _of_shop(design) if _record(change) == (SHOP, "users", "30")]
    changes = [change for change in changes if "UNAME" in change.values]
    connection = scratch_store(BY_RECORD.tables)
    connection.create_table("versions", {"C": {"max_versions": 1000}})
    versions = connection.table("versions")
    for change in changes:
        name = str(change.values["UNAME"]).encode()
        versions.put(b"30", {b"C:UNAME": name}, timestamp=change.time_ms)
        connection.table(BY_RECORD.layout.name).put(
            BY_RECORD.layout.row(change), {b"v:UNAME": name}, timestamp=change.time_ms
        )
    kept = len(versions.cells(b"30", b"C:UNAME", versions=1000))
    rows = sum(1 for _ in connection.table(BY_RECORD.layout.name).scan())
    return Outcome(f"the {len(changes)} names that user 30 has had", f"{kept} names", f"{rows} names")


# ---- readers that follow a log


def follow_by_time(design: Design) -> Outcome:
    """A reader asks, after each transaction, for changes that are dated later than the last one it saw."""
    changes = _of_shop(design)
    connection = scratch_store(TABLES)
    repository = ChangeRepository(connection)
    by_time, last_ms = scratch_table(), -1
    seen_by_time, seen, position = 0, 0, 0
    for _transaction, of_transaction in groupby(changes, key=attrgetter("transaction")):
        stored = [*of_transaction]
        for change in stored:
            by_time.put(b"%013d%08d" % (change.time_ms, change.position), {b"f:v": b""})
        repository.store_all(stored)
        rows = [row for row, _cells in by_time.scan(b"%013d" % (last_ms + 1))]
        seen_by_time += len(rows)
        last_ms = int(rows[-1][:13]) if rows else last_ms
        new = [*repository.since(SHOP, position)]
        seen += len(new)
        position = new[-1].position
    return Outcome(
        f"{len(changes)} changes in transactions, {_backward(changes)} of them dated before the previous one",
        _seen(seen_by_time, len(changes)),
        _seen(seen, len(changes)),
    )


def _seen(seen: int, stored: int) -> str:
    """How many of the stored changes a reader has seen."""
    return f"all {stored} are seen" if seen == stored else f"{seen} changes are seen, {stored - seen} never"


def _backward(changes: list[Change]) -> int:
    """Transactions that are dated before the one before them."""
    times = [next(same).time_ms for _transaction, same in groupby(changes, key=attrgetter("transaction"))]
    return sum(after < before for before, after in pairwise(times))


def follow_without_a_watermark(design: Design) -> Outcome:
    """Two writers share a source, and one is late: a reader that continues after the last row it saw misses rows."""
    changes = _of_shop(design)
    batches = [*in_batches(changes, PAGE)]
    late = [batch for first in range(0, len(batches) - 1, 2) for batch in (batches[first + 1], batches[first])]
    log = scratch_table()
    seen, start = 0, b""
    for batch in late:
        for change in batch:
            log.put(BY_POSITION.layout.row(change), {b"f:v": b""})
        for row, _cells in log.scan(start):
            seen, start = seen + 1, next_row(row) or b""
    connection = scratch_store(TABLES)
    writers = ChangeRepository(connection), ChangeRepository(connection)
    stored, followed, position, refused = 0, 0, 0, 0
    for number, batch in enumerate(late):
        try:
            stored += writers[number % 2].store_all(batch)
        except NotAllStored:  # AnotherWriter, or RefusedChange
            refused += 1
        new = [*writers[0].since(SHOP, position)]
        followed, position = followed + len(new), new[-1].position if new else position
    return Outcome(
        f"{sum(map(len, late))} changes that two writers store in {len(late)} calls, every second one late",
        _seen(seen, sum(map(len, late))),
        f"{refused} calls are refused; the others store {stored} changes: {_seen(followed, stored)}",
    )


# ---- copies


def _scratch_copy() -> "happybase.Table":
    connection = scratch_store([])
    connection.create_table("copy", {"v": {"max_versions": 1}})
    return connection.table("copy")


def _put(copy: "happybase.Table", change: Change, timestamp: int) -> None:
    copy.put(_row(change), _cells(change), timestamp=timestamp)


def _cells(change: Change | State) -> dict[bytes, bytes]:
    return {b"v:" + name.encode(): str(value).encode() for name, value in change.values.items()}


def _row(change: Change | State) -> bytes:
    return ",".join(_record(change)).encode()


def cells_dated_by_time(design: Design) -> Outcome:
    """If a change is dated before an earlier one, HBase shows the older value, whose timestamp is higher."""
    changes = [change for change in _of_shop(design) if change.kind == "UPDATE"]
    copy, copies = _scratch_copy(), ChangeRepository(scratch_store(TABLES)).copies
    wrong = right = 0
    for change in changes:
        _put(copy, change, change.time_ms)
        wrong += not _cells(change).items() <= copy.row(_row(change)).items()
        copies.apply(change)
        state = copies.record(*_record(change))
        right += state is None or not change.values.items() <= state.values.items()
    return Outcome(
        f"{len(changes)} updates of a copy, each read once it was applied",
        f"{wrong} show an older value",
        f"{right or 'none'} shows an older value",
    )


def delete_dated_by_position(design: Design) -> Outcome:
    """A compaction drops the tombstone, which is dated 1970, and a late put brings the deleted record back."""
    changes = _of_shop(design)
    deleted = {record for record, change in _newest(changes).items() if change.kind == "DELETE"}
    late = _newest(change for change in changes if _record(change) in deleted and change.kind != "DELETE").values()
    copy, repository = _scratch_copy(), ChangeRepository(scratch_store(TABLES))
    for change in changes:
        repository.copies.apply(change)
        if change.kind == "DELETE":
            copy.delete(_row(change), timestamp=change.position)
        else:
            _put(copy, change, change.position)
    for compacted in (copy, repository.copies.table.rows):
        connection: Any = compacted.connection
        connection.compact(compacted.name)
    for change in late:
        repository.copies.apply(change)
        _put(copy, change, change.position)
    wrong = sum(bool(copy.row(_row(change))) for change in late)
    right = sum(repository.copies.record(*_record(change)) is not None for change in late)
    return Outcome(
        f"{len(late)} records deleted in a copy, and put again after a compaction by a feeder that was paused",
        f"{wrong} are back",
        f"{right or 'none'} is back",
    )


TRAPS = (
    Trap(
        "seconds rounded differently",
        "9223370455878258, from Long.MAX_VALUE and 1580976517000",
        second_computed_otherwise,
    ),
    Trap("the newest change first", "the first row that starts with 03", newest_change_first),
    Trap("a position as text", "17870", position_as_text),
    Trap("a prefix of a reversed id", "03", prefix_of_a_reversed_id),
    Trap("versions as a history", "rowkey:column family:column qualifier:version", versions_as_history),
    Trap(
        "a log followed by time",
        "C:_ts_=1580976517000: scan from the last time seen + 1 ms",
        follow_by_time,
    ),
    Trap(
        "a log without a watermark",
        "03,9223370455878258,17870: scan from the last row seen + 00",
        follow_without_a_watermark,
    ),
    Trap("a copy dated by time", "column=C:AGE, timestamp=1580976517000, value=222", cells_dated_by_time),
    Trap("a delete dated by position", "C:_type_=DELETE, applied by a delete", delete_dated_by_position),
)
