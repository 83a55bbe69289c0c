"""A whole design as data: its loads, its questions, and the variants of its tables.

The command line, the tests and the generated tables of the READMEs all read it.
"""

import random
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import attrs

from ..intents.slots import holds_intents
from ..intents.writer import writers_of
from ..loading import Format, read_records
from ..tables.layouts import TableLayout
from ..tables.recorded_layouts import marked_ms
from ..writes.batches import RECORDS_AT_ONCE
from .accepted import Accepted
from .cell_contents import CellContents, contents_of
from .patterns import AccessPattern, Action

if TYPE_CHECKING:
    import happybase


def _no_lines() -> dict[type[Any], Callable[[Any], Iterable[Any]]]:
    return {}


def _unchanged() -> Callable[[Any], Any]:
    return lambda record: record


@attrs.frozen
class Load:
    """One kind of record that a design stores, with a file of samples."""

    name: str
    """The LOAD of `rowbook load --as LOAD`."""
    record: type[Any]
    """The attrs class of the records."""
    store: Callable[[Any, Any], object]
    """The repository's method that stores one record; a variant's repository may override it."""
    samples: Path
    """A file of sample records, as `rowbook load` reads them."""
    formats: tuple[Format, ...] = ()
    """The design's own file formats, tried before JSON lines and CSV."""
    new_record_transform: Callable[[], Callable[[Any], Any]] = _unchanged
    """Called for each file; returns a function that maps each record of the file to the one to store.

    That function may remember earlier records. It raises ValueError for a record that must not be stored. If it has an
    attribute `notes`, lines of text about its changes, `rowbook load` prints these after the file."""
    store_all: Callable[[Any, Any], object] | None = None
    """The repository's method that stores many records in few calls, if storing a record again changes nothing: after
    an error the same records are stored one by one. A variant with an exemption from `loading` does not use it, nor
    does one whose repository has no such method."""
    at_once: int = RECORDS_AT_ONCE
    """How many records of a file `store_all` or `correct` gets at once."""
    correct: Callable[[Any, list[Any]], object] | None = None
    """A function of a repository and many records, for `rowbook load --correct`: stores them in place of what the
    tables hold for them, whatever its form. Raises ValueError if it cannot do so for one of them. None if records have
    only one stored form."""
    export: Callable[..., Any] | None = None
    """The repository's method that returns stored records, for `rowbook scan --lines`: an iterable with a
    method `on_invalid`, and maybe with `notes`, lines of text about what it leaves out. None if a scan of one table
    shows whole records."""
    has_own_order: bool = False
    """Whether records must be stored in the order of their file, such as those of a log; otherwise in any order."""
    lines_by: tuple[str, ...] = ()
    """The fields by which `rowbook scan --lines` sorts the records, because they are all stored again only in that
    order; empty if any order will do."""
    lines_of: Mapping[type[Any], Callable[[Any], Iterable[Any]]] = attrs.field(factory=_no_lines, hash=False)
    """By class of a stored record, a function that returns the records of the load in it, for `scan --lines`. A record
    of the load's own class is one of them, unless this says otherwise. ValueError says why a record is left out."""
    without_lines: str = ""
    """Why `scan --lines` cannot write these records if no table holds them whole, as a clause after "because"; if it is
    empty, the classes that its tables hold are the reason."""
    restore: Callable[[Any, Any], object] | None = None
    """A function of a repository and a record, for `rowbook load --restore`: stores a record that `scan --lines` wrote
    and that `store` refuses in an empty store, such as the third revision of a document. None if there are none."""
    identified_by: tuple[str, ...] = ()
    """The fields that identify a record, for variants none of whose tables has rows of the record's own class. `rowbook
    load` counts a record as replaced if a later one has the same values in them; if empty, it does not count there."""

    def store_in(self, repository: Any, record: Any) -> None:
        """Stores one record through the repository of a variant."""
        getattr(repository, self.store.__name__)(record)

    def stores_many_in(self, repository: Any) -> bool:
        """Whether the repository of a variant has `store_all`."""
        return self.store_all is not None and hasattr(repository, self.store_all.__name__)

    def store_all_in(self, repository: Any, records: list[Any]) -> None:
        """Stores some records by `store_all`, which the load must have."""
        assert self.store_all is not None
        getattr(repository, self.store_all.__name__)(records)

    def sample_records(self) -> Iterator[Any]:
        """The records of the sample file, each as it is stored."""
        return map(self.new_record_transform(), _read_samples(self))


@cache
def _read_samples(load: Load) -> tuple[Any, ...]:
    """The records of the sample file, which a process reads once: each variant stores them, and each trap."""
    return tuple(read_records(load.samples, load.record, formats=load.formats))


FACTS = {
    "ranges": "a question reads the same number of ranges at every size",
    "rows": "a question reads at most two rows for each row that it returns, and two more for each range",
    "loading": "loading the same records twice changes nothing",
    "order": "all variants give the same answers, in the same order",
}
"""Facts that hold for every variant at any size of its tables, unless an `Exemption` says why one does not.

Only a variant that is `wrong` returns wrong answers; an exemption from `order` returns the records in another order.
"""


