"""Nine published mistakes about log keys, each as wrong code beside the right code, on the embedded store.

Every function gives both the same task, and counts. Do not copy code that is named wrong.
"""

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shared.designs import RANGES, Design, Outcome, Trap, recorded_heat, scratch_table, texts_of
from shared.keys import Descending, Int64, KeyLayout, UInt32, between, part, row_key
from shared.queries import scan

from .keys import LOGS
from .records import LogEvent
from .variants import salted, time_first

if TYPE_CHECKING:
    import happybase

LONG_MAX = 2**63 - 1


def _table(rows: Iterable[bytes]) -> "happybase.Table":
    """A table with these rows."""
    return scratch_table(dict.fromkeys(rows, ""))


def prefix_without_terminator(design: Design) -> Outcome:
    """The events of host1: scanning for the bare name also finds host12 and host123."""
    events = list(design.loads[0].sample_records())
    event_count = sum(event.host == "host1" for event in events)

    rows = {f"{event.host}{event.event}{event.time_ms}{event.tie.hex()}".encode(): event.host for event in events}
    wrong_hosts = texts_of(scratch_table(rows).scan(row_prefix=b"host1"))

    rows = {LOGS.row(event): event.host for event in events}
    right_hosts = texts_of(scan(scratch_table(rows), LOGS.key.plan(host="host1")))

    foreign_count = len(wrong_hosts) - wrong_hosts.count("host1")
    return Outcome(
        f"the {event_count} events of host1",
        f"{len(wrong_hosts)} rows, {foreign_count} of them of {', '.join(sorted({*wrong_hosts} - {'host1'}))}",
        f"{len(right_hosts)} rows, of {', '.join({*right_hosts})}",
    )


@row_key
class Numbered:
    """An event by its number."""

    number: int = part(UInt32, "counts up by one")


def decimal_text_without_padding(_design: Design) -> Outcome:
    """Events numbered 1 to 1,000: as text, 10, 100 and 1000 come before 2, and the interval from 5 to 15 is empty."""
    numbers = range(1, 1001)
    intervals = ((1, 5), (5, 15))
    wrong_table = _table(b"web-1#%d" % number for number in numbers)
    wrong = [len(list(wrong_table.scan(b"web-1#%d" % since, b"web-1#%d" % until))) for since, until in intervals]

    layout = KeyLayout(Numbered)
    right_table = _table(layout.encode(Numbered(number)) for number in numbers)
    right = [len(list(scan(right_table, layout.plan(number=between(since, until))))) for since, until in intervals]
    return Outcome(
        "numbers 1 up to 5, and 5 up to 15", f"{wrong[0]} rows, and {wrong[1]}", f"{right[0]} rows, and {right[1]}"
    )


@row_key
class NewestFirst:
    """An event by its time, newest first."""

    time_ms: int = part(Descending(Int64), "milliseconds since 1970")


def max_minus_time_of_another_width(_design: Design) -> Outcome:
    """`%013d` of Long.MAX_VALUE - time has 19 digits, so it is never padded, and the first 13 digits mean nothing."""
    hour = [1_700_000_000_000 + second * 1000 for second in range(3600)]
    wrong_table = _table(b"%013d" % (LONG_MAX - time_ms) for time_ms in hour)
    first = next(iter(wrong_table.scan(limit=1)))[0][:13]
    cut_rows = len(list(_table((b"%013d" % (LONG_MAX - time_ms))[:13] for time_ms in hour).scan()))

    layout = KeyLayout(NewestFirst)
    right_table = _table(layout.encode(NewestFirst(time_ms)) for time_ms in hour)
    newest = layout.decode(next(iter(right_table.scan(limit=1)))[0])
    return Outcome(
        f"one hour, an event a second, newest first: {len(hour)} rows, the first at {hour[-1]}",
        f"read as 13 digits, the first is at {LONG_MAX - int(first)}; cut to 13 digits, {cut_rows} rows",
        f"{len(list(right_table.scan()))} rows, the first at {newest.time_ms}",
    )


