"""`rowbook load`: files into tables; a bad line fails the command or is skipped."""

from collections.abc import Callable, Generator
from contextlib import closing, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import attrs
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column
from thriftpy2.thrift import TException

from shared.designs import Design, Load
from shared.keys.errors import message_of, shown
from shared.loading import FORMATS, Line, Lines, UnknownField, UnneededTime, UnneededYear, UnreadableFile, read_lines
from shared.tables import create_tables
from shared.writes import NotAllStored
from shared.writes.batches import RECORDS_AT_ONCE

from . import terminal
from .designs import find_variants
from .options import MEMORY
from .shown_designs import warn
from .stores import as_stored, open_store
from .usage import CommandFailed, WrongUsage, check_name
from .words import number, pairs, time

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
LAST_YEAR = 9999
"""The last year of which a record holds a time."""
BAD_LINES_AT_START = 1000
"""If so many lines at the start of a file cannot be read, `load` stops."""
LINES_AT_ONCE = 50
"""Lines that are loaded between two updates of the progress bar."""


@attrs.frozen
class Reading:
    """The options for reading files."""

    format: str
    mapping: list[str]
    units: list[str]
    time_formats: list[str]
    year: str | None
    at: str | None
    constants: list[str]
    tags: list[str]

    def reader(self) -> Callable[..., Lines[Any]]:
        """`read_lines` with these options."""
        return partial(
            read_lines,
            format=self.format,
            mapping=pairs(self.mapping, "FIELD=COLUMN"),
            units=pairs(self.units, "FIELD=s|ms|us"),
            time_formats=pairs(self.time_formats, "FIELD=FORMAT"),
            year=None if self.year is None else number("--year", self.year, LAST_YEAR),
            at_ms=None if self.at is None else time("--at", self.at),
            constants=pairs(self.constants, "FIELD=VALUE"),
            tags=self._tags(),
        )

    def _tags(self) -> dict[str, str | None]:
        """The tags with their values; None for one with a column."""
        tags: dict[str, str | None] = {}
        for word in self.tags:
            tag, equals, value = word.partition("=")
            if not tag or (equals and not value):
                raise WrongUsage(f"--tag: must be TAG or TAG=VALUE (got {shown(word)})")
            tags[tag] = value if equals else None
        return tags


def load(
    out: Console,
    errors: Console,
    name: str,
    files: list[str],
    store: str,
    load_name: str | None,
    reading: Reading,
    *,
    stops: bool,
    as_json: bool,
) -> int:
    """Stores the records of some files; returns the exit code, 130 after Ctrl-C."""
    design, (variant, *_others) = find_variants(name)
    load = chosen_load(design, load_name, reading)
    read = reading.reader()
    sources = (_Source(file, read_as(design, load, read, file)) for file in files)
    first = next(sources)  # so that a file that cannot be read is refused before a store exists
    warn(errors, design, variant)
    if store == MEMORY:
        terminal.line(errors, f"{MEMORY} is memory, which vanishes when this command ends; {MEMORY}FILE keeps records")
    storing = load if variant.may_store_again else attrs.evolve(load, store_all=None)
    loaded: list[_Source] = []
    with open_store(store) as connection:
        variant = as_stored(connection, design, variant)
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
        try:
            for source in chain([first], sources):
                loaded.append(source)
                try:
                    _store_lines(errors, storing, repository, source, stops)
                except CommandFailed as error:
                    advice = "" if source.stored else _other_load(design, load, read, source.file)
                    raise CommandFailed(f"{error}{advice}") from None
        except (CommandFailed, UnneededTime, UnneededYear, UnreadableFile) as error:
            raise CommandFailed(f"{error}; {_records_stored(loaded)} before") from None
        except KeyboardInterrupt:
            terminal.line(errors, f"interrupted; {_records_stored(loaded)}; run the same command to resume")
            return INTERRUPTED
    _show_loaded(out, loaded, as_json=as_json)
    return 0


def chosen_load(design: Design, name: str | None, reading: Reading) -> Load:
    """The load of this name, or the first one; refuses a format that it does not read."""
    loads = {load.name: load for load in design.loads}
    load = design.loads[0] if name is None else loads[check_name(f"load of {design.name}", name, loads)]
    check_name("format", reading.format, ["auto", *(format.name for format in [*FORMATS, *load.formats])])
    return load


def _show_loaded(out: Console, loaded: list["_Source"], *, as_json: bool) -> None:
    """Writes each file with its format, records stored and bad lines skipped."""
    if as_json:
        names = ("file", "format", "stored", "skipped", "notes")
        files = [(source.file, source.lines.format, source.stored, source.skipped, source.notes) for source in loaded]
        terminal.json_object(out, {"files": [dict(zip(names, file, strict=True)) for file in files]})
        return
    for source in loaded:
        skipped = f", {terminal.count(source.skipped, 'bad line')} skipped" if source.skipped else ""
        terminal.wrapped(out, f"{source.file}: {source.lines.format}, {_records_stored([source])}{skipped}")


@attrs.define
class _Source:
    """A file to load, and how many of its records were stored or skipped so far."""

    file: str
    lines: Lines[Any]
    stored: int = 0
    skipped: int = 0
    is_readable: bool = False
    """Whether any line could be read as a record."""
    notes: list[str] = attrs.field(factory=list[str])
    """What was changed in its records before they were stored."""
    unsaid: list[str] = attrs.field(factory=list[str])
    """Why lines were skipped, before any could be read."""


