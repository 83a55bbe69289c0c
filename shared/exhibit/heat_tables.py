"""Where the tables of a design take their writes: records are generated, and stored in order of time.

The generator is that of the samples: `make_samples.py` beside them has `SAMPLES`, for each load a function of `times`
that returns so many times the samples, as fields by name.
"""

import runpy
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from ..designs.counting import Cost, metered
from ..designs.design import Design, Load, Variant
from ..designs.ruler import show_value
from ..designs.scratch import scratch_store
from ..keys import InvalidKey
from ..tables.layouts import PhysicalTable, physical_tables
from .heat import OWN_POINTS, Heat, TooFewWrites, Writes
from .repeatable import same_bytes_each_time
from .write_order import TimeField, time_field, time_format

if TYPE_CHECKING:
    import happybase

OWNED = 0.75
"""A busy range is of one owner if so much of its writes is."""
MATTERS = 0.1
"""A table matters for a verdict on its variant if it takes so much of the writes."""

Records: TypeAlias = Sequence[tuple[Load, Any]]
"""Records in order of time, each with the load that stores it."""


class NoGenerator(FileNotFoundError):
    """The samples of a design have no generator beside them."""


@attrs.frozen
class TableHeat:
    """The heat of a table of a variant."""

    variant: str
    table: str
    heat: Heat
    written: int
    """All writes: those that cut the table, and those that were counted."""
    keys: str = ""
    """The keys that were counted, see `keys_of`."""
    owner: str = ""
    """Whose writes make the busiest range busy: `host web-1 alone takes 23%`; empty if no single owner's do."""
    counted: Heat | None = None
    """What the region servers of a real HBase counted; None if nobody asked them."""

    @property
    def verdict(self) -> str:
        """What the counts mean, in words, with the owner of the busiest range."""
        return f"{self.heat.verdict} ({self.owner})" if self.owner else self.heat.verdict


