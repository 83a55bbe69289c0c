"""Published mistakes about the keys of activity, each as wrong code beside the right code, on the embedded store.

Every function gives both the same task, and counts. Do not copy code that is named wrong.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shared.designs import Design, Outcome, Trap, scratch_table, texts_of
from shared.keys import FixedText, KeyLayout, Reversed, Salt, UInt16, between, part, row_key
from shared.queries import scan
from shared.records import show_time

from .keys import ACTIVITY, ActionOfUser
from .records import Action
from .variants import legible_hash, reversed, salted

if TYPE_CHECKING:
    import happybase

LONG_MAX = 2**63 - 1
HOUR_MS = 3_600_000
START_MS = 1_768_176_000_000  # 2026-01-12T00:00:00.000Z
NEWEST = 10


def printed_hashes(_design: Design) -> Outcome:
    """The course's code hashes eight digits; its examples show four, and not those of any of the three users."""
    users = ("user_1", "user_2", "user_3")
    printed = [f"{digits}_{user}" for digits, user in zip(("a3f2", "7b1c", "9d4e"), users, strict=True)]
    computed = [f"{hashlib.md5(user.encode()).hexdigest()[:8]}_{user}" for user in users]
    table = scratch_table({row.encode(): user for row, user in zip(computed, users, strict=True)})

    wrong = [row for row in printed if table.row(row.encode())]
    rows = [legible_hash.TABLE.row(Action(user, "login", 0)) for user in users]
    right_table = scratch_table(dict(zip(rows, users, strict=True)))
    plans = [legible_hash.TABLE.plan(user=user) for user in users]
    right = [text for plan in plans for text in texts_of(scan(right_table, plan))]
    return Outcome(
        f"the rows of {', '.join(users)}, as {', '.join(printed)}",
        f"{len(wrong)} rows: the code stores {', '.join(computed)}",
        f"{len(right)} rows, of {', '.join(right)}; the reader computes the prefix",
    )


@row_key
class OrderOfUser:
    """An order of a user."""

    user: str = part(Reversed(FixedText(2, "\0")), "who ordered")
    order: int = part(UInt16, "counts up by one")


def reversed_ids_of_varying_length(_design: Design) -> Outcome:
    """Users and orders numbered from 1 to 30: reversed and joined, user 1 with order 21 and user 21 with 1 are 121."""
    pairs = [(str(user), order) for user in range(1, 31) for order in range(1, 31)]
    wrong_rows = {f"{user[::-1]}{order}".encode(): "" for user, order in pairs}
    layout = KeyLayout(OrderOfUser)
    right_rows = {layout.encode(OrderOfUser(user, order)): "" for user, order in pairs}
    of_user_1 = [row for row, _ in scratch_table(wrong_rows).scan(row_prefix=b"1")]
    right_of_user_1 = [row for row, _ in scan(scratch_table(right_rows), layout.plan(user="1"))]
    return Outcome(
        f"{len(pairs)} orders stored, 30 of them of user 1",
        f"{len(wrong_rows)} rows, and {len(of_user_1)} of them start with the id of user 1",
        f"{len(right_rows)} rows, {len(right_of_user_1)} of them of user 1",
    )


def _hours(*users: tuple[str, int]) -> list[Action]:
    """One action in each hour from `START_MS` on, of users that each have so many."""
    return [Action(user, "read", START_MS + hour * HOUR_MS) for user, hours in users for hour in range(hours)]


def _as_published(user: str, rest: int | str) -> bytes:
    """`[userId reversal][Long.MAX_VALUE - timestamp]` as text."""
    return f"{user[::-1]}{rest}".encode()


def _published_table(actions: Iterable[Action]) -> "happybase.Table":
    return scratch_table({_as_published(action.user, LONG_MAX - action.time_ms): action.user for action in actions})


def _right_table(actions: Iterable[Action]) -> "happybase.Table":
    return scratch_table({reversed.TABLE.row(action): action.user for action in actions})


def period_of_reversed_time(_design: Design) -> Outcome:
    """The published start is that of the earlier time, which sorts after the stop."""
    actions, since_ms, until_ms = _hours(("123", 240)), START_MS + 24 * HOUR_MS, START_MS + 48 * HOUR_MS
    start, stop = (_as_published("123", LONG_MAX - end_ms) for end_ms in (since_ms, until_ms))
    table = _published_table(actions)
    wrong, turned = list(table.scan(start, stop)), list(table.scan(stop, start))
    turned_times = [LONG_MAX - int(row.removeprefix(b"321")) for row, _ in turned]
    plan = reversed.TABLE.plan(user="123", time_ms=between(since_ms, until_ms))
    right = [reversed.TABLE.key.decode(row).time_ms for row, _ in scan(_right_table(actions), plan)]
    return Outcome(
        f"the 24 actions from {show_time(since_ms)} up to {show_time(until_ms)}",
        f"{len(wrong)} rows; with the ends exchanged {len(turned)}, from {show_time(min(turned_times))} "
        f"to {show_time(max(turned_times))}",
        f"{len(right)} rows, from {show_time(min(right))} to {show_time(max(right))}",
    )


