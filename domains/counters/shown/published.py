"""Published keys beside the keys of `counters`, and published mistakes with what each of them returns."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import happybase
from Hbase_thrift import TAppend  # a module that happybase makes
from thriftpy2.transport import TTransportException

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import Outcome, PublishedKey, ScannedTable, ScanTask, Trap
from shared.keys import Plan, between
from shared.queries import scan
from shared.records import parse_time

from ..keys import LOGINS, TABLES, DayOfUser
from ..records import Login
from ..repository import LoginRepository
from .variants import increment

# ---- the two keys of S3.6 byte for byte as published: the one that its text writes, and the one that its code makes


DAY_MS = parse_time("2024-03-15")
USER = "user_12345"

TERMINATOR = "any text, with the terminator `00 01`; with `_` instead, a scan of user_1 would also match user_1_b"
NO_METRIC = f"{TERMINATOR}. `loginCount` is the table's name here, not 10 bytes of every row"
DATE = "the start of the UTC day as `Int64`; eight digits do not say in which time zone"

PUBLISHED = tuple(
    PublishedKey("S3.6", quoted, table, key, {"user": user, day: b"20240315"}, {"user": why, day: DATE})
    for quoted, user, why in (
        ("userId_loginCount_20240315", f"{USER}_loginCount_".encode(), NO_METRIC),
        ('userId + "_" + date', f"{USER}_".encode(), TERMINATOR),
    )
    for table, key, day in (
        (LOGINS.layout, DayOfUser(USER, DAY_MS), "time_ms"),
        (increment.COUNTS.layout, increment.CountOfUser(USER, DAY_MS), "day_ms"),
    )
)


# ---- published mistakes about counters, each as wrong code beside the right code


DAY = parse_time("2024-03-15")
THREE = [Login("ada", DAY + hour * 3_600_000) for hour in (8, 12, 18)]
COLUMN = b"stat:login_count"


def _published_table() -> happybase.Table:
    """The published table of daily statistics, empty."""
    return scratch_table(families=["stat"])


def _published_row(user: str, date: str = "20240315") -> bytes:
    """The row that the published code makes."""
    return f"{user}_{date}".encode()


def _counted(store: Callable[[LoginRepository], None]) -> int:
    """How many logins of ada the design counts on the day after `store`."""
    repository = LoginRepository(scratch_store(TABLES))
    store(repository)
    return repository.day_count("ada", DAY)


def _store_three(repository: LoginRepository) -> None:
    for login in THREE:
        repository.store(login)


def append_as_a_counter(_design: Design) -> Outcome:
    """Append adds bytes to a value, not numbers: three times the text 1 is 111, and three longs are 24 bytes."""
    values: list[bytes] = []
    for appended in (b"1", (1).to_bytes(8, "big")):
        table = _published_table()
        for _ in THREE:
            # happybase has no method for it: this is the call of Thrift
            table.connection.client.append(TAppend(table.name, _published_row("ada"), [COLUMN], [appended]))
        values.append(table.row(_published_row("ada"))[COLUMN])
    as_text, as_longs = values
    first_long = int.from_bytes(as_longs[:8], "big")
    return Outcome(
        "three logins of a day, counted",
        f"{as_text.decode()}; as longs {len(as_longs)} bytes, whose first 8 read as {first_long} for ever",
        f"{_counted(_store_three)}",
    )


class _LosingClient:
    """A Thrift client that loses the reply of one write: the store carries it out, and the caller gets an error."""

    def __init__(self, client: Any, lost: int) -> None:
        self._client = client
        self._writes = 0
        self._lost = lost

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if not name.startswith(("atomicIncrement", "mutateRow")):
            return call

        def write(*arguments: Any) -> Any:
            reply = call(*arguments)
            self._writes += 1
            if self._writes == self._lost:
                raise TTransportException(TTransportException.END_OF_FILE, "the reply is lost")
            return reply

        return write


@contextmanager
def _losing_reply(connection: happybase.Connection, lost: int) -> Generator[None]:
    """Loses the reply of the write number `lost` during the block, counted from 1."""
    client = connection.client
    connection.client = _LosingClient(client, lost)
    try:
        yield
    finally:
        connection.client = client


def _store_until_answered(repository: LoginRepository | increment.Repository) -> None:
    """Stores three logins; an error is answered with another attempt, because the login may not be counted."""
    for login in THREE:
        try:
            repository.store(login)
        except TTransportException:
            repository.store(login)


def increment_after_a_lost_reply(_design: Design) -> Outcome:
    """The reply of an increment is lost, and the client tries again: HBase has counted the login twice."""
    counts: list[int] = []
    for tables, open_ in ((increment.TABLES, increment.Repository), (TABLES, LoginRepository)):
        connection = scratch_store(tables)
        repository = open_(connection)
        with _losing_reply(connection, lost=4):
            _store_until_answered(repository)
        counts.append(repository.day_count("ada", DAY))
    wrong, right = counts
    return Outcome("three logins, and the reply of one write is lost", str(wrong), str(right))


def two_keys_for_one_count(_design: Design) -> Outcome:
    """A program with the key of the text, and one with that of the code, do not find each other's counts."""
    table = _published_table()
    for _ in THREE:
        table.counter_inc(_published_row("ada_loginCount"), COLUMN)  # as the text says
    found = table.row(_published_row("ada"))  # as the code says
    namesake = table.counter_get(_published_row("ada_loginCount"), COLUMN)
    return Outcome(
        "three logins of ada, written under the key of the text, read under that of the code",
        f"{len(found)} counters for ada; user ada_loginCount, who never came, has {namesake}",
        f"{_counted(_store_three)}",
    )