@attrs.frozen
class Exemption:
    """A fact that does not hold, and why; the design's README prints it."""

    fact: Literal["ranges", "rows", "loading", "order"]
    """A key of `FACTS`."""
    reason: str
    patterns: tuple[AccessPattern, ...] = ()
    """The questions for which it does not hold; empty for `loading`."""


@attrs.frozen
class Wrong:
    """The records that a deliberately wrong variant loses."""

    loses: str
    """The records that its answers lack, as the object of "it loses"."""
    patterns: tuple[AccessPattern, ...]
    """The questions that it answers wrongly."""


def _open_for_no_design(connection: "happybase.Connection") -> Any:
    """Opens a variant whose module has no `Repository`, as long as no `Design` contains it."""
    raise TypeError(f"Variant.open: needs a Design with a repository, or a module with one (got {connection!r} only)")


def _name_of(variant: "Variant") -> str:
    return "" if variant.module is None else variant.module.__name__.rpartition(".")[2].replace("_", "-")


def _tables_of(variant: "Variant") -> tuple[TableLayout[Any, Any], ...]:
    if variant.module is None:
        raise ValueError("Variant.module: must be a module with TABLES, unless tables= is given (got None)")
    if not hasattr(variant.module, "TABLES"):
        raise ValueError(f"Variant.module: must have TABLES (got {variant.module.__name__})")
    tables: tuple[TableLayout[Any, Any], ...] = variant.module.TABLES
    return tables


def _repository_of(variant: "Variant") -> "Callable[[happybase.Connection], Any]":
    opened: Callable[[happybase.Connection], Any] = getattr(variant.module, "Repository", _open_for_no_design)
    return opened


@attrs.frozen
class Variant:
    """One way to lay out the records of a design: a module with its tables, and with a repository if code differs."""

    module: ModuleType | None
    """It has `TABLES` and, but for the design itself, a `Repository`, which is called with a connection. None for a
    design in one file, whose only variant has `tables=TABLES`."""
    differs: str
    """How this variant differs from the design itself, in a few words."""
    exemptions: tuple[Exemption, ...] = ()
    unfilled: tuple[TableLayout[Any, Any], ...] = ()
    """The tables that remain empty when records are stored, such as those that a later fold fills."""
    wrong: Wrong | None = None
    """The records that it loses, if the variant is wrong on purpose."""
    mistake: str = ""
    """What is bad about it, if the variant shows a published mistake that gives no wrong answers."""
    without_upkeep: str = ""
    """Why its repository has no `upkeep`: nothing can be recovered or compared. Empty if it has one."""
    accepted: tuple[Accepted, ...] = attrs.field(kw_only=True, default=())
    """Findings of `rowbook lint` that this variant keeps."""
    take_if: str = attrs.field(kw_only=True, default="")
    """When the variant is the right one, as a clause after "choose it if"; empty if it is not to be copied."""
    avoid_if: str = attrs.field(kw_only=True, default="")
    """When it is the wrong one although `take_if` holds, as a clause after "not if"."""
    name: str = attrs.field(kw_only=True, default=attrs.Factory(_name_of, takes_self=True))
    """The name of the module, with `-` for `_`; a `Design` gives its own name to its first variant."""
    tables: tuple[TableLayout[Any, Any], ...] = attrs.field(
        kw_only=True, default=attrs.Factory(_tables_of, takes_self=True)
    )
    """The `TABLES` of the module."""
    open: "Callable[[happybase.Connection], Any]" = attrs.field(
        kw_only=True, default=attrs.Factory(_repository_of, takes_self=True)
    )
    """Returns the repository on a connection whose tables exist."""

    @property
    def is_to_copy(self) -> bool:
        """Whether the variant is right for some service, not only there to be measured."""
        return not self.warning

    @property
    def warning(self) -> str:
        """Why the variant is not to be copied, after its name; empty if it may be."""
        if self.wrong is not None:
            return f"gives wrong answers: it loses {self.wrong.loses}"
        return f"is a published mistake: {self.mistake}" if self.mistake else ""

    @property
    def marked_name(self) -> str:
        """`bucketed (wrong)`, `modulo (mistake)`: the name, with a mark if the variant is not to be copied."""
        if self.is_to_copy:
            return self.name
        return f"{self.name} ({'mistake' if self.wrong is None else 'wrong'})"

    @property
    def may_store_again(self) -> bool:
        """Whether storing a record again changes nothing, so that many may be stored at once."""
        return all(exemption.fact != "loading" for exemption in self.exemptions)

    @property
    def record_tables(self) -> tuple[TableLayout[Any, Any], ...]:
        """The tables that hold records: all but the table of writes under way."""
        return tuple(table for table in self.tables if not holds_intents(table))


