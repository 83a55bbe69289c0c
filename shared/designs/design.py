"""A whole design as data: its question, its records and samples, and the variants of its tables.

What the command line shows, the tests check and the READMEs' tables are made of.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import happybase

from ..loading.reading import Format, read_records
from ..tables.layouts import TableLayout
from .patterns import AccessPattern
from .published import PublishedKey
from .traps import Trap


def _unchanged() -> Callable[[Any], Any]:
    return lambda record: record


@attrs.frozen
class Variant:
    """One way to lay the records of a design out: tables, and the repository on them."""

    name: str
    """Of its module without `keys_`; that of `keys.py` says what its keys are."""
    differs: str
    """What is different here, in a few words."""
    tables: tuple[TableLayout[Any], ...]
    open: Callable[[happybase.Connection], Any]
    """The repository, on a connection whose tables exist."""
    same_ranges: tuple[str, ...] = ()
    """The questions that read as many ranges however large the tables are."""
    rows_as_returned: tuple[str, ...] = ()
    """The questions that read no more rows than in proportion to those they return, however large the tables are."""


@attrs.frozen
class Design:
    """A design with all its variants, as the command line and the tests of the suite see it."""

    name: str
    question: str
    """What the design is an answer to, in one sentence."""
    record: type[Any]
    """What `load` reads."""
    variants: tuple[Variant, ...]
    """The first one is the design itself, the others are its rivals."""
    store: Callable[[Any, Any], None]
    """Stores one record through a repository; the same record again changes nothing."""
    patterns: tuple[AccessPattern, ...]
    samples: Path
    """A file of sample records, as `rowbook load` reads them."""
    newest_ms: int
    """How long before its end the newest part of the samples begins, whose writes show where new rows go."""
    formats: tuple[Format, ...] = ()
    """Of files that only this design reads, besides those that all read."""
    traps: tuple[Trap, ...] = ()
    """Published mistakes that this design meets, each run beside the right way."""
    published: tuple[PublishedKey, ...] = ()
    """The keys of its sources, byte for byte, beside its own."""
    each_file: Callable[[], Callable[[Any], Any]] = _unchanged
    """Called for each file that is loaded; what it gives is called with every record of the file, and gives the one to
    be stored. It may remember the records before."""

    @property
    def main(self) -> Variant:
        """The design itself."""
        return self.variants[0]


def load_samples(connection: happybase.Connection, design: Design, variant: Variant) -> Any:
    """The repository of a variant, whose tables exist, with the sample records stored.

    Where a repository draws random numbers, they are the same ones each time.
    """
    drawn_before = random.getstate()
    random.seed(0)
    try:
        return _stored_samples(connection, design, variant)
    finally:
        random.setstate(drawn_before)


def _stored_samples(connection: happybase.Connection, design: Design, variant: Variant) -> Any:
    repository = variant.open(connection)
    passed = design.each_file()
    for record in read_records(design.samples, design.record, formats=design.formats):
        design.store(repository, passed(record))
    return repository
