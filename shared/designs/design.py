"""A whole design as data: what it loads, what it is asked, and the variants of its tables.

What the command line shows, the tests check and the READMEs' tables are made of.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import attrs
import happybase

from ..loading import Format, read_records
from ..tables.layouts import TableLayout
from .patterns import AccessPattern
from .published import PublishedKey
from .traps import Trap


def _unchanged() -> Callable[[Any], Any]:
    return lambda record: record


@attrs.frozen
class Load:
    """One kind of record that a design stores, with a file of samples."""

    name: str
    """What `rowbook load --as` takes."""
    record: type[Any]
    """The attrs class of the records."""
    store: Callable[[Any, Any], object]
    """The repository's method that stores one record; a variant's own repository may have its own."""
    samples: Path
    """A file of sample records, as `rowbook load` reads them."""
    formats: tuple[Format, ...] = ()
    """The design's own file formats, tried before JSON lines and CSV."""
    new_record_transform: Callable[[], Callable[[Any], Any]] = _unchanged
    """Called for each file; returns a function that maps each record of the file to the one to store.

    That function may remember the records before."""

    def store_in(self, repository: Any, record: Any) -> None:
        """Stores one record through the repository of a variant."""
        getattr(repository, self.store.__name__)(record)

    def sample_records(self) -> Iterator[Any]:
        """The records of the sample file, as they are stored."""
        transform = self.new_record_transform()
        return (transform(record) for record in read_records(self.samples, self.record, formats=self.formats))


FACTS = {
    "ranges": "a question reads the same number of ranges at every size",
    "rows": "a question reads at most two rows for each row that it returns, and two more for each range",
    "loading": "loading the same records twice changes nothing",
    "answers": "all variants give the same answers",
}
"""What holds for every variant at any size of its tables, unless an `Exemption` says why it does not."""


@attrs.frozen
class Exemption:
    """A fact that does not hold, and why; the design's page prints it."""

    fact: Literal["ranges", "rows", "loading", "answers"]
    """A key of `FACTS`."""
    reason: str
    patterns: tuple[AccessPattern, ...] = ()
    """For which questions; for `loading` none are named."""


@attrs.frozen
class Variant:
    """One way to lay out the records of a design: tables, and the repository on them."""

    name: str
    differs: str
    """What is different here, in a few words."""
    tables: tuple[TableLayout[Any, Any], ...]
    open: Callable[[happybase.Connection], Any]
    """Returns the repository on a connection whose tables exist."""
    exemptions: tuple[Exemption, ...] = ()


@attrs.frozen
class Design:
    """A design with all its variants, as the command line and the tests of the suite see it."""

    name: str
    question: str
    """What the design is an answer to, in one sentence."""
    loads: tuple[Load, ...]
    """What can be stored; the first one is what `rowbook load` reads unless it is told otherwise."""
    patterns: tuple[AccessPattern, ...]
    variants: tuple[Variant, ...]
    """The first one is the design itself."""
    newest_ms: int
    """How long before its end the newest part of the samples begins, whose writes show where new rows go."""
    exemptions: tuple[Exemption, ...] = ()
    """Those of all variants that answer."""
    traps: tuple[Trap, ...] = ()
    """Published mistakes that this design meets, each run beside the right way."""
    published: tuple[PublishedKey, ...] = ()
    """The keys of its sources, byte for byte, beside its own."""

    @property
    def main(self) -> Variant:
        """The design itself."""
        return self.variants[0]


def load_samples(connection: happybase.Connection, design: Design, variant: Variant) -> Any:
    """The repository of a variant, whose tables exist, with the sample records stored.

    If a repository draws random numbers, they are the same ones each time.
    """
    repository = variant.open(connection)
    store_samples(repository, design)
    return repository


def store_samples(repository: Any, design: Design) -> int:
    """Stores the sample records of a design; returns how many there are."""
    state_before = random.getstate()
    random.seed(0)
    count = 0
    try:
        for load in design.loads:
            for record in load.sample_records():
                load.store_in(repository, record)
                count += 1
    finally:
        random.setstate(state_before)
    return count
