"""Published keys beside the keys of `logs`, and published mistakes with what each of them returns."""

import struct
from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from random import Random
from typing import TYPE_CHECKING

import attrs

from shared.designs import Design, measure, scratch_store, scratch_table
from shared.exhibit import (
    LONG_MAX,
    RANGES,
    SIGN,
    Outcome,
    PublishedKey,
    ScannedTable,
    ScanTask,
    Trap,
    Writes,
    added_tie,
    any_text,
    recorded_heat,
)
from shared.keys import (
    Descending,
    Int64,
    KeyLayout,
    Salt,
    UInt32,
    any_of,
    between,
    part,
    row_key,
    split_points,
)
from shared.queries import scan
from shared.sources import Table

from ..keys import LOGS, LogNewestFirst, LogTimeFirst
from ..records import LogEvent
from ..repository import LogRepository
from .variants import modulo, oldest_first, padded, random, salted, time_first

if TYPE_CHECKING:
    import happybase

# ---- the keys of S0.7 and S0.10 to S0.12 byte for byte as published: text as UTF-8, numbers as `Bytes.toBytes(long)`


TIME_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z
TIE = bytes.fromhex("0011223344556677")

TERMINATOR = any_text("host1", "host12")
SAME_TERMINATOR = "with the same terminator as the host"
TIE_ADDED = added_tie("events of one host and kind")

