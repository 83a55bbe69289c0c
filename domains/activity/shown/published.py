"""Published keys beside the keys of `activity`, and published mistakes with what each of them returns."""

import hashlib
from itertools import chain

from shared.designs import Design
from shared.exhibit import LONG_MAX, Outcome, PublishedKey, ScannedTable, ScanTask, Trap, added_tie, any_text
from shared.keys import FixedText, KeyLayout, Reversed, Salt, UInt16, between, part, row_key
from shared.queries import scan
from shared.records import show_time

from ..keys import ACTIVITY, ActionOfUser
from ..records import Action
from .variants import hash_prefix, legible_hash, reversed, salted, user_and_time

# ---- the keys of S0.5, S0.6, S1.7, S2.7, S3.1 and S3.2 byte for byte as published: all as text, times as digits


TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z
TIE = bytes.fromhex("0011223344556677")
PHONE = "13800000017"

TERMINATOR = any_text("user_1", "user_12")
DELIMITER = "any text, with the terminator `00 01`; a user may contain a `_`"
WIDTH = "filled with NUL to 20 bytes; without a fixed width, rows of two users may be equal"
TIME_ADDED = "added: an order has one row, but a user has many actions; the newest comes first"
EIGHT_BYTES = "the same number in eight bytes, not as nineteen digits"
ASCENDING = "eight bytes, with the sign bit flipped; digits sort right only if all times have thirteen"
NEWEST_FIRST = "`Long.MAX_VALUE` minus the time, in eight bytes, so that the newest comes first"
TIE_ADDED = added_tie("actions of one user")
TIE_OF_ORDER = "instead of the order's id: eight bytes that are computed from the whole action"

BY_ORDER = {"tie": b"o-42"}
DEVIATIONS = {"time_ms": TIME_ADDED, "tie": TIE_OF_ORDER}

PUBLISHED = (
    PublishedKey(
        "S0.5",
        "[md5(userid).subStr(0,4)][userId][orderid]",
        hash_prefix.TABLE.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"HashPrefix": b"3f49", "user": b"user_1", **BY_ORDER},
        {"user": TERMINATOR, **DEVIATIONS},
    ),
    PublishedKey(
        "S3.1",
        'String md5 = MD5(userId).substring(0, 8); return md5 + "_" + userId;',
        legible_hash.TABLE.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"HashPrefix": b"3f49044c_", "user": b"user_1"},
        {"user": TERMINATOR, "time_ms": "added: published as the key of a user, who has one row", "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.6",
        "[reverse(userid)][orderid]",
        reversed.TABLE.layout,
        reversed.ActionOfReversedUser(PHONE, TIME_MS, TIE),
        {"user": b"71000000831", **BY_ORDER},
        {"user": WIDTH, **DEVIATIONS},
    ),
    *(
        PublishedKey(
            source,
            quoted,
            reversed.TABLE.layout,
            reversed.ActionOfReversedUser(user, TIME_MS, TIE),
            {"user": reversed_user, "time_ms": b"%d" % (LONG_MAX - TIME_MS)},
            {"user": WIDTH, "time_ms": EIGHT_BYTES, "tie": TIE_ADDED},
        )
        for source, quoted, user, reversed_user in (
            ("S1.7", "[userId reversal] [Long. Max_Value - timestamp]", PHONE, b"71000000831"),
            ("S2.7", "转置(id) + (Long.MAX_VALUE - 时间戳)", "123", b"321"),
        )
    ),
    PublishedKey(
        "S3.2",
        "userId_timestamp",
        ACTIVITY.layout,
        ActionOfUser("user_1", TIME_MS, TIE),
        {"user": b"user_1_", "time_ms": b"%d" % TIME_MS},
        {"user": DELIMITER, "time_ms": NEWEST_FIRST, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S3.2",
        "userId_timestamp",
        user_and_time.TABLE.layout,
        user_and_time.LastActionOfMillisecond("user_1", TIME_MS),
        {"user": b"user_1_", "time_ms": b"%d" % TIME_MS},
        {"user": DELIMITER, "time_ms": ASCENDING},
    ),
)


# ---- eight published mistakes about keys of activity, each as wrong code beside the right code, on the embedded store


DIGITS = len(str(LONG_MAX))
"""Digits of a time that is subtracted from Long.MAX_VALUE."""
HOUR_MS = 3_600_000
START_MS = 1_768_176_000_000  # 2026-01-12T00:00:00.000Z
NEWEST = 10


