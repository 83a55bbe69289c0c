"""`rowbook export`: the stored records of a design as lines that `rowbook load` reads again."""

import gzip
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

import attrs
from rich.console import Console

from ...designs import AccessPattern, Design, Load
from ...loading.values import is_of_pairs, show_pairs
from ...stores.outcomes.connection_errors import first_line
from ..named.designs import find_variants
from ..named.stores import store_to_ask
from ..named.typed_values import arguments
from ..screen.terminal import count, exact_lines, json_text, line
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .live_tables import Unreadable
from .record_output import csv_line, csv_value

RECORDS_AT_ONCE = 1000
"""How many records are written at once."""
CSV, JSONL = "csv", "jsonl"


def export(
    out: Console,
    errors: Console,
    name: str,
    words: list[str],
    store: str,
    load_name: str | None,
    form: str | None,
    path: str | None,
) -> int:
    """Writes the records; returns the exit code: 1 if rows were left out because they cannot be read."""
    design, (variant, *_others) = find_variants(name)
    load = _load(design, load_name)
    assert load.export is not None
    pattern = AccessPattern("the records to export", load.export, {})
    own = {one.name: one.write for one in load.formats if one.write is not None}
    chosen = check_name("format", form or next(iter(own), CSV), [*own, CSV, JSONL])
    call_arguments = arguments(pattern, words)
    unreadable = Unreadable()
    written = 0
    asked = store_to_ask(store, design, variant, writes=False)
    with asked as (connection, stored), _output(out, path) as write:
        repository = stored.open(connection)
        records = pattern.ask(repository, **call_arguments).on_invalid(unreadable.add)
        lines = _lines(out, load.record, chosen, own.get(chosen), records)
        if chosen == CSV:
            write([next(lines)])
        while piece := [*islice(lines, RECORDS_AT_ONCE)]:
            write(piece)
            written += len(piece)
        unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)
    if path is not None:
        line(out, f"{path}: {chosen}, {count(written, 'record')}")
    for note in getattr(records, "notes", ()):
        line(errors, note)
    if unknown:
        line(errors, f"nothing found: {', '.join(unknown)}" if not written else ", ".join(unknown))
    unreadable.say(errors)
    return 1 if unreadable.number else 0


def _load(design: Design, name: str | None) -> Load:
    """The load of this name, or the first one that can be exported."""
    loads = {load.name: load for load in design.loads if load.export is not None}
    if not loads:
        raise WrongUsage(f"export {design.name}: its tables hold whole records: rowbook scan {design.name} TABLE --csv")
    return loads[check_name(f"load of {design.name}", name or next(iter(loads)), loads)]


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
