"""Random sequences of operations on a few rows and columns, so that what one call leaves the next ones meet."""

import struct
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any

from attrs import evolve

from tests.programs.compare.filters import looks_at_rows, text_of
from tests.programs.compare.generating_filters import FilterGenerator
from tests.programs.compare.operations import FLUSH, LATEST_MS, UNKNOWN_TABLE, Moment, Operation, is_random, written
from tests.programs.compare.places import Kind

ROWS = (b"a", b"ab", b"b", b"b\x00", b"c", b"cc", b"d", b"m", b"x", b"\x00", b"\xff", "é".encode())
QUALIFIERS = (b"a", b"ab", b"ac", b"b", b"a:b", b"\x00", b"\xff")
COUNTER = b"n"
VALUES = (b"", b"1", b"2", b"10", b"a", b"A", b"ab", b"a1 b", b"a\nb", b"\xff", "é".encode(), b"it's")
ODD_VALUES = *map(str.encode, ("İ", "ΑΣ", "ß", "\u212a", "😀", "a\u2028")), b"\xed\xa0\x80", b"\xe2\x82", b"\xc0\x80"
"""Letters that lower case makes two of, or another one of at the end of a word; and what is not UTF-8."""
FUTURE_MS = 9_000_000_000_000
TOO_LONG_ROW = b"r" * 32_768

_FILLING = 3
"""Operations at the beginning of a sequence that put, so that there is something."""
_LEFT_OUT = 0.003
"""How often a call lacks one of its arguments."""
_SLOW_ERRORS = 0.01
"""How often a call is left as it is that HBase's gateway repeats for 0.6 s before it fails."""

Make = Callable[["Generator"], Operation]


def _seeks(operation: Operation) -> bool:
    text = text_of(operation.filter or b"")
    return b"ColumnPrefixFilter" in text or b"ColumnRangeFilter" in text


def _deletes_a_family(operation: Operation) -> bool:
    return any(write.is_whole_family for write in written(operation))


def _puts_without_a_qualifier(operation: Operation) -> bool:
    return any(not write.is_delete and (write.column or b"").endswith(b":") for write in written(operation))


LEFT_OUT = {_puts_without_a_qualifier: 6, _seeks: 1, _deletes_a_family: 1}
"""The number of sequences in eight that have no operation of the kind.

HBase 2.6.1 keeps the tombstone of a family among the cells with an empty qualifier. A filter that seeks on from a newer
one of these never sees the tombstone, and shows what it hides. So each sequence lacks one of the three.
"""