def all_from_twelve_zeros(_design: Design) -> Outcome:
    """Twelve zeros are too few, and the stop is the row of the oldest action, which a scan leaves out."""
    actions = _hours(("123", 240), ("0123", 24))
    start, stop = _as_published("123", "0" * 12), _as_published("123", LONG_MAX - START_MS)
    wrong = Counter(texts_of(_published_table(actions).scan(start, stop)))
    right = Counter(texts_of(scan(_right_table(actions), reversed.TABLE.plan(user="123"))))
    return Outcome("the 240 actions of user 123, beside 24 of user 0123", _counted(wrong), _counted(right))


def _counted(users: Counter[str]) -> str:
    return " and ".join(f"{count} rows of {user}" for user, count in users.items())


def first_row_of_a_reversed_id(_design: Design) -> Outcome:
    """The rows of user 0123 start with 3210, so they come before all other rows that start with 321."""
    actions = _hours(("123", 240), ("0123", 24))
    wrong = texts_of(_published_table(actions).scan(row_prefix=b"321", limit=1))
    right = texts_of(scan(_right_table(actions), reversed.TABLE.plan(user="123"), limit=1))
    return Outcome("the newest action of user 123", f"one of user {wrong[0]}", f"one of user {right[0]}")


def _joined_table(actions: Iterable[Action]) -> "happybase.Table":
    """The rows `userId + "_" + timestamp`, and the tie, so that only the way in which they are joined is wrong."""
    rows = ((f"{action.user}_{action.time_ms}{action.tie.hex()}", action.user) for action in actions)
    return scratch_table({row.encode(): user for row, user in rows})


def _of_user(design: Design, user: str, prefix: bytes) -> Outcome:
    """The rows of a user, found by a prefix of `userId_timestamp`, and by the user."""
    actions = list(design.loads[0].sample_records())
    wrong = Counter(texts_of(_joined_table(actions).scan(row_prefix=prefix)))
    right_table = scratch_table({ACTIVITY.row(action): action.user for action in actions})
    right = Counter(texts_of(scan(right_table, ACTIVITY.plan(user=user))))
    return Outcome(f"the {right[user]} actions of {user}", _counted(wrong), _counted(right))


def user_as_prefix(design: Design) -> Outcome:
    """The bare id as the prefix of a scan: it also finds users whose ids start with it."""
    return _of_user(design, "user_1", b"user_1")


def delimiter_inside_an_id(design: Design) -> Outcome:
    """The id with its delimiter as the prefix: it also finds users whose ids have the delimiter there."""
    return _of_user(design, "ada", b"ada_")


def first_row_of_each_bucket(design: Design) -> Outcome:
    """The first row of a bucket of users is the newest of its first user, not of the bucket."""
    actions = sorted(design.loads[0].sample_records(), key=lambda action: action.time_ms)[::-1]
    latest = {action.time_ms for action in actions[:NEWEST]}
    layout = KeyLayout(ActionOfUser, Salt(of="user", buckets=salted.BUCKETS))
    table = scratch_table({layout.encode(layout.key_of(action)): str(action.time_ms) for action in actions})
    first_rows = (table.scan(row_prefix=bytes([bucket]), limit=1) for bucket in range(salted.BUCKETS))
    firsts = [text for rows in first_rows for text in texts_of(rows)]
    right_table = scratch_table({salted.TABLE.row(action): str(action.time_ms) for action in actions})
    plan = salted.TABLE.plan(time_ms=between())
    right = texts_of(scan(right_table, plan, limit=NEWEST))
    return Outcome(
        f"the {NEWEST} latest actions of all users",
        f"{len(firsts)} rows, {sum(int(text) in latest for text in firsts)} of them among these",
        f"{sum(int(text) in latest for text in right)} rows, by {len(plan.streams)} scans of [bucket][time][user]",
    )


TRAPS = (
    Trap("printed hashes", "a3f2_user_1, 7b1c_user_2, 9d4e_user_3", printed_hashes),
    Trap("reversed ids of varying length", "[reverse(userid)][orderid]", reversed_ids_of_varying_length),
    Trap(
        "a period of reversed time",
        "startRow [user reversal][Long.Max_Value - starting time], stopRow [user reversal][Long.Max_Value - end time]",
        period_of_reversed_time,
    ),
    Trap(
        "all of a user, from twelve zeros",
        "startRow [userId reversal][000000000000], stopRow [userId reversal][Long.Max_Value - timestamp]",
        all_from_twelve_zeros,
    ),
    Trap("the first row of a reversed id", "the first row that starts with 321", first_row_of_a_reversed_id),
    Trap("a user as prefix", "userId_timestamp, scanned with the user's id as prefix", user_as_prefix),
    Trap("a delimiter inside an id", "userId_timestamp, scanned with userId_ as prefix", delimiter_inside_an_id),
    Trap("the first row of each bucket", "[bucket][user][Long.MAX_VALUE - timestamp]", first_row_of_each_bucket),
)