def _of_user(design: Design, user: str, prefix: bytes) -> Outcome:
    """The rows of a user, found by a prefix of `userId_timestamp`, and by the user."""
    actions: list[Action] = list(design.loads[0].sample_records())
    of_user = ScanTask(actions, lambda action: action.user == user, lambda action: action.user)
    wrong = of_user.run(
        lambda action: f"{action.user}_{action.time_ms}{action.tie.hex()}".encode(),  # with a tie, so it loses no rows
        lambda table: table.scan(row_prefix=prefix),
    )
    right = of_user.run(ACTIVITY.layout.row, lambda table: scan(table, ACTIVITY.layout.plan(user=user)))
    return Outcome.of_scans(f"the {of_user.wanted} actions of {user}", wrong, right)


def user_as_prefix(design: Design) -> Outcome:
    """The bare id as the prefix of a scan: it also finds users whose ids start with it."""
    return _of_user(design, "user_1", b"user_1")


def delimiter_inside_an_id(design: Design) -> Outcome:
    """The id with its delimiter as the prefix: it also finds users whose ids have the delimiter there."""
    return _of_user(design, "ada", b"ada_")


def _as_published(user: str, rest: int | str) -> bytes:
    """`[userId reversal][Long.MAX_VALUE - timestamp]` as text."""
    return f"{user[::-1]}{rest}".encode()


def _published_row(action: Action) -> bytes:
    return _as_published(action.user, LONG_MAX - action.time_ms)


def _hours(*users: tuple[str, int]) -> list[Action]:
    """For each user, one action in each of that many hours from `START_MS` on."""
    return [Action(user, "read", START_MS + hour * HOUR_MS) for user, hours in users for hour in range(hours)]


def all_from_zeros(_design: Design) -> Outcome:
    """Between start and stop are users whose reversed ids continue, too; the stop, the oldest action, is left out."""
    of_123 = ScanTask(
        _hours(("123", 240), ("0123", 24)), lambda action: action.user == "123", lambda action: action.user
    )
    stop = _as_published("123", LONG_MAX - START_MS)

    def published(zeros: int) -> ScannedTable:
        return of_123.run(_published_row, lambda table: table.scan(_as_published("123", "0" * zeros), stop))

    every = [published(zeros) for zeros in range(DIGITS + 1)]
    (words,) = {wrong.words for wrong in every}
    right = of_123.run(reversed.TABLE.layout.row, lambda table: scan(table, reversed.TABLE.layout.plan(user="123")))
    return Outcome(
        f"the {of_123.wanted} actions of user 123",
        f"{words}; the same with 0 to {DIGITS} zeros",
        f"{right.words}: the id has a fixed width",
        (every[0], right),
    )


def period_of_reversed_time(_design: Design) -> Outcome:
    """The published start is that of the earlier time, which sorts after the stop."""
    since_ms, until_ms = START_MS + 24 * HOUR_MS, START_MS + 48 * HOUR_MS
    of_day = ScanTask(
        _hours(("123", 240)),
        lambda action: since_ms <= action.time_ms < until_ms,
        lambda action: show_time(action.time_ms),
    )
    start, stop = (_as_published("123", LONG_MAX - end_ms) for end_ms in (since_ms, until_ms))
    wrong = of_day.run(_published_row, lambda table: table.scan(start, stop))
    exchanged = of_day.run(_published_row, lambda table: table.scan(stop, start))
    plan = reversed.TABLE.layout.plan(user="123", time_ms=between(since_ms, until_ms))
    right = of_day.run(reversed.TABLE.layout.row, lambda table: scan(table, plan))
    return Outcome(
        f"the {of_day.wanted} actions from {show_time(since_ms)} up to {show_time(until_ms)}",
        f"{wrong.words}; with the ends exchanged {exchanged.words}",
        right.words,
        (exchanged, right),
    )


def first_row_of_a_reversed_id(_design: Design) -> Outcome:
    """Rows of users 0123 to 9123 start with 321 too, and all but the rows of 9123 come before the first row of 123."""
    longer = [f"{digit}123" for digit in range(10)]
    actions = _hours(("123", 240), *((user, 24) for user in longer))
    newest = max((action for action in actions if action.user == "123"), key=lambda action: action.time_ms)
    before = {action.user for action in actions if _published_row(action) < _published_row(newest)}
    of_123 = ScanTask(actions, newest.__eq__, lambda action: action.user)
    wrong = of_123.run(_published_row, lambda table: table.scan(row_prefix=b"321", limit=1))
    right = of_123.run(
        reversed.TABLE.layout.row, lambda table: scan(table, reversed.TABLE.layout.plan(user="123"), limit=1)
    )
    return Outcome(
        f"the newest action of user 123, beside {len(longer)} users whose ids end with 123",
        f"{wrong.words}; rows of {len(before)} users come before the first row of 123",
        right.words,
        (wrong, right),
    )


