"""What a judged layout is: tables with sample records and questions, as a design of one's own, and the verdict on them.

The layouts were written without a look at how the rules of `rowbook lint` decide, so they judge the rules from
outside: a finding is due in each layout that is bad, and none in any that is good.
"""

import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from shared.designs import AccessPattern, Design, Load, Variant
from shared.keys import Splits
from shared.queries import Query
from shared.records import json_of
from shared.sources import Table
from shared.writes import WriterClock

if TYPE_CHECKING:
    import happybase

DAY_S = 24 * 60 * 60
START_S = 1_772_323_200
"""2026-03-01T00:00:00Z, in seconds since 1970: the samples begin then."""
EPOCH_DAY = START_S // DAY_S
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Rows:
    """The records of a layout. The key binds what it can of a question, and the client compares the rest."""

    def __init__(self, connection: "happybase.Connection", tables: Iterable[Table[Any]]) -> None:
        clock = WriterClock()  # of its own: so many puts would set that of the process ahead
        self._first, *self._others = [table.on(connection, clock) for table in tables]

    def store(self, record: Any) -> None:
        """Stores a record in every table."""
        for table in (self._first, *self._others):
            table.put(record)

    def find(self, **conditions: Any) -> Query[Any]:
        """The records that meet the conditions, in the order of the key."""
        return self._first.ask_more(**conditions)

    def find_newest(self, **conditions: Any) -> Query[Any]:
        """The same records, the newest one first."""
        return self._first.ask_more(**conditions).newest_first()

    def find_in_copy(self, **conditions: Any) -> Query[Any]:
        """The records that meet the conditions, from the second table."""
        return self._others[0].ask_more(**conditions)

    def filter_all(self, **conditions: Any) -> Query[Any]:
        """The records that meet conditions of which the key binds none: the client compares all records."""
        return self._first.ask_all().where(**conditions)


def asks(question: str, limit: int = 100, **conditions: Any) -> AccessPattern:
    """A question in the order of the key."""
    return AccessPattern(question, Rows.find, conditions, limit)


def asks_newest(question: str, limit: int, **conditions: Any) -> AccessPattern:
    """A question for the newest records."""
    return AccessPattern(question, Rows.find_newest, conditions, limit)


def asks_copy(question: str, **conditions: Any) -> AccessPattern:
    """A question of the second table."""
    return AccessPattern(question, Rows.find_in_copy, conditions)


def asks_all(question: str, **conditions: Any) -> AccessPattern:
    """A question of which the key binds nothing."""
    return AccessPattern(question, Rows.filter_all, conditions)


@attrs.frozen
class Judged:
    """A layout, and whether it costs or loses what it must not."""

    kind: str
    """The kind of mistake; of a good layout, the kind of finding that a naive rule has here."""
    is_bad: bool
    why: str
    """What is wrong and what is lost by it; of a good layout, why nothing is wrong."""
    tables: tuple[Table[Any], ...]
    records: Callable[[random.Random], Iterable[Any]]
    """Makes the sample records, in the order of their file."""
    patterns: tuple[AccessPattern, ...]

    @property
    def name(self) -> str:
        """The name of the first table."""
        return self.tables[0].layout.name

    @property
    def sample_records(self) -> list[Any]:
        """The sample records in the order of their file, the same ones each time."""
        return [*self.records(random.Random(self.name))]

    def design_in(self, folder: Path) -> Design:
        """The layout as a design with one variant; writes the sample file into a folder."""
        records = self.sample_records
        samples = folder / f"{self.name}.jsonl"
        samples.write_text("".join(f"{json_of(record)}\n" for record in records))
        return Design(
            name=self.name,
            question=f"How is {self.tables[0].layout.holds} stored and found?",
            loads=(Load("samples", records[0].__class__, Rows.store, samples),),
            patterns=self.patterns,
            repository=lambda connection: Rows(connection, self.tables),
            variants=(Variant(None, "the design itself", tables=tuple(of.layout for of in self.tables)),),
            without_upkeep="puts each record as it is, so there is nothing to recover or to compare",
        )


def bad(
    kind: str,
    why: str,
    tables: tuple[Table[Any], ...],
    records: Callable[[random.Random], Iterable[Any]],
    *patterns: AccessPattern,
) -> Judged:
    """A layout in which a finding is due."""
    return Judged(kind, True, why, tables, records, patterns)


def good(
    kind: str,
    why: str,
    tables: tuple[Table[Any], ...],
    records: Callable[[random.Random], Iterable[Any]],
    *patterns: AccessPattern,
) -> Judged:
    """A layout that must have no finding."""
    return Judged(kind, False, why, tables, records, patterns)


# ---- values as services make them


def iso(time_s: float) -> str:
    """ISO 8601 in UTC with milliseconds, always 24 characters."""
    moment = datetime.fromtimestamp(time_s, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ulid(time_s: float, rng: random.Random) -> str:
    """A ULID: 48 bits of milliseconds, then 80 random bits, as 26 letters and digits that sort by time."""
    number = int(time_s * 1000) << 80 | rng.getrandbits(80)
    return "".join(_CROCKFORD[number >> 5 * place & 31] for place in reversed(range(26)))


def moments(rng: random.Random, count: int, every_s: float, start_s: float = START_S) -> list[float]:
    """Seconds since 1970 of `count` events, in order, `every_s` apart on average."""
    times = [start_s]
    while len(times) < count:
        times.append(round(times[-1] + rng.uniform(0.2, 1.8) * every_s, 3))
    return times


def names(rng: random.Random, prefix: str, count: int) -> list[str]:
    """Different ids of text, such as `u-83ab1f`, in no order."""
    return [f"{prefix}-{number:06x}" for number in rng.sample(range(16**6), count)]


def splits_by_digit(prefix: str) -> Splits:
    """Split points of a table whose keys start with such ids: 16 regions, one for each first digit."""
    return Splits(tuple(f"{prefix}-{digit}".encode() for digit in "123456789abcdef"), "the digits of ids are random")
