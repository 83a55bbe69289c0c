"""Random sequences of operations on a few rows and columns, so that what one call leaves the next ones meet."""

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

from tests.programs.compare.filters import looks_at_rows
from tests.programs.compare.generating_filters import FilterGenerator
from tests.programs.compare.operations import FLUSH, LATEST_MS, UNKNOWN_TABLE, Moment, Operation, is_random
from tests.programs.compare.places import Kind

ROWS = (b"a", b"ab", b"b", b"b\x00", b"c", b"cc", b"d", b"m", b"x", b"\x00", b"\xff", "é".encode())
QUALIFIERS = (b"a", b"ab", b"ac", b"b", b"a:b", b"\x00", b"\xff")
COUNTER = b"n"
VALUES = (b"", b"1", b"2", b"10", b"a", b"A", b"ab", b"a1 b", b"a\nb", b"\xff", "é".encode(), b"it's")
# Letters that lower case makes two of, or another one of at the end of a word; and what is no UTF-8.
ODD_VALUES = (
    *(text.encode() for text in ("İ", "ΑΣ", "ß", "\u212a", "😀", "a\u2028")),
    b"\xed\xa0\x80",
    b"\xe2\x82",
    b"\xc0\x80",
)
FUTURE_MS = 9_000_000_000_000
TOO_LONG_ROW = b"r" * 32_768

EMPTY_QUALIFIERS = 0.25
"""The share of sequences that have columns with an empty qualifier."""

_FILLING = 3
"""Operations at the beginning of a sequence that put, so that there is something."""
_LEFT_OUT = 0.003
"""How often a call lacks one of its arguments."""
_SLOW_ERRORS = 0.01
"""How often a call is left as it is that HBase's gateway repeats for 0.6 s before it fails."""

Make = Callable[["Generator"], Operation]


