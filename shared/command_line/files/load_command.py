"""`rowbook load`: files into tables, and what became of every line; a bad one fails the command or is skipped."""

import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import attrs
import happybase
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column
from thriftpy2.thrift import TException

from ...designs import Design, Load, Variant
from ...events import set_hook
from ...keys import InvalidKey
from ...keys.errors import message_of
from ...loading import (
    FORMATS,
    PARQUET,
    Line,
    Lines,
    UnknownField,
    Unneeded,
    UnreadableFile,
)
from ...stores.outcomes.connection_errors import first_line
from ...tables import InvalidRecord, create_tables
from ...writes import ClockSkew, Expired, NotAllStored, allow_expired
from ...writes.expiring import ExpiredRecord
from ..named.design_lines import warn
from ..named.designs import find_variants
from ..named.options import MEMORY
from ..named.stores import as_stored, open_store
from ..screen import terminal
from ..screen.failures import outcome
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name, did_you_mean
from .describing import Reading
from .jobs import in_processes
from .load_report import LoadedFile, Refused, records_stored, show_loaded, why_nothing_is_stored
from .stored_keys import StoredKeys, key_function

WRONG = 2
"""The exit code of wrong usage."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
MAX_JOBS = 64
"""The most processes of `--jobs`."""
BAD_LINES_AT_START = 1000
"""If so many lines at the start of a file cannot be read, `load` stops."""
ADVICE = (
    "records of different times share a call only through Thrift2: add thrift2_port=PORT to the store's URL if HBase"
    " runs a Thrift2 gateway"
)
SKIP = "; --on-error skip continues"
_VALUE = re.compile(r" \(got .*?\)(?=; |$)| \(byte [^)]*\)|; map a field to one of: .*|[0-9]+")
"""What differs in the reasons of lines that are bad in the same way."""
MOST_OF_A_KIND = 10
"""The most lines that are said one by one for the same reason."""
LINES_AT_ONCE = 50
"""Lines that are loaded between two updates of the progress bar."""


@attrs.frozen
class Task:
    """What `load` is told: the files, where their records go, and how they are read."""

    name: str
    files: list[str]
    store: str
    load_name: str | None
    reading: Reading
    stops: bool
    """Whether a bad line fails the command; otherwise it is skipped."""
    corrects: bool
    """Whether records replace what the tables hold for them, whatever its form."""
    allows_expired: bool
    """Whether records are stored that expire at once; otherwise they are left out and counted."""
    restores: bool = False
    """Whether records are stored as another store had them, although this one is empty."""
    checks: bool = False
    """Whether bad lines are counted by their reasons, in a store that vanishes."""


def load(out: Console, errors: Console, task: Task, *, jobs: int, as_json: bool) -> int:
    """Stores the records of some files, in `jobs` processes; returns the exit code, 130 after Ctrl-C.

    1 if no record of a file was stored, or if the check of one has found a bad line.
    """
    if task.checks and not task.store:
        with TemporaryDirectory() as folder:
            return load(out, errors, attrs.evolve(task, store=f"{MEMORY}{folder}/checked"), jobs=jobs, as_json=as_json)
    design, (variant, *_others) = find_variants(task.name)
    if jobs > 1 and not task.store.startswith("hbase:"):
        raise WrongUsage(f"--jobs: must be 1 unless the store is hbase:, because a file has one writer (got {jobs})")
    if jobs == 1 or len(task.files) == 1:
        loaded, was_interrupted = [_load_files(errors, task)], False
    else:
        warn(errors, design, variant)
        with open_store(task.store) as connection:
            create_tables(connection, as_stored(connection, design, variant).tables)
            if not hasattr(connection.client, "put_dated"):
                terminal.line(errors, f"slow: {ADVICE}")
        plain = terminal.console(plain=True, stderr=True)
        one_file_tasks = [attrs.evolve(task, files=[file]) for file in task.files]
        keys = StoredKeys()

        def is_early(ended: _Loaded) -> bool:
            ended.move_keys(keys)
            return ended.is_early

        loaded, was_interrupted = in_processes(partial(_load_one_file, plain), one_file_tasks, jobs, is_early)
    files = [file for ended in loaded for file in ended.files]
    if was_interrupted or any(ended.is_interrupted for ended in loaded):
        sending = sum(file.sending for file in files)
        unsure = f", and maybe some of the next {sending}" if sending > 1 else ""
        terminal.line(errors, f"interrupted; {records_stored(files)}{unsure}; run the same command to resume")
        return INTERRUPTED
    if failed := [ended for ended in loaded if ended.failure]:
        for ended in failed[1:]:
            terminal.line(errors, ended.failure)
        when = " before" if len(loaded) == 1 else ""
        raise (WrongUsage if failed[0].is_wrong_usage else CommandFailed)(
            f"{failed[0].failure}; {records_stored(files, when)}"
        )
    show_loaded(out, files, as_json=as_json)
    for file in files:
        if not file.stored:
            terminal.line(errors, f"{file.file}: {why_nothing_is_stored(file)}")
    return 0 if all(file.stored and not file.refused for file in files) else 1


@attrs.frozen
class _Loaded:
    """What became of some files."""

    files: list[LoadedFile]
    keys: StoredKeys = attrs.field(factory=StoredKeys)
    """Those of the stored records."""
    failure: str = ""
    """Why loading ended early; empty if it did not, or for Ctrl-C."""
    is_wrong_usage: bool = False
    is_interrupted: bool = False

    @property
    def is_early(self) -> bool:
        """Whether loading ended early."""
        return bool(self.failure or self.is_interrupted)

    def move_keys(self, to: StoredKeys) -> None:
        """Moves the keys to those of other processes, and counts the records that have the key of one of these."""
        replaced = to.add_all(self.keys)
        self.keys.digests.clear()
        for file in self.files:  # one
            file.replaced = None if file.replaced is None else file.replaced + replaced
            file.replaced_is_exact = not to.is_full


def _load_one_file(errors: Console, task: Task) -> _Loaded:
    """Does what `_load_files` does, in a process of its own, which returns its errors."""
    try:
        return _load_files(errors, task, warns=False)
    except KeyboardInterrupt:
        return _Loaded([], is_interrupted=True)
    except Exception as error:
        message, code = outcome(error) or (repr(error), 1)
        return _Loaded([], failure=message, is_wrong_usage=code == WRONG)


def _load_files(errors: Console, task: Task, *, warns: bool = True) -> _Loaded:
    """Stores the records of the files of a task, one file after the other."""
    design, (variant, *_others) = find_variants(task.name)
    load = chosen_load(design, task.load_name, task.reading, corrects=task.corrects, restores=task.restores)
    read = task.reading.reader()
    key_of = key_function(load, variant)
    counts = None if key_of is None else 0
    sources = (_Source.of(task, file, read_as(design, load, read, file), counts) for file in task.files)
    first = next(sources)  # so that a file that cannot be read is refused before a store exists
    if warns:
        warn(errors, design, variant)
    if task.store == MEMORY:
        terminal.line(errors, f"{MEMORY} is memory, which vanishes when this command ends; {MEMORY}FILE keeps records")
    loaded: list[LoadedFile] = []
    keys = StoredKeys()
    with open_store(task.store) as connection, _advice_to_use_thrift2(errors, task.store if warns else ""):
        variant = as_stored(connection, design, variant)
        create_tables(connection, variant.tables)
        if task.allows_expired:
            allow_expired(connection)
        storing = _Storing.of(load, variant, connection, key_of, keys, task)
        try:
            for source in chain([first], sources):
                loaded.append(source.progress)
                try:
                    _store_lines(errors, storing, source, task.stops)
                except CommandFailed as error:
                    message = str(error)
                    if not source.progress.stored:
                        advice = _other_load(design, load, read, source.progress.file)
                        message = f"{message.removesuffix(SKIP)}{advice}" if advice else message
                    return _Loaded(loaded, keys, message)
        except (Unneeded, UnreadableFile) as error:
            return _Loaded(loaded, keys, str(error))
        except ClockSkew as error:
            return _Loaded(loaded, keys, f"{loaded[-1].file}: {error}")
        except KeyboardInterrupt:
            return _Loaded(loaded, keys, is_interrupted=True)
    return _Loaded(loaded, keys)


@attrs.frozen
class _Storing:
    """How the records of files are stored."""

    new_transform: Callable[[], Callable[[Any], Any]]
    one: Callable[[Any], object]
    many: Callable[[list[Any]], object] | None
    """Stores many records in few calls; None if they have to be stored one by one."""
    at_once: int
    """How many records `many` gets at once."""
    key_of: Callable[[Any], bytes] | None
    """What identifies a record, see `key_function`."""
    keys: StoredKeys
    """Those of the records that are stored."""
    may_restore: bool = False
    """Whether `--restore`, which is not given, may store a record that contradicts the stored ones."""

    @classmethod
    def of(
        cls,
        load: Load,
        variant: Variant,
        connection: happybase.Connection,
        key_of: Callable[[Any], bytes] | None,
        keys: StoredKeys,
        task: Task,
    ) -> "_Storing":
        """By a load of a variant, whose repository it opens."""
        repository: Any = variant.open(connection)
        if task.restores:
            assert load.restore is not None
            return cls(load.new_record_transform, partial(load.restore, repository), None, 1, key_of, keys)
        if task.corrects:
            assert load.correct is not None
            correct = partial(load.correct, repository)
            return cls(load.new_record_transform, lambda record: correct([record]), correct, load.at_once, key_of, keys)
        has_many = variant.may_store_again and load.stores_many_in(repository)
        many = partial(load.store_all_in, repository) if has_many else None
        one = partial(load.store_in, repository)
        return cls(load.new_record_transform, one, many, load.at_once, key_of, keys, load.restore is not None)


@contextmanager
def _advice_to_use_thrift2(errors: Console, store: str) -> Generator[None]:
    """A block that says once if records of different times needed a call each."""
    if not store.startswith("hbase:"):
        yield
        return

    def advise(event: str, fields: Mapping[str, Any]) -> None:
        if event == "split_batch":
            set_hook(earlier)
            terminal.line(errors, f"slow: {ADVICE}")
        if earlier is not None:
            earlier(event, fields)

    earlier = set_hook(advise)
    try:
        yield
    finally:
        set_hook(earlier)


def chosen_load(
    design: Design, name: str | None, reading: Reading, *, corrects: bool = False, restores: bool = False
) -> Load:
    """The load of this name, or the first one; refuses a format or an option that it does not know."""
    loads = {load.name: load for load in design.loads}
    load = design.loads[0] if name is None else loads[check_name(f"load of {design.name}", name, loads)]
    if corrects and load.correct is None:
        raise WrongUsage(f"--correct: leave it out, because {load.name} have only one stored form")
    if restores and load.restore is None:
        raise WrongUsage(f"--restore: leave it out, because {load.name} need no restoring")
    names = ["auto", *(format.name for format in [*FORMATS, *load.formats]), PARQUET]
    check_name("format", reading.description.format, names)
    return load


@attrs.define
class _Source:
    """A file to load: its lines, and how far it has come."""

    lines: Lines[Any]
    progress: LoadedFile
    is_readable: bool = False
    """Whether any line could be read as a record."""
    unsaid: list[str] = attrs.field(factory=list[str])
    """Why lines were skipped, before any could be read."""
    kinds: dict[str, Refused] = attrs.field(factory=dict[str, Refused])
    """The bad lines by their reasons."""
    said: Counter[str] = attrs.field(factory=Counter[str])
    """How many there are of each kind, by its example."""

    @classmethod
    def of(cls, task: Task, file: str, lines: Lines[Any], replaced: int | None) -> "_Source":
        """A file of which nothing has been stored; `replaced` is 0, or None if that is not known."""
        kinds: dict[str, Refused] = {}
        progress = LoadedFile(file, lines.format, lines.wanted, replaced, refused=kinds if task.checks else None)
        return cls(lines, progress, kinds=kinds)


def read_as(design: Design, load: Load, read: Callable[..., Lines[Any]], file: str) -> Lines[Any]:
    """The lines of a file as records of a load; the error for a file that has none may name another load."""
    try:
        return read(file, record_type=load.record, formats=load.formats)
    except UnknownField as error:
        advice = _other_load(design, load, read, file, by_fields=True)
        if not advice and (near := did_you_mean(error.unknown, [field.name for field in attrs.fields(load.record)])):
            advice = f"; {near}"
        raise UnknownField(f"{error}{advice}") from None
    except UnreadableFile as error:
        raise UnreadableFile(f"{error}{_other_load(design, load, read, file)}") from None


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


def _store_lines(errors: Console, storing: _Storing, source: _Source, stops: bool) -> None:
    """Stores the records of a file. A bad line is skipped, or fails the command if `stops`."""
    transform = storing.new_transform()
    is_slow = source.lines.size_bytes is None  # lines from a pipe are stored one by one as they arrive
    at_once = 1 if storing.many is None or is_slow else storing.at_once
    with closing(_progress(errors, source)) as lines, _counting(storing, source):
        unsent: list[tuple[Line[Any], Any]] = []
        for line in lines:
            if line.reason:
                _store_batch(errors, storing, source, unsent, stops)
                unsent = []
                _refuse(errors, source, line, line.reason, stops)
            else:
                source.is_readable = True
                try:
                    unsent.append((line, transform(line.record)))
                except ValueError as error:
                    _store_batch(errors, storing, source, unsent, stops)
                    unsent = []
                    _refuse(errors, source, line, message_of(error), stops)
            if len(unsent) == at_once:
                _store_batch(errors, storing, source, unsent, stops)
                unsent = []
        _store_batch(errors, storing, source, unsent, stops)
        source.unsaid += [
            f"{example}; {times - MOST_OF_A_KIND:,} more like this are not shown"
            for example, times in source.said.items()
            if times > MOST_OF_A_KIND
        ]
        _say(errors, source)
    if source.progress.refused is not None:
        source.progress.unread, source.progress.defaulted = source.lines.unread, source.lines.defaulted
    source.progress.notes = [*source.lines.notes, *getattr(transform, "notes", ())]
    for note in source.progress.notes:
        terminal.line(errors, f"{source.progress.file}: {note}")


@contextmanager
def _counting(storing: _Storing, source: _Source) -> Generator[None]:
    """A block that reads the lines of a file, which are counted at its end."""
    try:
        yield
    finally:
        source.progress.lines, source.progress.ignored = source.lines.count, source.lines.ignored
        source.progress.replaced_is_exact = not storing.keys.is_full


Batch: TypeAlias = list[tuple[Line[Any], Any]]
"""Records to store, each with its line."""


def _store_batch(errors: Console, storing: _Storing, source: _Source, batch: Batch, stops: bool) -> None:
    """Stores the records of some lines at once; one by one if that fails, to find the line that is bad."""
    source.progress.sending = len(batch)
    while len(batch) > 1 and storing.many is not None:
        try:
            storing.many([record for _line, record in batch])
        except (NotAllStored, ValueError) as error:
            rest = _after_expired(storing, source, batch, error)
            if rest is batch:
                break
            batch = rest
        else:
            _count_stored(storing, source, batch)
            return
    for line, record in batch:
        if reason := _store(storing, source, line, record):
            _refuse(errors, source, line, reason, stops)
            source.progress.sending -= 1


def _after_expired(storing: _Storing, source: _Source, batch: Batch, error: NotAllStored | ValueError) -> Batch:
    """The records that remain to be stored if a batch was refused because some of them would expire at once.

    Counts these, and those that are stored. If it was refused for another reason, all records remain.
    """
    stored, refused = (error.stored, error.__cause__) if isinstance(error, NotAllStored) else (0, error)
    sent = len(error.unconfirmed) if isinstance(error, NotAllStored) else len(batch)
    if not isinstance(refused, Expired) or refused.count != sent:
        return batch
    _count_stored(storing, source, batch[:stored])
    rest = batch[stored:]
    for place, why in refused.expired.items():
        _leave_out(source, rest[place][0], why, is_whole=why.is_whole)
    return [pair for place, pair in enumerate(rest) if place not in refused.expired]


def _leave_out(source: _Source, line: Line[Any], why: ExpiredRecord, *, is_whole: bool) -> None:
    """Counts a record that would expire at once. Raises CommandFailed if that would lose a part that would not."""
    if not is_whole:
        where, ttl = f"{source.progress.file}:{line.number}", f"{why.ttl_seconds:,} s"
        older = f"only a part of it is older than the TTL of table {why.table}, family {why.family}, {ttl}"
        raise CommandFailed(f"{where}: {older}; --allow-expired stores it")
    source.progress.expired[why] += 1
    source.progress.sending -= 1


def _count_stored(storing: _Storing, source: _Source, batch: Batch) -> None:
    """Counts records that are stored, and those that replace an earlier one of this load."""
    source.progress.stored += len(batch)
    source.progress.sending -= len(batch)
    if storing.key_of is not None and source.progress.replaced is not None:
        source.progress.replaced += sum(storing.keys.add(storing.key_of(record)) for _line, record in batch)


def _refuse(errors: Console, source: _Source, line: Line[Any], reason: str, stops: bool) -> None:
    """Counts a bad line and says why it is one; fails the command if `stops`.

    Until a line of the file can be read, the reasons wait: of many, only the first one is printed.
    """
    message = f"{source.progress.file}:{line.number}: {reason}{line.span}"
    is_counted = source.progress.refused is not None
    if stops and not is_counted:
        raise CommandFailed(f"{message}{SKIP}")
    source.progress.skipped += line.count
    kind = source.kinds.setdefault(_VALUE.sub("", reason), Refused(message))
    kind.lines += line.count
    if is_counted:
        return
    source.said[kind.example] += 1
    if source.said[kind.example] <= MOST_OF_A_KIND:
        source.unsaid.append(message)
    if source.is_readable:
        _say(errors, source)
    elif source.progress.skipped >= BAD_LINES_AT_START:
        raise CommandFailed(f"{source.unsaid[0]}; none of its first {BAD_LINES_AT_START} lines can be read")


def _say(errors: Console, source: _Source) -> None:
    """Prints why lines were skipped."""
    for message in source.unsaid:
        terminal.line(errors, message)
    source.unsaid.clear()


def _store(storing: _Storing, source: _Source, line: Line[Any], record: Any) -> str:
    """Stores one record and counts it; returns why it cannot be stored, or empty text."""
    try:
        storing.one(record)
    except Expired as error:
        (why, *_), is_alone = error.expired.values(), len(error.expired) == error.count
        _leave_out(source, line, why, is_whole=is_alone and all(each.is_whole for each in error.expired.values()))
    except ValueError as error:  # InvalidKey, InvalidRecord, or the domain's own conflict with a stored record
        reason = message_of(error)
        if storing.may_restore and not isinstance(error, (InvalidKey, InvalidRecord)):
            reason += "; --restore takes what scan --lines wrote"
        return reason
    except (TException, OSError) as error:
        place = f"{source.progress.file}:{line.number}"
        raise CommandFailed(f"{place}: the store failed: {first_line(error)}") from error
    else:
        _count_stored(storing, source, [(line, record)])
    return ""


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
        task = bar.add_task(terminal.visible(source.progress.file), total=lines.size_bytes, rate="")
        for number, line_read in enumerate(lines):
            if number % LINES_AT_ONCE == 0:
                completed = lines.read_bytes if lines.size_bytes else None
                bar.update(task, completed=completed, rate=_rate(source.progress.stored, bar.tasks[0].elapsed or 0))
            yield line_read


def _rate(records: int, seconds: float) -> str:
    return f"{records / seconds:,.0f} records/s" if records and seconds else ""
