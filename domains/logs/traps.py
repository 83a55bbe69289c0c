"""Five published mistakes that log keys meet, each as wrong code beside the right one, on the embedded store.

Every function asks the same of both, and counts. Do not copy what is called wrong.
"""

import struct
from collections.abc import Iterable, Mapping

import happybase

from shared.designs import Outcome, Trap
from shared.designs.comparison import RANGES, busiest_share
from shared.keys import Descending, Int64, KeyLayout, UInt32, between, part, row_key
from shared.queries import scan
from shared.stores import connect

from .keys import LOGS
from .loads import EVENTS, LAST_MINUTE_MS
from .variants import salted, time_first

LONG_MAX = 2**63 - 1


def _table(rows: Iterable[bytes], host_of: Mapping[bytes, str] | None = None) -> happybase.Table:
    """A table of these rows; where it is known each holds its host."""
    connection = connect("embedded:")
    connection.create_table("t", {"f": {}})
    table = connection.table("t")
    with table.batch() as batch:
        for row in rows:
            batch.put(row, {b"f:v": host_of[row] if host_of else b""})
    return table


def prefix_without_end_mark() -> Outcome:
    """The events of host1: scanning for the bare name also finds host12 and host123."""
    events = list(EVENTS.sample_records())
    wanted = sum(event.host == "host1" for event in events)

    rows = {f"{event.host}{event.event}{event.time_ms}{event.tie.hex()}".encode(): event.host for event in events}
    wrong = _table(rows, rows)
    found = [cells[b"f:v"].decode() for _row, cells in wrong.scan(row_prefix=b"host1")]

    rows = {LOGS.row(event): event.host for event in events}
    right = _table(rows, rows)
    kept = [cells[b"f:v"].decode() for _row, cells in scan(right, LOGS.layout.plan(host="host1"))]

    foreign = len(found) - found.count("host1")
    return Outcome(
        f"the {wanted} events of host1",
        f"{len(found)} rows, {foreign} of them of {', '.join(sorted({*found} - {'host1'}))}",
        f"{len(kept)} rows, of {', '.join({*kept})}",
    )


@row_key
class Numbered:
    """An event by its number, to be put in the wrong way and in the right one."""

    number: int = part(UInt32, "counts up by one")


def decimal_text_without_padding() -> Outcome:
    """Events numbered 1 to 1,000: as text, 10, 100 and 1000 come before 2, and the interval from 5 to 15 is empty."""
    numbers = range(1, 1001)
    wrong = _table(b"web-1#%d" % number for number in numbers)
    found = [len(list(wrong.scan(b"web-1#%d" % since, b"web-1#%d" % until))) for since, until in ((1, 5), (5, 15))]

    layout = KeyLayout(Numbered)
    right = _table(layout.encode(Numbered(number)) for number in numbers)
    kept = [len(list(scan(right, layout.plan(number=between(since, until))))) for since, until in ((1, 5), (5, 15))]
    return Outcome(
        "numbers 1 up to 5, and 5 up to 15", f"{found[0]} rows, and {found[1]}", f"{kept[0]} rows, and {kept[1]}"
    )


@row_key
class NewestFirst:
    """An event by its time, newest first."""

    time_ms: int = part(Descending(Int64), "milliseconds since 1970")


def max_minus_time_of_another_width() -> Outcome:
    """`%013d` of Long.MAX_VALUE - time has 19 digits, so the pad never fires and a reader of 13 digits reads noise."""
    hour = [1_700_000_000_000 + second * 1000 for second in range(3600)]
    wrong = _table(b"%013d" % (LONG_MAX - time_ms) for time_ms in hour)
    first = next(iter(wrong.scan(limit=1)))[0][:13]
    cut = len(list(_table((b"%013d" % (LONG_MAX - time_ms))[:13] for time_ms in hour).scan()))

    layout = KeyLayout(NewestFirst)
    right = _table(layout.encode(NewestFirst(time_ms)) for time_ms in hour)
    newest = layout.decode(next(iter(right.scan(limit=1)))[0])
    return Outcome(
        f"one hour, an event a second, newest first: {len(hour)} rows, the first at {hour[-1]}",
        f"read as 13 digits, the first is at {LONG_MAX - int(first)}; cut to 13 digits, {cut} rows",
        f"{len(list(right.scan()))} rows, the first at {newest.time_ms}",
    )


def time_leads() -> Outcome:
    """A key that begins with the time: whatever the table holds, new rows go behind it, into one region."""
    events = list(EVENTS.sample_records())
    shares = [
        busiest_share([(table.row(event), event.time_ms) for event in events], newest_ms=LAST_MINUTE_MS)
        for table in (time_first.TABLE, salted.TABLE)
    ]
    newest = max(event.time_ms for event in events) - LAST_MINUTE_MS
    return Outcome(
        f"the {sum(event.time_ms > newest for event in events)} writes of one minute on {RANGES} ranges of equal size",
        f"{shares[0]:.0%} of them in one range",
        f"{shares[1]:.0%} in the busiest, behind a bucket of the host",
    )


@row_key
class Signed:
    """A number that may be negative."""

    number: int = part(Int64, "any")


def negative_without_sign_flip() -> Outcome:
    """Two's complement as it is: the negative numbers come after all others."""
    numbers = [-2, -1, 0, 1, 5]
    wrong = _table(struct.pack(">q", number) for number in numbers)
    found = [struct.unpack(">q", row)[0] for row, _ in wrong.scan(row_stop=struct.pack(">q", 5))]

    layout = KeyLayout(Signed)
    right = _table(layout.encode(Signed(number)) for number in numbers)
    kept = [layout.decode(row).number for row, _ in scan(right, layout.plan(number=between(until=5)))]
    return Outcome(f"of {_list(numbers)}, those below 5", _list(found), _list(kept))


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


TRAPS = (
    Trap("prefix without an end", "scan with the name as prefix", prefix_without_end_mark),
    Trap("decimal text without padding", "host#number, as in host#7", decimal_text_without_padding),
    Trap("MAX - time of another width", "`%013d` of Long.MAX_VALUE - time", max_minus_time_of_another_width),
    Trap("time in front", "[timestamp][host][event]", time_leads),
    Trap("negative numbers as they are", "Bytes.toBytes(long)", negative_without_sign_flip),
)