def read_as(design: Design, load: Load, read: Callable[..., Lines[Any]], file: str) -> Lines[Any]:
    """The lines of a file as records of a load; the error for a file that has none may name another load."""
    try:
        return read(file, record_type=load.record, formats=load.formats)
    except (UnknownField, UnreadableFile) as error:
        advice = _other_load(design, load, read, file, by_fields=isinstance(error, UnknownField))
        raise type(error)(f"{error}{advice}") from None


def _other_load(
    design: Design, load: Load, read: Callable[..., Lines[Any]], file: str, *, by_fields: bool = False
) -> str:
    """Advice to load a file as other records of the design; empty text if there are none that fit.

    They fit if the first line of the file holds one or, `by_fields`, if they have the fields that the options name.
    """
    for other in design.loads if Path(file).is_file() else ():
        try:
            first = next(iter(read(file, record_type=other.record, formats=other.formats)), None)
            fits = by_fields or (first is not None and first.record is not None)
        except ValueError as error:
            fits = by_fields and not isinstance(error, UnknownField)
        if fits and other is not load:
            return f"; {'these are fields of' if by_fields else 'its first line fits'} --as {other.name}"
    return ""


def _store_lines(errors: Console, load: Load, repository: Any, source: _Source, stops: bool) -> None:
    """Stores the records of a file. A bad line is skipped, or fails the command if `stops`."""
    transform = load.new_record_transform()
    is_slow = source.lines.size_bytes is None  # lines from a pipe are stored one by one as they arrive
    at_once = 1 if load.store_all is None or is_slow else RECORDS_AT_ONCE
    with closing(_progress(errors, source)) as lines:
        unsent: list[tuple[Line[Any], Any]] = []
        for line in lines:
            if line.reason:
                _store_batch(errors, load, repository, source, unsent, stops)
                unsent = []
                _refuse(errors, source, line, line.reason, stops)
            else:
                source.is_readable = True
                try:
                    unsent.append((line, transform(line.record)))
                except ValueError as error:
                    _store_batch(errors, load, repository, source, unsent, stops)
                    unsent = []
                    _refuse(errors, source, line, message_of(error), stops)
            if len(unsent) == at_once:
                _store_batch(errors, load, repository, source, unsent, stops)
                unsent = []
        _store_batch(errors, load, repository, source, unsent, stops)
        _say(errors, source)
    source.notes = list(getattr(transform, "notes", ()))
    for note in source.notes:
        terminal.line(errors, f"{source.file}: {note}")


def _store_batch(
    errors: Console, load: Load, repository: Any, source: _Source, batch: list[tuple[Line[Any], Any]], stops: bool
) -> None:
    """Stores the records of some lines at once; one by one if that fails, to find the line that is bad."""
    if load.store_all is not None and len(batch) > 1:
        with suppress(NotAllStored):
            load.store_all_in(repository, [record for _line, record in batch])
            source.stored += len(batch)
            return
    for line, record in batch:
        if reason := _store(load, repository, record, f"{source.file}:{line.number}"):
            _refuse(errors, source, line, reason, stops)
        else:
            source.stored += 1


def _refuse(errors: Console, source: _Source, line: Line[Any], reason: str, stops: bool) -> None:
    """Counts a bad line and says why it is one; fails the command if `stops`.

    Until a line of the file can be read, the reasons wait: of many, only the first one is printed.
    """
    message = f"{source.file}:{line.number}: {reason}{line.span}"
    if stops:
        raise CommandFailed(f"{message}; --on-error skip continues")
    source.skipped += line.count
    source.unsaid.append(message)
    if source.is_readable:
        _say(errors, source)
    elif len(source.unsaid) == BAD_LINES_AT_START:
        raise CommandFailed(f"{source.unsaid[0]}; none of its first {BAD_LINES_AT_START} lines can be read")


def _say(errors: Console, source: _Source) -> None:
    """Prints why lines were skipped."""
    for message in source.unsaid:
        terminal.line(errors, message)
    source.unsaid.clear()


def _store(load: Load, repository: Any, record: Any, place: str) -> str:
    """Stores one record; returns why it cannot be stored, or empty text."""
    try:
        load.store_in(repository, record)
    except ValueError as error:  # InvalidKey, InvalidRecord, or the domain's own conflict with a stored record
        return message_of(error)
    except (TException, OSError) as error:
        raise CommandFailed(f"{place}: the store failed: {terminal.reason(error)}") from error
    return ""


def _records_stored(sources: list[_Source]) -> str:
    return f"{terminal.count(sum(source.stored for source in sources), 'record')} stored"


def _progress(to: Console, source: _Source) -> Generator[Line[Any]]:
    """The lines of a file; on a terminal, a bar shows how much of it is read, and how many records a second."""
    lines = source.lines
    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(overflow="fold")),
        BarColumn(None),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", table_column=Column(no_wrap=True)),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task = bar.add_task(terminal.visible(source.file), total=lines.size_bytes, rate="")
        for number, line_read in enumerate(lines):
            if number % LINES_AT_ONCE == 0:
                completed = lines.read_bytes if lines.size_bytes else None
                bar.update(task, completed=completed, rate=_rate(source.stored, bar.tasks[0].elapsed or 0))
            yield line_read


def _rate(records: int, seconds: float) -> str:
    return f"{records / seconds:,.0f} records/s" if records and seconds else ""