def delimiter_inside_a_user(_design: Design) -> Outcome:
    """The days of ada: scanning for the name and `_` also finds those of ada_2, and of ada_20240310 within a period."""
    ada, *others = users = ("ada", "ada_2", "ada_20240310")
    of_ada = ScanTask(users, is_wanted=lambda user: user == ada, label=str)

    def wrong(start: bytes, stop: bytes) -> ScannedTable:
        return of_ada.run(_published_row, lambda table: table.scan(start, stop))

    def right(plan: Plan) -> ScannedTable:
        return of_ada.run(lambda user: LOGINS.layout.row(Login(user, DAY)), lambda table: scan(table, plan))

    march = between(parse_time("2024-03-01"), parse_time("2024-04-01"))
    scans = wrong(b"ada_", b"ada`"), right(LOGINS.layout.key.plan(user=ada))
    wrong_march = wrong(_published_row("ada", "20240301"), _published_row("ada", "20240401"))
    right_march = right(LOGINS.layout.key.plan(user=ada, time_ms=march))
    return Outcome(
        f"the one day of ada, among {', '.join(others)}",
        f"{scans[0].words}; in March {wrong_march.words}",
        f"{scans[1].words}; in March {right_march.words}",
        scans,
    )


def date_of_a_server(_design: Design) -> Outcome:
    """The published date has no zone: two servers give one moment two days."""
    evening = DAY + 20 * 3_600_000
    table = _published_table()
    for zone in (UTC, timezone(timedelta(hours=8))):
        date = datetime.fromtimestamp(evening / 1000, zone).strftime("%Y%m%d")
        table.counter_inc(_published_row("ada", date), COLUMN)
    counts = [f"{table.counter_get(row, COLUMN)} on {row.decode()[-8:]}" for row, _cells in list(table.scan())]

    def store(repository: LoginRepository) -> None:
        for tie in range(2):
            repository.store(Login("ada", evening, tie))

    return Outcome(
        "two logins at 2024-03-15T20:00Z, counted by a server in UTC and one at +08:00",
        ", ".join(counts),
        f"{_counted(store)} on 20240315",
    )


TRAPS = (
    Trap("append as a counter", 'append.addColumn("stat", "login_count", "1")', append_as_a_counter),
    Trap(
        "an increment tried again", "incrementLoginCount: // 原子递增 (atomic increment)", increment_after_a_lost_reply
    ),
    Trap("two keys for one count", 'userId_loginCount_20240315, and userId + "_" + date', two_keys_for_one_count),
    Trap("delimiter inside a user", 'userId + "_" + date', delimiter_inside_a_user),
    Trap("date of a server", "incrementLoginCount(String userId, String date)", date_of_a_server),
)