PUBLISHED = (
    PublishedKey(
        "S0.12",
        "timestamp = Long.MAX_VALUE - timestamp; [hostname][log-event][timestamp]",
        LOGS.layout,
        LogNewestFirst("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1", "event": b"GET", "time_ms": struct.pack(">q", LONG_MAX - TIME_MS)},
        {"host": TERMINATOR, "event": SAME_TERMINATOR, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.11",
        "[hostname][log-event][timestamp]",
        oldest_first.TABLE.layout,
        oldest_first.LogOldestFirst("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1", "event": b"GET", "time_ms": struct.pack(">q", TIME_MS)},
        {"host": TERMINATOR, "event": SAME_TERMINATOR, "time_ms": SIGN, "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.10 with S0.12's time",
        "[rpad(column1,'x',20)][column2]",
        padded.TABLE.layout,
        padded.LogPadded("web-1", "GET", TIME_MS, TIE),
        {"host": b"web-1".ljust(20, b"x"), "event": b"GET", "time_ms": struct.pack(">q", LONG_MAX - TIME_MS)},
        {"event": "any text, with the terminator `00 01`", "tie": TIE_ADDED},
    ),
    PublishedKey(
        "S0.7",
        "long bucket = timestamp % numBuckets; [bucket][timestamp][hostname][log-event]",
        modulo.TABLE.layout,
        LogTimeFirst(TIME_MS, "web-1", "GET", TIE),
        {
            "Modulo": struct.pack(">q", TIME_MS % modulo.BUCKETS),
            "time_ms": struct.pack(">q", TIME_MS),
            "host": b"web-1",
            "event": b"GET",
        },
        {
            "Modulo": "one byte, because there are at most 256 buckets; the published bucket is a long",
            "time_ms": SIGN,
            "host": TERMINATOR,
            "event": SAME_TERMINATOR,
            "tie": TIE_ADDED,
        },
    ),
)


# ---- thirteen published mistakes about log keys, each as wrong code beside the right code, on the embedded store


def prefix_without_terminator(design: Design) -> Outcome:
    """The events of host1: scanning for the bare name also finds host12 and host123."""
    events: list[LogEvent] = list(design.loads[0].sample_records())
    of_host = ScanTask(events, is_wanted=lambda event: event.host == "host1", label=lambda event: event.host)
    wrong = of_host.run(
        lambda event: f"{event.host}{event.event}{event.time_ms}{event.tie.hex()}".encode(),
        lambda table: table.scan(row_prefix=b"host1"),
    )
    right = of_host.run(LOGS.layout.row, lambda table: scan(table, LOGS.layout.key.plan(host="host1")))
    return Outcome.of_scans(f"the {of_host.wanted} events of host1", wrong, right)


@row_key
class Numbered:
    """An event by its number."""

    number: int = part(UInt32, "counts up by one")


def decimal_text_without_padding(_design: Design) -> Outcome:
    """Events numbered 1 to 1,000: as text, 10, 100 and 1000 come before 2, and the interval from 5 to 15 is empty."""
    layout = KeyLayout(Numbered)

    def scans(since: int, until: int) -> tuple[ScannedTable, ScannedTable]:
        numbers, wanted = range(1, 1001), range(since, until)
        wrong = ScanTask(numbers, wanted.__contains__, label=lambda number: f"{str(number)[0]}...").run(
            lambda number: b"web-1#%d" % number, lambda table: table.scan(b"web-1#%d" % since, b"web-1#%d" % until)
        )
        right = ScanTask(
            numbers, wanted.__contains__, label=lambda number: "1 to 4" if number < 5 else "5 to 1000"
        ).run(
            lambda number: layout.encode(Numbered(number)),
            lambda table: scan(table, layout.plan(number=between(since, until))),
        )
        return wrong, right

    (wrong, right), (wrong_beyond, right_beyond) = scans(1, 5), scans(5, 15)
    return Outcome(
        "numbers 1 up to 5, and 5 up to 15",
        f"{wrong.words}; and {wrong_beyond.count}",
        f"{right.words}; and {right_beyond.count}",
        (wrong, right),
    )


@row_key
class NewestFirst:
    """An event by its time, newest first."""

    time_ms: int = part(Descending(Int64), "milliseconds since 1970")


def max_minus_time_of_another_width(_design: Design) -> Outcome:
    """`%013d` of Long.MAX_VALUE - time has 19 digits, so it is never padded, and the first 13 digits mean nothing."""
    hour = [1_700_000_000_000 + second * 1000 for second in range(3600)]
    wrong_table = scratch_table(b"%013d" % (LONG_MAX - time_ms) for time_ms in hour)
    first = next(iter(wrong_table.scan(limit=1)))[0][:13]
    cut_rows = len(list(scratch_table((b"%013d" % (LONG_MAX - time_ms))[:13] for time_ms in hour).scan()))

    layout = KeyLayout(NewestFirst)
    right_table = scratch_table(layout.encode(NewestFirst(time_ms)) for time_ms in hour)
    newest = layout.decode(next(iter(right_table.scan(limit=1)))[0])
    return Outcome(
        f"{len(hour):,} events, one a second, newest first, the first at {hour[-1]}",
        f"read as 13 digits, the first is at {LONG_MAX - int(first)}; cut to 13, {cut_rows} rows",
        f"{len(list(right_table.scan())):,} rows, the first at {newest.time_ms}",
    )


def time_leads(design: Design) -> Outcome:
    """A key that starts with the time: new rows come after all others, so all writes go to one region."""
    recording = recorded_heat(design)
    wrong, right = (recording.table(table.layout.name).heat for table in (time_first.TABLE, salted.TABLE))
    return Outcome(
        f"the later half of {recording.sample}, on {RANGES} ranges of the table",
        f"{wrong.share:.0%} of them in one range",
        f"{right.share:.0%} in the busiest, after a bucket of the host",
    )


@row_key
class Signed:
    """A number that may be negative."""

    number: int = part(Int64, "any")


def negative_without_sign_flip(_design: Design) -> Outcome:
    """Plain two's complement: negative numbers come after all others."""
    below_five = ScanTask((-2, -1, 0, 1, 5), is_wanted=lambda number: number < 5, label=str)
    wrong = below_five.run(
        lambda number: struct.pack(">q", number), lambda table: table.scan(row_stop=struct.pack(">q", 5))
    )
    layout = KeyLayout(Signed)
    right = below_five.run(
        lambda number: layout.encode(Signed(number)), lambda table: scan(table, layout.plan(number=between(until=5)))
    )
    return Outcome.of_scans(f"those below 5 of {', '.join(map(str, below_five.records))}", wrong, right)


def published_row(event: LogEvent) -> bytes:
    """`[hostname][log-event][Long.MAX_VALUE - timestamp]`."""
    return event.host.encode() + event.event.encode() + struct.pack(">q", LONG_MAX - event.time_ms)


def no_tie(design: Design) -> Outcome:
    """Host, kind and time of an event as its whole key: events that share them overwrite each other."""
    events = list(design.loads[0].sample_records())
    wrong_table = scratch_table(map(published_row, events))
    right_table = scratch_table(LOGS.layout.row(event) for event in events)
    return Outcome(f"{len(events):,} events stored", _count_rows(wrong_table), _count_rows(right_table))


def _count_rows(table: "happybase.Table") -> str:
    rows = len(list(table.scan()))
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def pad_inside_a_value(_design: Design) -> Outcome:
    """A host padded with x has the same key as a host that ends with x."""
    events = [LogEvent(host, "ERROR", 0) for host in ("ab", "abx")]
    wrong_table = scratch_table(event.host.ljust(20, "x").encode() + event.event.encode() for event in events)
    right_table = scratch_table(LOGS.layout.row(event) for event in events)
    return Outcome("events of the hosts ab and abx", _count_rows(wrong_table), _count_rows(right_table))


def delimiter_inside_a_value(_design: Design) -> Outcome:
    """A delimiter that is part of a value moves the border between two values."""
    events = [LogEvent("a_", "b", 0), LogEvent("a", "_b", 0)]
    wrong_table = scratch_table(f"{event.host}_{event.event}".encode() for event in events)
    right_table = scratch_table(LOGS.layout.row(event) for event in events)
    return Outcome("kind b of host a_, and kind _b of host a", _count_rows(wrong_table), _count_rows(right_table))


def bucket_of_the_time(design: Design) -> Outcome:
    """A clock that ticks in whole seconds: its milliseconds modulo 8 are always 0."""
    events = [event for event in list(design.loads[0].sample_records()) if event.time_ms % 1000 == 0]
    wrong_buckets = {event.time_ms % 8 for event in events}
    right_buckets = {salted.TABLE.layout.row(event)[0] for event in events}
    return Outcome(
        f"{len(events)} events of whole seconds in 8 buckets",
        f"{len(wrong_buckets)} bucket is used",
        f"{len(right_buckets)} are used, computed from the host",
    )


def next_name_as_stop(design: Design) -> Outcome:
    """Both published remedies end the name, and neither helps a scan from host1 to host2: host12 sorts between them."""
    events: list[LogEvent] = list(design.loads[0].sample_records())
    of_host = ScanTask(events, is_wanted=lambda event: event.host == "host1", label=lambda event: event.host)

    def published(end_of_host: Callable[[str], str]) -> ScannedTable:
        return of_host.run(
            lambda event: f"{end_of_host(event.host)}{event.event}{event.time_ms}{event.tie.hex()}".encode(),
            lambda table: table.scan(b"host1", b"host2"),
        )

    padded, delimited = published(lambda host: host.ljust(20, "x")), published(lambda host: f"{host}_")
    (words,) = {padded.words, delimited.words}
    right = of_host.run(LOGS.layout.row, lambda table: scan(table, LOGS.layout.key.plan(host="host1")))
    return Outcome(
        f"the {of_host.wanted} events of host1",
        f"{words}, padded or with a delimiter",
        f"{right.words}: both ends of the range have the name and its terminator",
        (padded, right),
    )


def one_busy_host(design: Design) -> Outcome:
    """A hash of the host spreads hosts evenly; what one host writes stays in one bucket."""
    events = sorted(design.loads[0].sample_records(), key=attrgetter("time_ms"))
    by_event = KeyLayout(LogTimeFirst, Salt(of=("host", "event", "time_ms", "tie"), buckets=salted.BUCKETS))
    recording = recorded_heat(design)
    wrong = recording.table(salted.TABLE.layout.name)
    right = Writes([by_event.row_of(event) for event in events], split_points(by_event).points).heat
    host = Counter(event.host for event in events).most_common(1)[0][0]
    ranges = [len(layout.narrow(host=host, time_ms=between()).ranges) for layout in (salted.TABLE.layout.key, by_event)]
    return Outcome(
        f"the later half of {recording.sample}, in {RANGES} buckets",
        f"{wrong.heat.share:.0%} in the busiest bucket of the host, because {wrong.owner}",
        f"a bucket of all parts: {right.kind}, but a question about one host reads {ranges[1]} ranges, not {ranges[0]}",
    )


HOST_SALT = Salt(of="host", buckets=random.BUCKETS)


def random_prefix(design: Design) -> Outcome:
    """Nobody can compute a drawn number again, so a retry makes another row, and a delete mostly misses its row."""
    events = [event for event in list(design.loads[0].sample_records()) if event.host == "host1"]
    by_salt = LOGS.like("logs_by_salt", KeyLayout(LogNewestFirst, HOST_SALT))
    of_drawn, of_computed = scratch_store(random.TABLES), scratch_store(by_salt.tables)
    drawing = random.Repository(of_drawn, chance=Random(1))
    computing = LogRepository(of_computed, by_salt)
    for _ in range(2):  # the second time is the retry of a client whose replies were lost
        drawing.store_all(events)
        computing.store_all(events)
    drawn_rows = of_drawn.table(random.TABLE.layout.name)
    every_prefix = random.TABLE.layout.key.plan(random_bucket=any_of(range(random.BUCKETS)), host="host1")
    computed = by_salt.layout.key.plan(host="host1")
    computed_rows = of_computed.table(by_salt.layout.name)
    copies, rows = (sum(1 for _ in scan(*read)) for read in ((drawn_rows, every_prefix), (computed_rows, computed)))
    for event in events:
        drawn_rows.delete(random.TABLE.layout.row(drawing.bucketed(event)))
        computed_rows.delete(by_salt.layout.row(event))
    left = {attrs.evolve(random.TABLE.layout.key.decode(row), random_bucket=0) for row, _cells in drawn_rows.scan()}
    return Outcome(
        f"{len(events)} events of host1, each stored twice because replies were lost, and deleted once",
        f"{copies} rows from {len(every_prefix.ranges)} ranges; {len(left)} events after the deletes",
        f"{rows} rows from {len(computed.ranges)} range; {_count_rows(computed_rows)} after the deletes",
    )


def asked_most_often_first(design: Design) -> Outcome:
    """Almost every question names a time, so the time should come first; but questions ask for intervals of it."""
    of_host = [pattern for pattern in design.patterns if "host" in pattern.sample]
    of_time = [pattern for pattern in design.patterns if "since_ms" in pattern.sample]

    def rows_read(logs: Table[LogEvent]) -> tuple[int, int]:
        connection = scratch_store(logs.tables)
        repository = LogRepository(connection, logs)
        repository.store_all(design.loads[0].sample_records())
        measured = measure(connection, repository, of_host)
        return sum(one.cost.rows_fetched for one in measured), sum(len(one.records) for one in measured)

    (wrong, returned), (right, _) = rows_read(time_first.TABLE), rows_read(LOGS)
    return Outcome(
        f"the {len(of_host)} of {len(design.patterns)} questions that name a host; {len(of_time)} name a time",
        f"with the time first, {wrong:,} rows read for {returned:,} returned",
        f"with the host first, bound by equality, {right:,}",
    )


TRAPS = (
    Trap("prefix without a terminator", "scan with the name as prefix", prefix_without_terminator),
    Trap("decimal text without padding", "host#number, as in host#7", decimal_text_without_padding),
    Trap("MAX - time of another width", "%013d of Long.MAX_VALUE - time", max_minus_time_of_another_width),
    Trap("time first", "[timestamp][host][event]", time_leads),
    Trap("negative numbers without a sign flip", "Bytes.toBytes(long)", negative_without_sign_flip),
    Trap("events of one millisecond", "[hostname][log-event][Long.MAX_VALUE - timestamp]", no_tie),
    Trap("padding inside a value", "[rpad(column1,'x',20)][column2]", pad_inside_a_value),
    Trap("delimiter inside a value", "[column1][_][column2]", delimiter_inside_a_value),
    Trap("bucket of the time", "bucket = timestamp % numBuckets", bucket_of_the_time),
    Trap("the next name as stop row", "scan 'table1',{startkey=> 'host1',endkey=> 'host2'}", next_name_as_stop),
    Trap("one busy host", "hot spots do not occur for fully distributed data", one_busy_host),
    Trap("a random prefix", "add salt after rowkey prefix will be based on the randomly generated", random_prefix),
    Trap(
        "the field that is asked for most often first",
        "把常用来查询的字段放在 RowKey 前缀 (put the fields that are queried often first)",
        asked_most_often_first,
    ),
)
