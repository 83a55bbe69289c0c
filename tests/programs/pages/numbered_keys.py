"""Numbers that count up, under several row keys, in one simulated table: where they go, and what a range of them reads.

plain      [number]                                      the diagram of S4.2
reversed   [digits, last first]                          S2.3
inverted   [bytes, last first]                           S4.3
hashed     [4 bytes of md5][number]                      S4.3
salted     [1 of 8 buckets][number]
divided    [hash // 8 as text][number as text]           S2.4, as published
remainder  [hash mod 8 as text][number as text]          S2.4, as it must be
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import attrs

from shared.exhibit.regions.simulated_splits import SplitPolicy
from shared.exhibit.regions.simulation import Sample, Simulation, simulate
from shared.keys import (
    HashPrefix,
    InvalidQuestion,
    KeyLayout,
    Reversed,
    ReversedDigits,
    Salt,
    UInt32,
    between,
    part,
    row_key,
)
from shared.keys.ranges import RowRange

NUMBERS = 20_000
FIRST = 1_000_000
"""The first number, so that all have as many digits."""
ASKED = (FIRST + 8_000, FIRST + 9_000)
"""The range of numbers that is asked for, without its end."""
SAMPLED = 1_000
BUCKETS = 8
SERVERS = 10
ROWS, ROW_BYTES = 10**9, 100
POLICY = SplitPolicy(max_bytes=2 * 2**30)
"""The load: so many rows, which are split at two gigabytes instead of ten."""


@row_key
class Counted:
    """A number in bytes."""

    number: int = part(UInt32, "counts up")


@row_key
class LastDigitFirst:
    """A number in digits, the last one first."""

    number: int = part(ReversedDigits(7), "counts up")


@row_key
class LastByteFirst:
    """A number in bytes, the last one first."""

    number: int = part(Reversed(UInt32), "counts up")


def java_hash(text: str) -> int:
    """Java's `String.hashCode`: 31 times the hash so far plus the next character, in 32 bits with a sign."""
    hashed = 0
    for character in text:
        hashed = (31 * hashed + ord(character)) & 0xFFFFFFFF
    return hashed - 2**32 if hashed >= 2**31 else hashed


def java_divided(number: int, num: int) -> int:
    """Java's `number / num`, which leaves out what is after the point."""
    return number // num if number >= 0 else -(-number // num)


def java_remainder(number: int, num: int) -> int:
    """Java's `number % num`, which has the sign of the number."""
    return number - num * java_divided(number, num)


def divided(text: str, num: int) -> bytes:
    """`hash(key) / num + key`, as published: 98 / 3 and b make `32b`."""
    return f"{java_divided(java_hash(text), num)}{text}".encode()


def signed_remainder(text: str, num: int) -> bytes:
    """`hash(key) % num + key` in Java: -836030275 % 8 and user_1 make `-3user_1`."""
    return f"{java_remainder(java_hash(text), num)}{text}".encode()


def remainder(text: str, num: int) -> bytes:
    """`Math.floorMod(hash(key), num) + key`: 98 and 3 make `2b`, -836030275 and 8 `5user_1`."""
    return f"{java_hash(text) % num}{text}".encode()


@attrs.frozen
class KeyForm:
    """A row key of a number."""

    name: str
    key: str
    """Its parts, in brackets."""
    row: Callable[[int], bytes]
    ranges: Callable[[int, int], Sequence[RowRange] | None]
    """The ranges that have all numbers from the first one to the second one, without it; None for the whole table."""


def _of_layout(name: str, key: str, layout: KeyLayout[Any]) -> KeyForm:
    def ranges(first: int, until: int) -> Sequence[RowRange] | None:
        try:
            return layout.plan(number=between(first, until)).ranges
        except InvalidQuestion:
            return None

    return KeyForm(name, key, lambda number: layout.encode(layout.key_class(number)), ranges)


def _of_text(name: str, key: str, form: Callable[[str, int], bytes]) -> KeyForm:
    """A text key, whose prefixes a reader cannot list unless they are few."""

    def row(number: int) -> bytes:
        return form(str(number), BUCKETS)

    def ranges(first: int, until: int) -> Sequence[RowRange] | None:
        prefixes = prefixes_of(form)
        if len(prefixes) > BUCKETS:
            return None
        return [RowRange(prefix + b"%d" % first, prefix + b"%d" % until) for prefix in sorted(prefixes)]

    return KeyForm(name, key, row, ranges)


def prefixes_of(form: Callable[[str, int], bytes]) -> set[bytes]:
    """The prefixes before all numbers of the workload."""
    width = len(str(FIRST))
    return {form(str(number), BUCKETS)[:-width] for number in range(FIRST, FIRST + NUMBERS)}


FORMS = (
    _of_layout("plain", "[number]", KeyLayout(Counted)),
    _of_layout("reversed", "[digits, last first]", KeyLayout(LastDigitFirst)),
    _of_layout("inverted", "[bytes, last first]", KeyLayout(LastByteFirst)),
    _of_layout("hashed", "[4 bytes of md5][number]", KeyLayout(Counted, HashPrefix(of="number", bytes=4))),
    _of_layout("salted", f"[1 of {BUCKETS} buckets][number]", KeyLayout(Counted, Salt(of="number", buckets=BUCKETS))),
    _of_text("divided", f"[hash / {BUCKETS}][number]", divided),
    _of_text("remainder", f"[floorMod(hash, {BUCKETS})][number]", remainder),
)


@attrs.frozen
class SpreadAndScan:
    """What a row key does to writes, and to a question for a range of numbers."""

    form: KeyForm
    simulation: Simulation
    reads_all: bool
    """Whether the question has to read the whole table."""
    ranges: int
    rows: int
    """Rows that it reads."""
    regions: int
    """Regions that it reads."""


@cache
def spread_and_scan(form: KeyForm) -> SpreadAndScan:
    """Stores the workload under a row key, and asks for the range."""
    rows = [form.row(number) for number in range(FIRST, FIRST + NUMBERS)]
    sample = Sample.thinned(rows, SAMPLED)
    simulation = simulate(sample, ROWS, ROW_BYTES, POLICY, SERVERS)
    ranges = form.ranges(*ASKED)
    if ranges is None:
        return SpreadAndScan(form, simulation, True, 1, ROWS, len(simulation.table.regions))
    ordered, places = sorted(rows), sorted(sample.rows)
    read, regions = 0, set[int]()
    for range_ in ranges:
        start, stop = range_.start, range_.stop or ordered[-1] + b"\0"
        read += bisect_left(ordered, stop) - bisect_left(ordered, start)
        first, last = (max(0, bisect_left(places, row) - 1) for row in (start, stop))
        regions |= {simulation.table.region_of(place).start for place in range(first, last + 1)}
    return SpreadAndScan(form, simulation, False, len(ranges), read, len(regions))