class Generator:
    """A sequence in the making: the same random numbers make the same one."""

    def __init__(self, random: Random, kind: Kind) -> None:
        self._random = random
        self._kind = kind
        self._families = [name.encode() for name in kind.families]
        self._rows = random.sample(ROWS, random.choice((2, 4, 6)))
        (self._is_left_out,) = random.choices([*LEFT_OUT], [*LEFT_OUT.values()])
        self._qualifiers = random.sample(QUALIFIERS, random.choice((1, 3, 4)))
        self._qualifiers += [b""] * (self._is_left_out is not _puts_without_a_qualifier)
        self._values = [*random.sample(VALUES, 5), random.choice(ODD_VALUES)]
        self._filters = FilterGenerator(random, self._rows, self._families, self._qualifiers, self._values)
        self._scanners = count(1)

    def operations(self, length: int) -> list[Operation]:
        """At least as many operations as wanted.

        Half of the sequences that have a table to themselves disable and enable it once, which writes what is in memory
        to files.
        """
        made = [self._choice(_FILLS) for _ in range(_FILLING)]
        # One, since HBase's next flush leaves the first one's file as it is, where the embedded store has no files.
        flush_at = self._random.randrange(_FILLING, 2 * length) if self._kind.is_whole else None
        while len(made) < length:
            if flush_at is not None and len(made) >= flush_at:
                made += [Operation(call, {}) for call in FLUSH]
                flush_at = None
            made += self._scanner_left_open() if self._sometimes(0.02) else [self._choice(_CALLS)]
        return made

    def _choice(self, weights: dict[Make, int]) -> Operation:
        (made,) = self._random.choices([*weights], [*weights.values()])
        while True:
            operation = made(self)
            if self._sometimes(_LEFT_OUT):
                missing = self._random.choice(sorted(operation.arguments))
                operation = evolve(operation, arguments={**operation.arguments, missing: None})
            if not is_random(operation) and not self._is_left_out(operation):
                return operation

    def _sometimes(self, share: float) -> bool:
        return self._random.random() < share

    # Pieces of arguments

    def _row(self) -> bytes:
        if self._sometimes(0.005):
            return self._random.choice((b"", TOO_LONG_ROW))
        return self._random.choice(self._rows)

    def _qualifier(self) -> bytes:
        return COUNTER if self._sometimes(0.1) else self._random.choice(self._qualifiers)

    def _column(self, *, or_family: float = 0.0) -> bytes:
        """A column, or a family, or now and then what is neither."""
        family = self._random.choice(self._families)
        if self._sometimes(0.01):
            return self._random.choice((b"x:a", b"x", b"", b":", b":a", family))
        return family if self._sometimes(or_family) else family + b":" + self._qualifier()

    def _columns(self) -> list[bytes]:
        return [self._column(or_family=0.3) for _ in range(self._random.choice((0, 1, 1, 2, 3)))]

    def _value(self, column: bytes) -> bytes:
        if column.endswith(b":" + COUNTER) and self._sometimes(0.8):
            return struct.pack(">q", self._random.choice((0, 1, 5, -1, 2**63 - 1, -(2**63))))
        return self._random.choice(self._values)

    def _time(self, *, future: float = 0.04) -> int | Moment:
        """A timestamp: a small number, one between two writes, or an odd one."""
        if self._sometimes(future):
            return self._random.choice((FUTURE_MS, FUTURE_MS + 1, FUTURE_MS + 2, LATEST_MS, LATEST_MS))
        if self._sometimes(0.15):
            return Moment(self._random.randrange(4))
        return self._random.choice((0, -1)) if self._sometimes(0.03) else self._random.randrange(1, 9)

    def _mutation(self, *, deletes: float = 0.3) -> dict[str, Any]:
        if self._sometimes(deletes):
            column = self._column(or_family=0.3)
            if column[:1] in (b"", b":") and not self._sometimes(_SLOW_ERRORS * 10):
                column = self._families[0]
            return {"isDelete": True, "column": column}
        column = self._column()
        value = {} if self._sometimes(0.05) else {"value": self._value(column)}
        return {"column": column, **value, **({"writeToWAL": False} if self._sometimes(0.1) else {})}

    def _mutations(self, deletes: float = 0.3) -> list[dict[str, Any]]:
        return [self._mutation(deletes=deletes) for _ in range(self._random.choice((1, 1, 2, 3, 4)))]

    def _batches(self, deletes: float = 0.3) -> list[dict[str, Any]]:
        width = self._random.choice((1, 1, 2, 3))
        return [{"row": self._row(), "mutations": self._mutations(deletes)} for _ in range(width)]

    def _call(self, name: str, **arguments: Any) -> Operation:
        table = UNKNOWN_TABLE if self._sometimes(0.002) else None
        if name.endswith("Ts"):
            arguments["timestamp"] = self._time()
        return Operation(name, arguments, table)

    def atomic_increment(self) -> Operation:
        row, column = self._row(), self._counter(or_family=0.05)
        if not 0 < len(row) < len(TOO_LONG_ROW) or column.startswith(b":"):
            row, column = (row, column) if self._sometimes(_SLOW_ERRORS) else (self._rows[0], column.lstrip(b":"))
        return self._call("atomicIncrement", row=row, column=column, value=self._amount())

    def increment(self) -> Operation:
        if self._sometimes(0.5):
            return Operation("increment", {"increment": self._increment()})
        return Operation("incrementRows", {"increments": [self._increment() for _ in range(self._random.randrange(4))]})

    def _increment(self) -> dict[str, Any]:
        return {"row": self._row(), "column": self._counter(), "ammount": self._amount()}

    def _counter(self, *, or_family: float = 0.0) -> bytes:
        if self._sometimes(0.2):
            return self._column(or_family=or_family)
        return self._random.choice(self._families) + b":" + COUNTER

    def _amount(self) -> int:
        return self._random.choice((1, 1, 2, -1, 0, 2**63 - 1))

    def check_and_put(self) -> Operation:
        column, put = self._column(), self._mutation(deletes=0.05)
        value = None if self._sometimes(0.3) else self._value(column)
        return self._call("checkAndPut", row=self._row(), column=column, value=value, mput=put)

    def append(self) -> Operation:
        columns = [self._column() for _ in range(self._random.choice((1, 1, 2, 3)))]
        values = [self._random.choice((b"", b"a", b"1")) for _ in columns][self._sometimes(0.03) :]
        return Operation("append", {"append": {"row": self._row(), "columns": columns, "values": values}})

    def _ts(self, name: str) -> str:
        return name + "Ts" * self._sometimes(0.65)

    # Gets

    def get_rows(self) -> Operation:
        several, columns = self._sometimes(0.4), self._sometimes(0.5)
        name = "getRow" + "s" * several + "WithColumns" * columns + "Ts" * self._sometimes(0.4)
        rows = [self._row() for _ in range(self._random.choice((0, 1, 2, 3, 4)))]
        arguments: dict[str, Any] = {"rows": rows} if several else {"row": self._row()}
        return self._call(name, **arguments, **({"columns": self._columns()} if columns else {}))

    def get_cells(self) -> Operation:
        name = self._random.choice(("get", "getVer", "getVer", "getVerTs", "getVerTs"))
        arguments: dict[str, Any] = {"row": self._row(), "column": self._column(or_family=0.2)}
        if name != "get":
            arguments["numVersions"] = self._random.choice((1, 2, 3, 10, 10, 0)) if self._sometimes(0.99) else -1
        return self._call(name, **arguments)

    # Scans

    def scan(self) -> Operation:
        return evolve(self._call("scannerOpenWithScan", scan=self._scan()), fetch=self._portions())

    def _scan(self) -> dict[str, Any]:
        scan = {name: made(self) for name, (share, made) in _SCAN_FIELDS.items() if self._sometimes(share)}
        if scan.get("reversed") and scan.get("startRow") and scan.get("stopRow") and self._sometimes(0.9):
            scan["startRow"], scan["stopRow"] = sorted((scan["startRow"], scan["stopRow"]), reverse=True)
        if self._sometimes(0.15) and self._can_batch(scan.get("filterString")):
            scan["batchSize"] = self._random.choice((1, 1, 2, 3, 0, -1))
        return scan

    def _can_batch(self, given: Any) -> bool:
        if given is None or self._sometimes(_SLOW_ERRORS):
            return True
        return not isinstance(given, bytes) and not looks_at_rows(given)

    def _bound(self) -> bytes:
        row = self._row()
        return row + b"\x00" if row and self._sometimes(0.1) else row

    def _portions(self) -> list[int | None]:
        if self._sometimes(0.5):
            return [1000]
        return [self._random.choice((1, 1, 2, 3, 5, None, 0)) for _ in range(3)] + [2]

    def open_scanner(self) -> Operation:
        # Without a stop row, what follows are the rows of other sequences.
        return evolve(self._scanner_opened(), fetch=[self._random.choice((1, 2, 5, 10))])

    def _scanner_opened(self) -> Operation:
        name = self._random.choice(("scannerOpen", "scannerOpenWithStop", "scannerOpenWithPrefix"))
        arguments: dict[str, Any] = {"columns": self._columns()}
        arguments["startAndPrefix" if name == "scannerOpenWithPrefix" else "startRow"] = self._bound()
        if name == "scannerOpenWithStop":
            arguments["stopRow"] = self._bound()
        return self._call(name if name == "scannerOpenWithPrefix" else self._ts(name), **arguments)

    def _scanner_left_open(self) -> Iterator[Operation]:
        """A scanner with other operations between; after the first fetch only reads, since a scan is no snapshot."""
        name = f"s{next(self._scanners)}"
        opened = self.scan() if self._sometimes(0.7) else self._scanner_opened()
        while self._is_left_out(opened):
            opened = self.scan()
        yield evolve(opened, fetch=[], opens=name)
        yield from (self._choice(_CALLS) for _ in range(self._random.randrange(3)))
        for _ in range(self._random.randrange(1, 4)):
            yield self._fetch(name)
            yield from (self._choice(_READS) for _ in range(self._random.randrange(2)))
        yield Operation("scannerClose", {"id": name})
        if self._sometimes(0.1):
            yield self._fetch(name)

    def _fetch(self, name: str) -> Operation:
        if self._sometimes(0.2):
            return Operation("scannerGet", {"id": name})
        return Operation("scannerGetList", {"id": name, "nbRows": self._random.choice((1, 2, 2, 10, 0, -1))})