def generated_records(design: Design, rows: int) -> Records:
    """As many records as the design itself needs to write so many rows, in order of time, or in their own order.

    Records without a time come first. Raises NoGenerator.
    """
    samples = _generated(design, 1)
    written = sum(map(len, written_rows(design.main, samples).values()))
    return at_least(design, -(-rows * len(samples) // written))


def at_least(design: Design, records: int) -> Records:
    """So many records or a few more, in order of time, or in their own order. Raises NoGenerator."""
    generators = _generators(design.loads[0].samples.absolute())

    @cache
    def size(times: int) -> int:
        return sum(len(make(times)) for make in generators.values())

    enough = next(2**power for power in count() if size(2**power) >= records)
    return _generated(design, 1 + bisect_left(range(1, enough), records, key=size))


@cache
def _generators(samples: Path) -> Mapping[str, Callable[[int], Sequence[Mapping[str, Any]]]]:
    path = samples.with_name("make_samples.py")
    if not path.exists():
        raise NoGenerator(f"{path}: no such file; it generates the records whose writes are counted")
    generators: Mapping[str, Callable[[int], Sequence[Mapping[str, Any]]]] | None = runpy.run_path(str(path)).get(
        "SAMPLES"
    )
    if generators is None:
        raise NoGenerator(f"{path}: must define SAMPLES, a function for each load that generates its records")
    return generators


def _generated(design: Design, times: int) -> Records:
    generators = _generators(design.loads[0].samples.absolute())
    made: list[tuple[Load, Any]] = []
    for load in design.loads:
        transform = load.new_record_transform()
        made += [(load, transform(load.record(**fields))) for fields in generators[load.name](times)]
    return in_order_of_time(made)


def in_order_of_time(made: Sequence[tuple[Load, Any]]) -> Records:
    """Records in order of time; as they are if a load has an order of its own."""
    return made if any(load.has_own_order for load, _record in made) else sorted(made, key=_time_of(made))


def sample_records(design: Design) -> Records:
    """The records of the sample files, in order of time."""
    return in_order_of_time([(load, record) for load in design.loads for record in load.sample_records()])


def tells_order(made: Records) -> bool:
    """Whether records tell in which order they are written: each has a time, or its load is in the order of a log."""
    fields = _time_fields(made)
    return all(load.has_own_order or fields[load.name] is not None for load, _record in made)


def _time_fields(made: Records) -> Mapping[str, TimeField | None]:
    """The field that tells when records are written, for each load; None if no field does.

    The samples of a load tell it: so many records as a generator makes may cover decades, as dates of birth do.
    """
    loads = {load.name: load for load, _record in made}
    return {name: _time_field(load, load.samples.absolute()) for name, load in loads.items()}


@cache
def _time_field(load: Load, _samples: Path) -> TimeField | None:
    """The field of a load's records, read once from its samples; the path is absolute, so that folders differ."""
    return time_field([*load.sample_records()])


def _time_of(made: Records) -> Callable[[tuple[Load, Any]], float]:
    """A function that returns when one of these records is written; -1 if no field tells it, so that it comes first."""
    fields = _time_fields(made)

    def time_ms(one: tuple[Load, Any]) -> float:
        load, record = one
        field = fields[load.name]
        return -1 if field is None else field.time_ms(record)

    return time_ms


def records_by_load(records: Records) -> dict[str, int]:
    """The number of records of each load."""
    return dict(Counter(load.name for load, _record in records))


def written_rows(variant: Variant, records: Records) -> dict[str, Sequence[bytes]]:
    """For each table that holds records, the row of every write that the variant makes to store these, in order."""
    with stored(variant, records) as (_connection, _repository, cost):
        return {table.name: cost.rows_written[table.name.encode()] for table in physical_tables(variant.record_tables)}


@contextmanager
def stored(variant: Variant, records: Records) -> Generator[tuple["happybase.Connection", Any, Cost]]:
    """A store in memory with these records during the block, its repository, and the cost of storing them.

    Records of one time are stored at once, if the load can. The same records are stored as the same bytes.
    """
    with closing(scratch_store(variant.tables)) as connection, same_bytes_each_time():
        repository = variant.open(connection)
        time_ms = _time_of(records)
        with metered(connection) as cost:
            for _moment, group in groupby(records, key=lambda made: (time_ms(made), made[0].name)):
                (load, _record), *_others = made = list(group)
                if load.stores_many_in(repository) and variant.may_store_again:
                    load.store_all_in(repository, [record for _load, record in made])
                    continue
                for _load, record in made:
                    load.store_in(repository, record)
        yield connection, repository, cost


def table_writes(variant: Variant, records: Records) -> dict[str, Writes]:
    """The writes of each table of a variant; tables that take hardly any are left out."""
    written = written_rows(variant, records)
    writes: dict[str, Writes] = {}
    for table in physical_tables(variant.record_tables):
        try:
            writes[table.name] = Writes(written[table.name], table.splits.points)
        except TooFewWrites:
            continue
    return writes


def table_heats(variant: Variant, writes: Mapping[str, Writes]) -> Iterator[TableHeat]:
    """The heat of each table of a variant that takes these writes."""
    for table in physical_tables(variant.record_tables):
        if table.name in writes:
            yield table_heat(variant.name, table, writes[table.name])


def table_heat(variant: str, table: PhysicalTable, writes: Writes) -> TableHeat:
    """The heat of one table that takes these writes."""
    return TableHeat(variant, table.name, writes.heat, len(writes.rows), keys_of(table), _owner(table, writes))


def keys_of(table: PhysicalTable) -> str:
    """The keys of a table, in one line: a figure that was recorded with others is not one of this table."""
    return " and ".join(dict.fromkeys(layout.format.text for layout in table.layouts))


def _owner(table: PhysicalTable, writes: Writes) -> str:
    """Whose writes make the busiest range busy, in words; empty if no range stands out, or no owner in it."""
    heat = writes.heat
    busiest, *others = heat.busiest
    if others or heat.kind not in ("hot", "steady"):
        return ""
    rows = [row for moment in writes.moments for row in moment if writes.range_of(row) == busiest]
    ((owner, most),) = Counter(_owner_of(table, row) for row in rows).most_common(1)
    return f"{owner} alone takes {most / heat.writes:.0%}" if owner and most >= OWNED * len(rows) else ""


def _owner_of(table: PhysicalTable, row: bytes) -> str:
    """The first part of a row key that is not a time, in words: `host web-1`; empty if there is none."""
    for layout in table.layouts:
        with suppress(InvalidKey):
            key = layout.key.decode(row)
            names = (part.name for part in layout.key.parts)
            name = next((name for name in names if time_format([getattr(key, name)]) is None), None)
            return f"{name} {show_value(name, getattr(key, name))}" if name else ""
    return ""


def that_matter(tables: Iterable[TableHeat]) -> list[TableHeat]:
    """The tables with a verdict that take a tenth of their variant's writes or more."""
    tables = list(tables)
    written: Counter[str] = Counter()
    for table in tables:
        written[table.variant] += table.written
    return [table for table in tables if table.heat.kind != "few" and table.written >= MATTERS * written[table.variant]]


def contrasting(design: Design, tables: Iterable[TableHeat]) -> list[TableHeat]:
    """The hottest table of the design itself; then the hottest and the coolest of all others with other verdicts.

    Each kind of verdict is there once. The coolest is one with split points of its own, if there is any: others may be
    cool by the luck of their samples.
    """
    own, *others = sorted(that_matter(tables), key=lambda table: (table.variant != design.name, -_hotness(table)))
    different = (other for other in others if other.heat.kind != own.heat.kind)
    coolest = min(different, key=lambda table: (table.heat.cut != OWN_POINTS, _hotness(table)), default=None)
    kinds = {table.heat.kind for table in (own, coolest) if table}
    hottest = max((other for other in others if other.heat.kind not in kinds), key=_hotness, default=None)
    return [table for table in (own, hottest, coolest) if table]


def _hotness(table: TableHeat) -> float:
    return sum(table.heat.peaks) / len(table.heat.peaks)