def time_leads(design: Design) -> Outcome:
    """A key that starts with the time: new rows come after all others, so all writes go to one region."""
    wrong, right = (recorded_heat(design).table(table.name).heat for table in (time_first.TABLE, salted.TABLE))
    return Outcome(
        f"{wrong.writes:,} new events on {RANGES} ranges that held equal numbers of older ones",
        f"{wrong.share:.0%} of them in one range",
        f"{right.share:.0%} in the busiest, after a bucket of the host",
    )


@row_key
class Signed:
    """A number that may be negative."""

    number: int = part(Int64, "any")


def negative_without_sign_flip(_design: Design) -> Outcome:
    """Plain two's complement: negative numbers come after all others."""
    numbers = [-2, -1, 0, 1, 5]
    wrong_table = _table(struct.pack(">q", number) for number in numbers)
    wrong = [struct.unpack(">q", row)[0] for row, _ in wrong_table.scan(row_stop=struct.pack(">q", 5))]

    layout = KeyLayout(Signed)
    right_table = _table(layout.encode(Signed(number)) for number in numbers)
    right = [layout.decode(row).number for row, _ in scan(right_table, layout.plan(number=between(until=5)))]
    return Outcome(f"those below 5 of {_list(numbers)}", _list(wrong), _list(right))


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def no_tie(design: Design) -> Outcome:
    """Host, kind and time of an event as its whole key: events that share them overwrite each other."""
    events = list(design.loads[0].sample_records())
    wrong_table = _table(
        event.host.encode() + event.event.encode() + struct.pack(">q", LONG_MAX - event.time_ms) for event in events
    )
    right_table = _table(LOGS.row(event) for event in events)
    return Outcome(f"{len(events)} events stored", _count_rows(wrong_table), _count_rows(right_table))


def _count_rows(table: "happybase.Table") -> str:
    rows = len(list(table.scan()))
    return f"{rows} row{'' if rows == 1 else 's'}"


def pad_inside_a_value(_design: Design) -> Outcome:
    """A host padded with x has the same key as a host that ends with x."""
    events = [LogEvent(host, "ERROR", 0) for host in ("ab", "abx")]
    wrong_table = _table(event.host.ljust(20, "x").encode() + event.event.encode() for event in events)
    right_table = _table(LOGS.row(event) for event in events)
    return Outcome("events of the hosts ab and abx", _count_rows(wrong_table), _count_rows(right_table))


def delimiter_inside_a_value(_design: Design) -> Outcome:
    """A delimiter that is part of a value moves the border between two values."""
    events = [LogEvent("a_", "b", 0), LogEvent("a", "_b", 0)]
    wrong_table = _table(f"{event.host}_{event.event}".encode() for event in events)
    right_table = _table(LOGS.row(event) for event in events)
    return Outcome("kind b of host a_, and kind _b of host a", _count_rows(wrong_table), _count_rows(right_table))


def bucket_of_the_time(design: Design) -> Outcome:
    """A clock that ticks in whole seconds: its milliseconds modulo 8 are always 0."""
    events = [event for event in list(design.loads[0].sample_records()) if event.time_ms % 1000 == 0]
    wrong_buckets = {event.time_ms % 8 for event in events}
    right_buckets = {salted.TABLE.row(event)[0] for event in events}
    return Outcome(
        f"{len(events)} events of whole seconds in 8 buckets",
        f"{len(wrong_buckets)} bucket used",
        f"{len(right_buckets)} buckets used, computed from the host",
    )


TRAPS = (
    Trap("prefix without a terminator", "scan with the name as prefix", prefix_without_terminator),
    Trap("decimal text without padding", "host#number, as in host#7", decimal_text_without_padding),
    Trap("MAX - time of another width", "`%013d` of Long.MAX_VALUE - time", max_minus_time_of_another_width),
    Trap("time first", "[timestamp][host][event]", time_leads),
    Trap("negative numbers without a sign flip", "Bytes.toBytes(long)", negative_without_sign_flip),
    Trap("events of one millisecond", "[hostname][log-event][Long.MAX_VALUE - timestamp]", no_tie),
    Trap("padding inside a value", "[rpad(column1,'x',20)][column2]", pad_inside_a_value),
    Trap("delimiter inside a value", "[column1][_][column2]", delimiter_inside_a_value),
    Trap("bucket of the time", "bucket = timestamp % numBuckets", bucket_of_the_time),
)