class Generator:
    """A sequence in the making: the same random numbers make the same one."""

    def __init__(self, random: Random, kind: Kind, empty_qualifiers: float = EMPTY_QUALIFIERS) -> None:
        self._random = random
        self._kind = kind
        self._families = [name.encode() for name in kind.families]
        self._rows = random.sample(ROWS, random.choice((2, 4, 6)))
        # An empty qualifier is kept apart: filters that seek are known to differ where there is one.
        self._qualifiers = random.sample(QUALIFIERS, random.choice((1, 3, 4)))
        self._qualifiers += [b""] * (random.random() < empty_qualifiers)
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

    def _choice(self, weighted: Sequence[tuple[int, Make]]) -> Operation:
        (made,) = self._random.choices([make for _, make in weighted], [weight for weight, _ in weighted])
        while True:
            operation = made(self)
            if self._sometimes(_LEFT_OUT):
                operation = operation.without(self._random.choice(sorted(operation.arguments)))
            if not is_random(operation):
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
            if self._sometimes(0.05):
                return LATEST_MS - 1
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
        mutation: dict[str, Any] = {"column": column, "value": self._value(column)}
        if self._sometimes(0.05):
            del mutation["value"]
        if self._sometimes(0.1):
            mutation["writeToWAL"] = False
        return mutation

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

    # Writes

    def fill(self) -> Operation:
        return self._call("mutateRowsTs", rowBatches=self._batches(deletes=0))

    def mutate_rows(self) -> Operation:
        return self._call(self._ts("mutateRows"), rowBatches=self._batches())

    def mutate_row(self) -> Operation:
        return self._call(self._ts("mutateRow"), row=self._row(), mutations=self._mutations())

    def delete_all(self) -> Operation:
        return self._call(self._ts("deleteAll"), row=self._row(), column=self._column(or_family=0.3))

    def delete_row(self) -> Operation:
        return self._call(self._ts("deleteAllRow"), row=self._row())

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
        column = self._column()
        value = None if self._sometimes(0.3) else self._value(column)
        put = self._mutation(deletes=0.05)
        return self._call("checkAndPut", row=self._row(), column=column, value=value, mput=put)

    def append(self) -> Operation:
        columns = [self._column() for _ in range(self._random.choice((1, 1, 2, 3)))]
        values = [self._random.choice((b"", b"a", b"1")) for _ in columns]
        if self._sometimes(0.03):
            values = values[1:]
        return Operation("append", {"append": {"row": self._row(), "columns": columns, "values": values}})

    def _ts(self, name: str) -> str:
        return name + "Ts" * self._sometimes(0.65)

    # Gets

    def get_rows(self) -> Operation:
        several, columns = self._sometimes(0.4), self._sometimes(0.5)
        name = "getRow" + "s" * several + "WithColumns" * columns + "Ts" * self._sometimes(0.4)
        arguments: dict[str, Any] = {}
        if several:
            arguments["rows"] = [self._row() for _ in range(self._random.choice((0, 1, 2, 3, 4)))]
        else:
            arguments["row"] = self._row()
        if columns:
            arguments["columns"] = self._columns()
        return self._call(name, **arguments)

    def get_cells(self) -> Operation:
        name = self._random.choice(("get", "getVer", "getVer", "getVerTs", "getVerTs"))
        arguments: dict[str, Any] = {"row": self._row(), "column": self._column(or_family=0.2)}
        if name != "get":
            arguments["numVersions"] = self._random.choice((1, 2, 3, 10, 10, 0)) if self._sometimes(0.99) else -1
        return self._call(name, **arguments)

    # Scans

    def scan(self) -> Operation:
        return self._call("scannerOpenWithScan", scan=self._scan()).fetching(self._portions())

    def _scan(self) -> dict[str, Any]:
        scan: dict[str, Any] = {}
        if self._sometimes(0.4):
            scan["startRow"] = self._bound()
        if self._sometimes(0.4):
            scan["stopRow"] = self._bound()
        if self._sometimes(0.25):
            scan["reversed"] = True
            if scan.get("startRow") and scan.get("stopRow") and self._sometimes(0.9):
                scan["startRow"], scan["stopRow"] = sorted((scan["startRow"], scan["stopRow"]), reverse=True)
        if self._sometimes(0.25):
            scan["timestamp"] = self._time()
        if self._sometimes(0.35):
            scan["columns"] = self._columns()
        if self._sometimes(0.4):
            scan["caching"] = self._random.choice((1, 1, 2, 3, 100, 0, -1))
        if self._sometimes(0.4):
            scan["sortColumns"] = self._sometimes(0.8)
        if self._sometimes(0.7):
            scan["filterString"] = self._filters.filter()
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
        return self._scanner_opened().fetching(self._portions_of_few())

    def _scanner_opened(self) -> Operation:
        name = self._random.choice(("scannerOpen", "scannerOpenWithStop", "scannerOpenWithPrefix"))
        arguments: dict[str, Any] = {"columns": self._columns()}
        arguments["startAndPrefix" if name == "scannerOpenWithPrefix" else "startRow"] = self._bound()
        if name == "scannerOpenWithStop":
            arguments["stopRow"] = self._bound()
        return self._call(name if name == "scannerOpenWithPrefix" else self._ts(name), **arguments)

    def _portions_of_few(self) -> list[int | None]:
        # Without a stop row, what follows are the rows of other sequences.
        return [self._random.choice((1, 2, 5, 10))]

    def _scanner_left_open(self) -> Iterator[Operation]:
        """A scanner with other operations between; after the first fetch only reads, since a scan is no snapshot."""
        name = f"s{next(self._scanners)}"
        opened = (
            self._call("scannerOpenWithScan", scan=self._scan()) if self._sometimes(0.7) else self._scanner_opened()
        )
        yield opened.opening(name)
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


_FILLS: Sequence[tuple[int, Make]] = [(1, Generator.fill)]
_READS: Sequence[tuple[int, Make]] = [
    (15, Generator.get_rows),
    (9, Generator.get_cells),
    (32, Generator.scan),
    (5, Generator.open_scanner),
]
_CALLS: Sequence[tuple[int, Make]] = [
    *_READS,
    (19, Generator.mutate_rows),
    (8, Generator.mutate_row),
    (4, Generator.delete_all),
    (2, Generator.delete_row),
    (4, Generator.atomic_increment),
    (2, Generator.increment),
    (4, Generator.check_and_put),
    (4, Generator.append),
]