@row_key
class OrderOfUser:
    """An order of a user."""

    user: str = part(Reversed(FixedText(2, "\0")), "who ordered")
    order: int = part(UInt16, "counts up by one")


def reversed_ids_of_varying_length(_design: Design) -> Outcome:
    """Users and orders numbered from 1 to 30: reversed and joined, user 1 with order 21 and user 21 with 1 are 121."""
    orders = [OrderOfUser(str(user), order) for user in range(1, 31) for order in range(1, 31)]
    of_user_1 = ScanTask(orders, lambda order: order.user == "1", lambda order: order.user)
    layout = KeyLayout(OrderOfUser)
    wrong = of_user_1.run(
        lambda order: f"{order.user[::-1]}{order.order}".encode(), lambda table: table.scan(row_prefix=b"1")
    )
    right = of_user_1.run(layout.encode, lambda table: scan(table, layout.plan(user="1")))
    return Outcome(
        f"the {of_user_1.wanted} orders of user 1, beside {len(orders) - of_user_1.wanted} of others",
        f"{wrong.words}; {wrong.stored} rows are stored",
        f"{right.words}; {right.stored} rows are stored",
        (wrong, right),
    )


def first_row_of_each_bucket(design: Design) -> Outcome:
    """The first row of a bucket of users is the newest of its first user, not of the bucket."""
    actions: list[Action] = list(design.loads[0].sample_records())
    latest = sorted((action.time_ms for action in actions), reverse=True)[:NEWEST]
    newest = ScanTask(actions, lambda action: action.time_ms in latest, lambda action: action.user)
    layout = KeyLayout(ActionOfUser, Salt(of="user", buckets=salted.BUCKETS))
    wrong = newest.run(
        lambda action: layout.encode(layout.key_of(action)),
        lambda table: chain.from_iterable(
            table.scan(row_prefix=bytes([bucket]), limit=1) for bucket in range(salted.BUCKETS)
        ),
    )
    plan = salted.TABLE.layout.plan(time_ms=between())
    right = newest.run(salted.TABLE.layout.row, lambda table: scan(table, plan, limit=NEWEST))
    return Outcome(
        f"the {newest.wanted} latest actions of all users",
        wrong.words,
        f"{right.words}, by {len(plan.streams)} scans of [bucket][time][user]",
        (wrong, right),
    )


def printed_hashes(_design: Design) -> Outcome:
    """The course's code hashes eight digits; its examples show four, and not those of any of the three users."""
    users = ("user_1", "user_2", "user_3")
    printed = [f"{digits}_{user}" for digits, user in zip(("a3f2", "7b1c", "9d4e"), users, strict=True)]
    of_three = ScanTask(users, is_wanted=users.__contains__, label=str)
    computed = {user: f"{hashlib.md5(user.encode()).hexdigest()[:8]}_{user}" for user in users}
    wrong = of_three.run(
        lambda user: computed[user].encode(), lambda table: table.rows([row.encode() for row in printed])
    )
    plans = [legible_hash.TABLE.layout.plan(user=user) for user in users]
    right = of_three.run(
        lambda user: legible_hash.TABLE.layout.row(Action(user, "login", 0)),
        lambda table: chain.from_iterable(scan(table, plan) for plan in plans),
    )
    return Outcome(
        f"the rows of {', '.join(users)}",
        f"{wrong.count}: the code stores {', '.join(computed.values())}",
        f"{right.words}; the reader computes the prefix",
    )


TRAPS = (
    Trap("a user as prefix", "userId_timestamp, scanned with the user's id as prefix", user_as_prefix),
    Trap("a delimiter inside an id", "userId_timestamp, scanned with userId_ as prefix", delimiter_inside_an_id),
    Trap(
        "all of a user, from zeros",
        "startRow [userId reversal][000000000000], stopRow [userId reversal][Long.Max_Value - timestamp]",
        all_from_zeros,
    ),
    Trap(
        "a period of reversed time",
        "startRow [user reversal][Long.Max_Value - starting time], stopRow [user reversal][Long.Max_Value - end time]",
        period_of_reversed_time,
    ),
    Trap("the first row of a reversed id", "the first row that starts with 321", first_row_of_a_reversed_id),
    Trap("reversed ids of varying length", "[reverse(userid)][orderid]", reversed_ids_of_varying_length),
    Trap("the first row of each bucket", "[bucket][user][Long.MAX_VALUE - timestamp]", first_row_of_each_bucket),
    Trap("printed hashes", "a3f2_user_1, 7b1c_user_2, 9d4e_user_3", printed_hashes),
)