_SCAN_FIELDS: dict[str, tuple[float, Callable[[Generator], Any]]] = {
    "startRow": (0.4, Generator._bound),
    "stopRow": (0.4, Generator._bound),
    "reversed": (0.25, lambda make: True),
    "timestamp": (0.25, Generator._time),
    "columns": (0.35, Generator._columns),
    "caching": (0.4, lambda make: make._random.choice((1, 1, 2, 3, 100, 0, -1))),
    "sortColumns": (0.4, lambda make: make._sometimes(0.8)),
    "filterString": (0.7, lambda make: make._filters.filter()),
}
"""How often a scan has a field, and what is in it."""

_FILLS: dict[Make, int] = {lambda make: make._call("mutateRowsTs", rowBatches=make._batches(deletes=0)): 1}
_READS: dict[Make, int] = {
    Generator.get_rows: 15,
    Generator.get_cells: 9,
    Generator.scan: 32,
    Generator.open_scanner: 5,
}
_CALLS: dict[Make, int] = {
    **_READS,
    lambda make: make._call(make._ts("mutateRows"), rowBatches=make._batches()): 19,
    lambda make: make._call(make._ts("mutateRow"), row=make._row(), mutations=make._mutations()): 8,
    lambda make: make._call(make._ts("deleteAll"), row=make._row(), column=make._column(or_family=0.3)): 4,
    lambda make: make._call(make._ts("deleteAllRow"), row=make._row()): 2,
    Generator.atomic_increment: 4,
    Generator.increment: 2,
    Generator.check_and_put: 4,
    Generator.append: 4,
}
"""Of a hundred or so calls, how many are made like this."""
