"""`rowbook scan --lines`: the stored records of a load as lines that `rowbook load` reads again."""

import gzip
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, TypeAlias

from rich.console import Console

from ...designs import AccessPattern, Design, Load, Variant
from ...loading import PARQUET
from ...queries.scanning import in_batches
from ...stores.outcomes.connection_errors import first_line
from ..named.designs import find_variants
from ..named.options import ALL
from ..named.stores import store_to_ask
from ..named.typed_values import arguments
from ..screen.progress import doing
from ..screen.terminal import count, exact_lines, line
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .live_tables import Unreadable, layout_named, layouts_named, read_limit, reading, table_and_words
from .record_output import CsvLines, JsonLines, check_parquet
from .sorted_records import has_order, sorted_by

RECORDS_AT_ONCE = 1000
"""How many records are written at once."""
CSV, JSONL = "csv", "jsonl"
FORMS = (JSONL, CSV, PARQUET)
COPY = "copy the tables instead: snapshots of HBase, or the file of an embedded store"
"""What takes every design to another store."""
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
    suffix = PurePath((path or "").removesuffix(".gz")).suffix.removeprefix(".")
    by_name = suffix if suffix in FORMS else next(iter(own), JSONL)
    chosen = check_name("format", form or by_name, [*own, *FORMS])
    if chosen == PARQUET:
        check_parquet("--format parquet")
        if path is None:
            raise WrongUsage("--format parquet: needs --to FILE")
    most = read_limit(limit)
    unreadable = Unreadable()
    if load.export is not None:
        if table is not None:
            raise WrongUsage(f"--lines: {load.name} are read from all tables, so leave out {table}")
        source = _assembled(design, variant, load.export, words, store, most, unreadable)
    else:
        source = _of_table(name, load, table or _whole(name, load)[0], words, store, most, unreadable)
    written = 0
    beside = out if path is None else None
    with source as (records, notes), doing(errors, name, beside=beside) as tell:
        if chosen == PARQUET and path is not None:
            from .parquet_files import parquet_writer

            with parquet_writer(path, load.record) as file:
                for piece in in_batches(records, RECORDS_AT_ONCE):
                    written += file.write(piece)
                    tell(count(written, "record"))
        else:
            with _output(out, path) as write:
                lines = _lines(out, load.record, chosen, own.get(chosen), records)
                if chosen == CSV:
                    write([next(lines)])
                for piece in in_batches(lines, RECORDS_AT_ONCE):
                    write(piece)
                    written += len(piece)
                    tell(count(written, "record"))
        said = [*notes(written)]
    if path is not None:
        line(out, f"{path}: {chosen}, {count(written, 'record')}")
    for note in said:
        line(errors, note)
    unreadable.say(errors)
    if load.restore is not None:
        line(errors, f"an empty store takes them by rowbook load {name} --restore")
    return 1 if unreadable.number or unreadable.unwritten else 0


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
        held = dict.fromkeys(layout.cells.record.__name__ for layout in layouts_named(name).values())
        why = load.without_lines or f"its tables hold {', '.join(held)}"
        raise WrongUsage(f"--lines: {name} cannot write its {load.name}, because {why}; {COPY}")
    if table is not None and table not in whole:
        check_name(f"table of {name}", table, layouts_named(name))
        raise WrongUsage(f"--lines: must be a table with whole {load.name}: {', '.join(whole)} (got {table})")
    return load


def _whole(name: str, load: Load) -> list[str]:
    """The tables that hold whole records of a load, those in the order that it needs first."""
    records = {load.record, *load.lines_of}
    whole = {table: layout for table, layout in layouts_named(name).items() if layout.cells.record in records}
    return sorted(whole, key=lambda table: not has_order(whole[table], load.lines_by))


def say_how_to_load(errors: Console, name: str, table: str | None) -> None:
    """Names the command that writes a table's records for `load`, if they do not go in again as a scan shows them."""
    design, _variants = find_variants(name)
    layouts = layouts_named(name)
    table = table_and_words(table, [])[0] or next(iter(layouts))
    for load in design.loads:
        if load.export is None and table in _whole(name, load):
            of_other_class = layouts[table].cells.record in load.lines_of
            if of_other_class or not has_order(layouts[table], load.lines_by):
                order = f" sorted by {', '.join(load.lines_by)}" if load.lines_by else ""
                command = f"rowbook scan {name} {table} --as {load.name} --lines"
                line(errors, f"for rowbook load, write {load.name} as lines{order}: {command}")
            return


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
    name: str, load: Load, table: str, words: list[str], store: str, most: int | None, unreadable: Unreadable
) -> Generator[Source]:
    """The records of one table, in the order that a load needs."""
    layout = layout_named(name, table)
    with reading(name, store, table, words, most, unreadable) as read:

        def notes(_written: int) -> Iterator[str]:
            if read.more:
                yield MORE

        records: Iterable[Any] = chain.from_iterable(read.batches())
        if (lines_of := load.lines_of.get(layout.cells.record)) is not None:
            records = _lines_of(lines_of, records, unreadable)
        yield records if has_order(layout, load.lines_by) else sorted_by(load.lines_by, records), notes


def _lines_of(
    lines_of: Callable[[Any], Iterable[Any]], records: Iterable[Any], unreadable: Unreadable
) -> Iterator[Any]:
    """The records of a load within stored ones; counts the records that cannot be written."""
    for record in records:
        try:
            yield from lines_of(record)
        except ValueError as error:
            unreadable.add_unwritten(str(error))


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
    elif form == CSV:
        csv_lines = CsvLines(record)
        yield csv_lines.header
        yield from map(csv_lines.of, records)
    else:
        yield from map(JsonLines(out, record).of, records)
