"""Erasing a user: every login and every sum in both tables; see `shared.intents.erasing`."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain

from shared.intents import Erasure, Erasures
from shared.keys import InvalidKey
from shared.queries import KEYS_ONLY
from shared.queries.scanning import scan_in_batches
from shared.tables import InvalidRow

from .folding import ROWS_AT_ONCE, DayFolder, LoginTable


def delete_logins(folder: DayFolder, user: str, until_ms: int | None) -> tuple[()]:
    """Deletes all rows of a user; if a time is given, without later logins. Logins have no sources."""
    for table, row, day_ms in _rows(folder, user):
        logins = table.logins_of(user, day_ms).on_invalid(_ignore)
        meant = (login for login in logins if until_ms is None or login.time_ms <= until_ms)
        folder.delete_logins(table, meant, day_ms)
        if until_ms is None or day_ms <= until_ms:
            columns = table.sums.layout.cells.columns
            for column, (_, put_ms) in table.rows.row(row, columns=columns, include_timestamp=True).items():
                table.rows.delete(row, [column], timestamp=put_ms)
    return ()


def remaining(folder: DayFolder, _erasures: Erasures, erasure: Erasure, on_kept: Callable[[InvalidRow], None]) -> int:
    """The number of rows of an erased user that remain, because they were put since, or cannot be read."""
    rows = 0
    for table, _, day_ms in _rows(folder, erasure.name):
        rows += 1
        for _login in table.logins_of(erasure.name, day_ms).on_invalid(on_kept):
            pass
    return rows


def _rows(folder: DayFolder, user: str) -> Iterator[tuple[LoginTable, bytes, int]]:
    """The rows of a user in either table, each with its table and day. No scan is open while the caller works."""
    by_user, by_day = folder.by_user, folder.by_day
    for table, plan in ((by_user, by_user.logins.plan(user=user)), (by_day, by_day.logins.whole_table())):
        key = table.logins.layout.key
        for range_ in chain.from_iterable(stream.ranges for stream in plan.streams):
            for batch in scan_in_batches(table.rows, range_, ROWS_AT_ONCE, filter=KEYS_ONLY.text):
                for row, _ in batch:
                    with suppress(InvalidKey):
                        if (decoded := key.decode(row)).user == user:
                            yield table, row, decoded.time_ms


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores rows that cannot be read, because `recover` reports them."""
