"""`rowbook scan --lines`: the stored records of a load as lines that `rowbook load` reads again."""

import gzip
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from typing import Any, TypeAlias

import attrs
from rich.console import Console

from ...designs import AccessPattern, Design, Load, Variant
from ...loading.values import is_of_pairs, show_pairs
from ...stores.outcomes.connection_errors import first_line
from ..named.designs import find_variants
from ..named.options import ALL
from ..named.stores import store_to_ask
from ..named.typed_values import arguments
from ..screen.progress import doing
from ..screen.terminal import count, exact_lines, json_text, line
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .live_tables import Unreadable, layouts_named, read_limit, reading, table_and_words
from .record_output import csv_line, csv_value

RECORDS_AT_ONCE = 1000
"""How many records are written at once."""
CSV, JSONL = "csv", "jsonl"
MORE = f"there are more records: --limit N or --limit {ALL} shows them"
Source: TypeAlias = tuple[Iterable[Any], Callable[[int], Iterator[str]]]
"""Records, and a function of how many were written, which returns what remains to be said when all are read."""


def write_lines(
    out: Console,
    errors: Console,
    name: str,
    table: str | None,
    words: list[str],
    store: str,
    load_name: str | None,
    form: str | None,
    path: str | None,
    limit: str,
) -> int:
    """Writes the records of a load; returns the exit code: 1 if rows were left out because they cannot be read."""
    design, (variant, *_others) = find_variants(name)
    table, words = table_and_words(table, words)
    load = _load(design, name, table, load_name)
    own = {one.name: one.write for one in load.formats if one.write is not None}
    chosen = check_name("format", form or next(iter(own), JSONL), [*own, JSONL, CSV])
    most = read_limit(limit)
    unreadable = Unreadable()
    if load.export is not None:
        if table is not None:
            raise WrongUsage(f"--lines: {load.name} are read from all tables, so leave out {table}")
        source = _assembled(design, variant, load.export, words, store, most, unreadable)
    else:
        source = _of_table(name, table or _whole(name, load)[0], words, store, most, unreadable)
    written = 0
    beside = out if path is None else None
    with source as (records, notes), _output(out, path) as write, doing(errors, name, beside=beside) as tell:
        lines = _lines(out, load.record, chosen, own.get(chosen), records)
        if chosen == CSV:
            write([next(lines)])
        while piece := [*islice(lines, RECORDS_AT_ONCE)]:
            write(piece)
            written += len(piece)
            tell(count(written, "record"))
        said = [*notes(written)]
    if path is not None:
        line(out, f"{path}: {chosen}, {count(written, 'record')}")
    for note in said:
        line(errors, note)
    unreadable.say(errors)
    return 1 if unreadable.number else 0


def _load(design: Design, name: str, table: str | None, load_name: str | None) -> Load:
    """The load of this name; without one, the load whose records the table holds, or the first.

    Raises WrongUsage if the table, or every table, holds only parts of its records.
    """
    loads = {load.name: load for load in design.loads}
    if load_name is not None:
        load = loads[check_name(f"load of {design.name}", load_name, loads)]
    else:
        of_table = (load for load in design.loads if load.export is None and table in _whole(name, load))
        exported = (load for load in design.loads if load.export is not None)
        load = next(of_table, next(exported, design.loads[0]))
    if load.export is not None:
        return load
    whole = _whole(name, load)
    if not whole:
        raise WrongUsage(f"--lines: no table of {name} holds whole {load.name}; scan without it shows what one holds")
    if table is not None and table not in whole:
        check_name(f"table of {name}", table, layouts_named(name))
        raise WrongUsage(f"--lines: must be a table with whole {load.name}: {', '.join(whole)} (got {table})")
    return load


def _whole(name: str, load: Load) -> list[str]:
    """The tables that hold whole records of a load."""
    return [table for table, layout in layouts_named(name).items() if layout.cells.record is load.record]


@contextmanager
def _assembled(
    design: Design,
    variant: Variant,
    export: Callable[..., Any],
    words: list[str],
    store: str,
    most: int | None,
    unreadable: Unreadable,
) -> Generator[Source]:
    """The records that the design itself puts together."""
    pattern = AccessPattern("the records to export", export, {})
    call_arguments = arguments(pattern, words)
    with store_to_ask(store, design, variant, writes=False) as (connection, stored):
        repository = stored.open(connection)
        records = pattern.ask(repository, **call_arguments).on_invalid(unreadable.add)
        rest = iter(records)

        def notes(written: int) -> Iterator[str]:
            if most is not None and next(rest, None) is not None:
                yield MORE
            yield from getattr(records, "notes", ())
            unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)
            if unknown:
                yield ", ".join(unknown) if written else f"nothing found: {', '.join(unknown)}"

        yield islice(rest, most), notes


@contextmanager
def _of_table(
    name: str, table: str, words: list[str], store: str, most: int | None, unreadable: Unreadable
) -> Generator[Source]:
    """The records of one table."""
    with reading(name, store, table, words, most, unreadable) as read:

        def notes(_written: int) -> Iterator[str]:
            if read.more:
                yield MORE

        yield chain.from_iterable(read.batches()), notes


@contextmanager
def _output(out: Console, path: str | None) -> Generator[Callable[[list[str]], None]]:
    """A function that writes lines to a file, or to the output; the file gets its name when it is complete."""
    if path is None:
        yield partial(exact_lines, out)
        return
    unfinished = f"{path}.unfinished"
    try:
        opened: Any = gzip.open if path.endswith(".gz") else open
        with _named(path):
            file = opened(unfinished, "wt", encoding="utf-8", newline="")

        def write(lines: list[str]) -> None:
            with _named(path):
                file.writelines(lines)

        try:
            yield write
        finally:
            with _named(path):
                file.close()
        with _named(path):
            os.replace(unfinished, path)
    finally:
        with suppress(OSError):
            os.remove(unfinished)


@contextmanager
def _named(path: str) -> Generator[None]:
    """A block in which an OSError is one of this file: it becomes CommandFailed, not an error of the store."""
    try:
        yield
    except OSError as error:
        raise CommandFailed(f"{path}: {first_line(error)}") from None


def _lines(
    out: Console, record: type[Any], form: str, write: Callable[[Any], str] | None, records: Iterable[Any]
) -> Iterator[str]:
    """The lines of the records, after a header in CSV."""
    if write is not None:
        yield from (f"{write(one)}\n" for one in records)
        return
    attrs.resolve_types(record)
    of_pairs = [field.name for field in attrs.fields(record) if is_of_pairs(field.type)]
    names = [field.name for field in attrs.fields(record)]
    if form == CSV:
        yield csv_line(names)
    for one in records:
        if form == CSV:
            values = {name: getattr(one, name) for name in names}
            values |= {name: show_pairs(values[name]) for name in of_pairs}
            yield csv_line([csv_value(name, value) for name, value in values.items()])
        else:
            values = attrs.asdict(one)
            yield f"{json_text(out, values | {name: dict(values[name]) for name in of_pairs})}\n"