@attrs.frozen
class StoreSettings:
    """Settings that the owner of a store chose for its tables, such as the widths of keys.

    A process with other settings finds no rows. Commands take them from `--settings`, otherwise from the store.
    """

    names: tuple[str, ...]
    """The names of all settings."""
    applied: "Callable[[Variant, Mapping[str, str], happybase.Connection | None], Variant]"
    """The variant with settings, each a text by its name. With a connection, settings that are not given are those that
    its store keeps. Raises InvalidKey."""
    kept_in: TableLayout[Any, Any]
    """The table that keeps them. A store whose tables another program made lacks it, and can only be read."""
    omitted_in_file: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """The values of settings that a file of that program omits, if they differ from the defaults without a
    file."""


@attrs.frozen
class Design:
    """A design with all its variants, as the command line and the tests of the suite see it."""

    name: str
    question: str
    """The question that the design answers, in one sentence."""
    loads: tuple[Load, ...]
    """Kinds of records that can be stored; `rowbook load` reads the first one unless `--as` names another."""
    patterns: tuple[AccessPattern, ...]
    repository: Callable[..., Any]
    """The repository of the design itself, called with a connection."""
    variants: tuple[Variant, ...]
    """The first one is the design itself, of the module `keys.py`; it has the name of the design."""
    without_upkeep: str = ""
    """Why no repository has an `upkeep`; if empty, every repository has one unless its variant says why not."""
    erases: str = ""
    """Whom `erase` of a repository erases, such as "a user"; empty if no record names a person. A variant whose own
    `without_upkeep` says why not has no `erase` either."""
    exemptions: tuple[Exemption, ...] = ()
    """Exemptions of every variant that answers the question."""
    accepted: tuple[Accepted, ...] = ()
    """Findings of `rowbook lint` that every variant keeps."""
    names_in_key: Callable[[Any, Any], Mapping[str, str]] | None = None
    """The meaning of the parts of a row key, by part, if rows of the store define it: a function of a repository and a
    decoded key. It raises ValueError for a part that has no meaning there."""
    unknown_names: Callable[[Any, Mapping[str, Any]], Sequence[str]] | None = None
    """The names in a question for which the store has no number, each in words, if it stores names as numbers: a
    function of a repository and the arguments of the question."""
    actions: tuple[Action, ...] = ()
    """Work on stored rows that is neither a question nor a load; `rowbook do` lists it."""
    settings: StoreSettings | None = None
    """The settings of its tables, if a store's owner chooses some; None if all stores have the same tables."""
    contents_of: Callable[[TableLayout[Any, Any], Any, bytes, bytes], CellContents] = contents_of
    """The contents of a cell, from its table, decoded row key, column and value; for cells of the design's own."""

    def __attrs_post_init__(self) -> None:
        first, *others = map(self._with_repository, self.variants)
        object.__setattr__(self, "variants", (attrs.evolve(first, name=self.name), *others))

    def _with_repository(self, variant: Variant) -> Variant:
        if variant.open is not _open_for_no_design:
            return variant
        return attrs.evolve(variant, open=self.repository)

    @property
    def in_one_file(self) -> bool:
        """Whether all of it is one module, with one page and without variants."""
        return self.main.module is None

    def why_no_upkeep(self, variant: Variant) -> str:
        """Why the repository of a variant has no `upkeep`; empty if it has one."""
        return variant.without_upkeep or self.without_upkeep

    def can_erase(self, variant: Variant) -> bool:
        """Whether the repository of a variant has an `erase`: a record in one row needs no upkeep to be erased."""
        return bool(self.erases) and not variant.without_upkeep

    @property
    def main(self) -> Variant:
        """The design itself."""
        return self.variants[0]


def load_samples(connection: "happybase.Connection", design: Design, variant: Variant) -> Any:
    """Stores the sample records in the tables of a variant, which exist, in few calls; returns its repository.

    A repository that draws random numbers draws the same ones each time.
    """
    repository = variant.open(connection)
    with same_random_numbers():
        for load in design.loads:
            store_records(variant, load, repository, load.sample_records())
    fill_new_lists(connection, variant, repository)
    return repository


def fill_new_lists(connection: "happybase.Connection", variant: Variant, repository: Any) -> None:
    """Repairs a variant with lists that are new, if another variant of the store has filled their sources."""
    if marked_ms(connection, [table for writer in writers_of(repository) for table in writer.lists]):
        deque(repository.upkeep.repair(), 0)


def store_samples(repository: Any, design: Design) -> int:
    """Stores the sample records of a design one by one, as their costs are counted; returns how many there are."""
    count = 0
    with same_random_numbers():
        for load in design.loads:
            for record in load.sample_records():
                load.store_in(repository, record)
                count += 1
    return count


def store_records(variant: Variant, load: Load, repository: Any, records: Iterable[Any]) -> None:
    """Stores records of a load, in few calls if it can."""
    if load.stores_many_in(repository) and variant.may_store_again:
        load.store_all_in(repository, [*records])
    else:
        for record in records:
            load.store_in(repository, record)


@contextmanager
def same_random_numbers() -> Generator[None]:
    """In the block, random numbers are the same each time; after it, they go on as if there had been no block."""
    state_before = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(state_before)
