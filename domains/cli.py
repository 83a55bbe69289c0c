"""The command line: `rowbook COMMAND`."""

import io
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import happybase
import typer
from rich.console import Console
from thriftpy2.thrift import TException

from shared.designs import AccessPattern, Design, Load, Measurement, Variant, load_samples, measure_pattern
from shared.designs.comparison import VariantCosts, measure_variant
from shared.designs.patterns import DEFAULT_LIMIT
from shared.keys import InvalidKey, InvalidQuestion
from shared.keys.errors import message_of
from shared.keys.prefixes import MAX_BUCKETS
from shared.loading import (
    FORMATS,
    InvalidTimeFormat,
    Line,
    Lines,
    UnknownField,
    UnknownUnit,
    UnneededTime,
    UnneededYear,
    UnreadableFile,
    read_lines,
)
from shared.queries import MAX_LIMIT
from shared.stores import InvalidStoreURL, StoreError, Unreachable, connect
from shared.stores.server.memory import MAX_BUFFERED_BYTES
from shared.tables import InvalidRecord, NeedsThrift2, TableMismatch, check_layouts, create_tables, drop_tables
from shared.tables.adopting import adopt_tables
from shared.tables.recorded_layouts import RECORDS
from shared.writes import ClockSkew, NotAllStored
from shared.writes.batches import RECORDS_AT_ONCE

from . import show, upkeep
from .asking import (
    WrongUsage,
    arguments,
    check_name,
    decode_key,
    encode_keys,
    find_variants,
    group_by_design,
    number,
    pairs,
    questions,
    tables_of,
    time,
)
from .designs import DESIGNS
from .explaining import ExplainedKey, explained_keys, read_cell
from .serving import NotServed
from .serving import serve as serve_store

MEMORY = "embedded:"
DEMO_PREFIX = "rowbook_demo"
"""Prefix of the tables that `run` makes in the user's store; happybase adds `_` to it."""
LAST_YEAR = 9999
"""The last year of which a record holds a time."""

MAX_AGE_S = 10 * 365 * 24 * 60 * 60
"""The largest `--older-than`, in seconds."""

WRONG_USAGE = (
    *(WrongUsage, InvalidQuestion, InvalidKey),
    *(InvalidTimeFormat, UnknownField, UnknownUnit, UnneededTime, UnneededYear),
)
BAD_LINES_AT_START = 1000
"""If the first lines of a file, so many of them, cannot be read, `load` stops."""


class CommandFailed(Exception):
    """The command cannot do what it should; the message says why in one line."""


def main() -> None:
    """Runs the command line and exits: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    try:
        sys.exit(app(prog_name="rowbook", standalone_mode=False))
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "rowbook"
        message, code = f"{error.format_message().rstrip('.')}; see {path} --help", error.exit_code
    except WRONG_USAGE as error:
        message, code = str(error), 2
    except StoreError as error:
        message, code = str(error), 2 if isinstance(error, InvalidStoreURL) else 1
    except (
        ClockSkew,
        CommandFailed,
        NotServed,
        UnreadableFile,
        InvalidRecord,
        NeedsThrift2,
        TableMismatch,
        show.NotWritten,
    ) as error:
        message, code = str(error), 1
    except OSError as error:  # from the help text, which typer writes itself
        message, code = show.reason(error), 1
    with suppress(show.NotWritten):
        show.line(show.console(stderr=True), message)
    sys.exit(code)


def _show_warning(message: Warning | str, *_where: object, **_options: object) -> None:
    """Prints a warning as one line, without the place in the program."""
    with suppress(show.NotWritten):
        show.line(show.console(stderr=True), f"warning: {message}")


# Arguments and options of the commands


def all_names() -> list[str]:
    """The names of all designs and variants."""
    variants = [f"{design.name}:{variant.name}" for design in DESIGNS for variant in design.variants]
    return [*(design.name for design in DESIGNS), *variants]


def question_names(context: typer.Context) -> list[str]:
    """The questions of the design that the command line names."""
    design_name = str(context.params.get("name")).partition(":")[0]
    return [name for design in DESIGNS if design.name == design_name for name in questions(design)]


def format_names() -> list[str]:
    """The names of all formats that a design reads."""
    own = [format.name for design in DESIGNS for load in design.loads for format in load.formats]
    return list(dict.fromkeys([*(format.name for format in FORMATS), *own]))


def load_names() -> list[str]:
    """The names of all loads of the designs."""
    return list(dict.fromkeys(load.name for design in DESIGNS for load in design.loads))


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A design (logs) or a variant (logs:salted).", autocompletion=all_names)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object; times in milliseconds, bytes in hex.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print no colours and no boxes.")]
URL = "embedded:FILE or hbase://HOST:PORT"

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def rowbook(context: typer.Context, plain: Plain = False) -> None:
    """Row-key designs for HBase: run them, measure them, copy them."""
    context.obj = plain
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_(context: typer.Context, as_json: Json = False, plain: Plain = False) -> None:
    """List all designs and variants, with the keys of their tables."""
    out = show.console(plain or context.obj)
    if as_json:
        show.designs_as_json(out, DESIGNS)
        return
    for design in DESIGNS:
        show.design_keys(out, design, design.variants)


@app.command()
def run(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Designs or variants; all designs if omitted.", autocompletion=all_names),
    ] = None,
    store: Annotated[str, typer.Option(metavar="URL", help=f"{URL}, instead of memory.")] = MEMORY,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the tables in the store.")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Load the samples, show rows, ask every variant every question."""
    selection = group_by_design(names or [design.name for design in DESIGNS], DESIGNS)
    out = show.console(plain or context.obj)
    if store == MEMORY and keep:
        raise WrongUsage("--keep: a store in memory ends with the command; name another one with --store")
    all_costs: list[tuple[Design, list[VariantCosts]]] = []
    prefix = ""
    for design, variants in selection:
        costs: list[VariantCosts] = []
        all_costs.append((design, costs))
        for variant in variants:
            with _demo_tables(store, variant, keep) as connection:
                prefix = (connection.table_prefix or b"").decode()  # that of the URL, too
                costs.append(measure_variant(connection, design, variant))
                if variant is variants[0] and not as_json:
                    show.design_keys(out, design, variants)
                    for table in variant.record_tables:
                        show.rows(out, connection, table)
                    show.costs(out, _name(design, variant), costs[0].measurements)
                    show.ranges(out, connection, variant.tables, costs[0].measurements)
        if len(costs) > 1 and not as_json:
            show.comparison(out, design, costs)
            show.traps(out, design)
        if keep and not as_json:
            names_kept = dict.fromkeys(table.name for variant in variants for table in variant.tables)
            table_names = ", ".join(f"{prefix}_{name}" for name in names_kept)
            show.line(out, f"kept in {store}: {table_names}")
    if as_json:
        show.costs_as_json(out, all_costs)


@app.command("load")
def load_(
    context: typer.Context,
    name: Name,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="CSV, JSON lines, or one of the design's own formats.")
    ],
    store: Annotated[str, typer.Option(metavar="URL", help=URL)],
    as_: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="LOAD", help="The kind of records, if the design has several.", autocompletion=load_names
        ),
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="F", help=f"Format of the files: {', '.join(['auto', *format_names()])}.")
    ] = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Column to read the field from, if its name differs; in JSON also A.B.",
        ),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=s|ms|us", help="Unit of a time that is a number, if not milliseconds (ms)."),
    ] = None,
    time_format: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=FORMAT", help="How a time is written, as strptime's %m/%d/%Y for 7/4/1996."),
    ] = None,
    year: Annotated[
        str | None,
        typer.Option(metavar="Y", help="Year of the first line of each file, for times without one, as of syslog."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Time of the lines without one, as of Prometheus text."),
    ] = None,
    on_error: Annotated[Literal["stop", "skip"], typer.Option(help="Stop at a bad line, or skip it.")] = "stop",
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Store records from files. Loading the same records again changes nothing."""
    design, (variant, *_others) = find_variants(name, DESIGNS)
    loads = {load.name: load for load in design.loads}
    load = design.loads[0] if as_ is None else loads[check_name(f"load of {design.name}", as_, loads)]
    check_name("format", format, ["auto", *(format.name for format in [*FORMATS, *load.formats])])
    read = partial(
        read_lines,
        format=format,
        mapping=pairs(map_ or [], "FIELD=COLUMN"),
        units=pairs(unit or [], "FIELD=s|ms|us"),
        time_formats=pairs(time_format or [], "FIELD=FORMAT"),
        year=None if year is None else number("--year", year, LAST_YEAR),
        at_ms=None if at is None else time("--at", at),
    )
    sources = (_Source(file, _read_as(design, load, read, file)) for file in files)
    first = next(sources)  # so that a file that cannot be read is refused before a store exists
    errors = show.console(plain or context.obj, stderr=True)
    _warn(errors, design, variant)
    loaded: list[_Source] = []
    with _open(store) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
        try:
            for source in chain([first], sources):
                loaded.append(source)
                try:
                    _store_lines(errors, load, repository, source, stops=on_error == "stop")
                except CommandFailed as error:
                    advice = "" if source.stored else _other_load(design, load, read, source.file)
                    raise CommandFailed(f"{error}{advice}") from None
        except (CommandFailed, UnneededTime, UnneededYear, UnreadableFile) as error:
            raise CommandFailed(f"{error}; {_records_stored(loaded)} before") from None
        except KeyboardInterrupt:
            show.line(errors, f"interrupted; {_records_stored(loaded)}; load the same files again to go on")
            raise typer.Exit(130) from None
    out = show.console(plain or context.obj)
    if as_json:
        show.loads_as_json(
            out, ((source.file, source.lines.format, source.stored, source.skipped) for source in loaded)
        )
        return
    for source in loaded:
        skipped = f", {show.count(source.skipped, 'bad line')} skipped" if source.skipped else ""
        show.line(out, f"{source.file}: {source.lines.format}, {_records_stored([source])}{skipped}")
    if store == MEMORY:
        show.line(out, "the store in memory ends with this command: name a file to keep the records")


@app.command()
def ask(
    context: typer.Context,
    name: Name,
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION", help="A question of the design; lists them if omitted.", autocompletion=question_names
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="field=value",
            help="Values of the question; times as 2026-01-12T08:00Z or milliseconds since 1970.",
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(metavar="URL", help=f"{URL}; the samples in memory if omitted.")] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="Maximum records per page.")] = None,
    cursor: Annotated[
        str | None, typer.Option(metavar="C", help="Continue from this cursor, which the page before printed.")
    ] = None,
    explains: Annotated[
        bool, typer.Option("--explain", help="Show what the question would read, and read nothing.")
    ] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Ask one question with your own values."""
    design, (variant, *_others) = find_variants(name, DESIGNS)
    out = show.console(plain or context.obj)
    if question is None:
        show.question_list(out, name, design, as_json=as_json)
        return
    patterns = questions(design)
    pattern = patterns[check_name("question", question, patterns)][0]
    call_arguments = arguments(pattern, fields or [])
    page_limit = _page_limit(pattern, limit, cursor, explains)
    with _open(MEMORY) if explains else _store_to_ask(store, design, variant) as connection:
        repository = variant.open(connection)
        try:
            if explains:
                explanation = pattern.ask(repository, **call_arguments).explain(page_limit)
                show.query_explanation(out, connection, variant.tables, explanation, as_json=as_json)
                return
            measurement = measure_pattern(connection, repository, pattern, call_arguments, page_limit, cursor)
            unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)
        except InvalidQuestion as error:
            others = [] if cursor else _answering_variants(design, variant, pattern, call_arguments)
            raise WrongUsage(f"{error}; or ask {', '.join(others)}" if others else str(error)) from None
    command = ["rowbook", "ask", name, question, *(fields or [])]
    command += ["--store", store] if store else []
    command += ["--limit", limit] if limit else []
    _warn(show.console(plain or context.obj, stderr=True), design, variant)
    show.answer(out, connection, variant.tables, measurement, shlex.join(command), unknown, as_json=as_json)


@app.command()
def explain(
    context: typer.Context,
    name: Name,
    fields: Annotated[
        list[str] | None,
        typer.Argument(metavar="field=value", help="The parts of a key, or the fields of a whole record."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="HEX", help="A row key in hex, with or without blanks; instead of fields.")
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="[FAMILY:]HEX", help="Column of a cell of that row: its qualifier in hex; needs --value."),
    ] = None,
    value: Annotated[str | None, typer.Option(metavar="HEX", help="Value of that cell in hex; needs --column.")] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="URL", help=f"{URL}, with the names of what a key holds by number, such as UIDs of tsdb."),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show the bytes of a row key below its parts and their values, and what a cell of the row holds.

    A design shows its key in every variant.
    """
    design, variants = find_variants(name, DESIGNS)
    tables = tables_of(variants)
    if (key is None) == (not fields):
        raise WrongUsage(f"explain {name}: give the fields of a key (field=value ...), or --key HEX")
    cell = read_cell(column, value)
    if store is not None and design.names_in_key is None:
        raise WrongUsage(f"--store: is not needed, because keys of {design.name} hold all values themselves")
    if key is None:
        keys, missing_keys = encode_keys(design, tables, fields or [])
        if not keys:
            raise WrongUsage(f"no key of {name} is complete: {show.reasons(missing_keys)}")
    else:
        keys, missing_keys = decode_key(tables, key)
        if not keys:
            raise CommandFailed(f"not a key of {name}: {show.reasons(missing_keys)}")
    explained, refused = explained_keys(design, keys, cell)
    if not explained:
        raise CommandFailed(f"not a cell of {name}: {show.reasons(refused)}")
    if store is not None:
        explained = _named(design, variants, explained, store)
    show.explanation(show.console(plain or context.obj), explained, [*refused, *missing_keys], as_json=as_json)


def _named(design: Design, variants: tuple[Variant, ...], keys: list[ExplainedKey], url: str) -> list[ExplainedKey]:
    """The keys with the names in a store that has the tables of one of these variants."""
    with _existing_store(url) as connection:
        variant = next((other for other in variants if not _missing_tables(connection, other)), variants[0])
        _check_tables(connection, url, design, variant)
        repository = variant.open(connection)
        try:
            return [key.named(design, repository) for key in keys]
        except ValueError as error:
            raise CommandFailed(f"{url}: {message_of(error)}") from None


@app.command()
def ddl(
    context: typer.Context,
    name: Name,
    splits: Annotated[
        str | None, typer.Option(metavar="N", help="Number of split points of each table; N make N + 1 regions.")
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Print HBase-shell statements that create the tables, pre-split.

    The split points are those of the key layout; a table without them has one region.
    """
    _design, (variant, *_others) = find_variants(name, DESIGNS)
    count = None if splits is None else number("--splits", splits, MAX_BUCKETS - 1)
    show.statements(show.console(plain or context.obj), variant, count, as_json=as_json)


Existing = Annotated[str, typer.Option(metavar="URL", help=f"{URL}, with the tables of the design.")]


@app.command()
def recover(
    context: typer.Context,
    name: Name,
    store: Existing,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS", help="Settle writes that have been pending for so long; 600 if omitted, 0 for all."
        ),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Complete what writers left that died in the middle of a write over several rows."""
    older_than_ms = None if older_than is None else 1000 * number("--older-than", older_than, MAX_AGE_S, 0)
    with _repository(name, store) as repository:
        out = show.console(plain or context.obj)
        code = upkeep.recover(out, name, repository.upkeep, older_than_ms, as_json=as_json)
    raise typer.Exit(code)


@app.command()
def verify(context: typer.Context, name: Name, store: Existing, as_json: Json = False, plain: Plain = False) -> None:
    """Find rows that disagree with others, or cannot be read. Exit code 1 if there are any."""
    out, errors = _consoles(context, plain)
    with _repository(name, store) as repository:
        code = upkeep.verify(out, errors, name, repository.upkeep, as_json=as_json)
    raise typer.Exit(code)


@app.command()
def repair(
    context: typer.Context,
    name: Name,
    store: Existing,
    discard: Annotated[
        list[str] | None,
        typer.Option(
            metavar=f"{upkeep.ORPHANED}|{upkeep.UNDECODABLE}|TABLE:HEXROW",
            help="Remove lines without a source, rows that cannot be read, or this row, which are otherwise kept.",
        ),
    ] = None,
    restores: Annotated[
        bool, typer.Option("--restore", help="Make records again from lines that outlived them.")
    ] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Recover pending writes, then mend what verify finds. Exit code 1 if something is left."""
    instructions = upkeep.instructions(discard or [], restores=restores)
    out, errors = _consoles(context, plain)
    with _repository(name, store) as repository:
        code = upkeep.repair(out, errors, name, repository.upkeep, instructions, as_json=as_json)
    raise typer.Exit(code)


@app.command()
def erase(
    context: typer.Context,
    name: Name,
    who: Annotated[str, typer.Argument(metavar="WHO", help="The person whom rows name, such as a user.")],
    store: Existing,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Remove what names a person: from records that others need, otherwise with the records."""
    design, _variants = find_variants(name, DESIGNS)
    if not design.erases:
        raise WrongUsage(f"{name}: has no erase; those that have: {', '.join(d.name for d in DESIGNS if d.erases)}")
    with _repository(name, store) as repository:
        code = upkeep.erase(show.console(plain or context.obj), name, repository, who, as_json=as_json)
    raise typer.Exit(code)


def _consoles(context: typer.Context, plain: bool) -> tuple[Console, Console]:
    plain = plain or context.obj
    return show.console(plain), show.console(plain, stderr=True)


@app.command()
def adopt(context: typer.Context, name: Name, store: Existing, plain: Plain = False) -> None:
    """Record the key layouts of tables that were made without a record, after comparing some rows of each bucket."""
    design, (variant, *_others) = find_variants(name, DESIGNS)
    out = show.console(plain or context.obj)
    with _existing_store(store) as connection:
        _check_tables(connection, store, design, variant)
        for table in adopt_tables(connection, variant.tables):
            rows = f"{show.count(table.rows, 'row')} compared" if table.rows else "without rows, so nothing is compared"
            show.line(out, f"{table.table}: {'recorded' if table.is_new else 'recorded already'}, {rows}")
            for fit in table.also_fits:
                show.line(out, f"{table.table}: these rows also fit {fit}")


@app.command()
def serve(
    context: typer.Context,
    store: Annotated[str, typer.Option(metavar="URL", help="embedded:FILE, instead of memory.")] = MEMORY,
    host: Annotated[str, typer.Option(metavar="H", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[str, typer.Option(metavar="P", help="Port to listen on; 0 picks a free one.")] = "9090",
    transport: Annotated[
        Literal["buffered", "framed"], typer.Option(help="Thrift transport of the clients.")
    ] = "buffered",
    protocol: Annotated[Literal["binary", "compact"], typer.Option(help="Thrift protocol of the clients.")] = "binary",
    buffer_mib: Annotated[
        str,
        typer.Option(metavar="MIB", help="Memory for unanswered messages and unread replies of all clients together."),
    ] = str(MAX_BUFFERED_BYTES // 1024**2),
    known_to_be_open: Annotated[
        bool,
        typer.Option(
            "--i-know-it-is-open", help="Listen on an address that other machines can reach, without access control."
        ),
    ] = False,
    plain: Plain = False,
) -> None:
    """Serve a store over Thrift1 until Ctrl-C. happybase and other clients can use it like an HBase."""
    plain = plain or context.obj
    code = serve_store(
        show.console(plain),
        show.console(plain, stderr=True),
        store=store,
        host=host,
        port=port,
        transport=transport,
        protocol=protocol,
        buffer_mib=buffer_mib,
        known_to_be_open=known_to_be_open,
    )
    if code:
        raise typer.Exit(code)


# Designs and stores


def _name(design: Design, variant: Variant) -> str:
    """The name of a variant on the command line; the main variant's is the name of the design."""
    return design.name if variant is design.main else f"{design.name}:{variant.name}"


def _answering_variants(
    design: Design, refusing: Variant, pattern: AccessPattern, call_arguments: dict[str, Any]
) -> list[str]:
    """The names of the variants to copy that answer a question; each is asked in an empty store.

    If the refusing variant answers there too, its store has too many rows to sort: then only those that need not sort.
    """
    measurements: dict[str, Measurement] = {}
    for variant in design.variants:
        if variant.is_to_copy or variant is refusing:
            with _open(MEMORY) as connection, suppress(InvalidQuestion):
                create_tables(connection, variant.tables)
                repository = variant.open(connection)
                measurement = measure_pattern(connection, repository, pattern, call_arguments, pattern.limit)
                measurements[_name(design, variant)] = measurement
    if measurements.pop(_name(design, refusing), None) is None:
        return [*measurements]
    return [name for name, measurement in measurements.items() if "order" not in measurement.client_work]


def _warn(errors: Console, design: Design, variant: Variant) -> None:
    """Says in one line that a variant gives wrong answers, if it does."""
    if variant.wrong is not None:
        show.line(errors, f"{_name(design, variant)} {variant.warning}; {design.name} keeps them")


@contextmanager
def _open(url: str, prefix: str | None = None) -> Generator[happybase.Connection]:
    try:
        connection = connect(url, table_prefix=prefix)
    except Unreachable as error:  # its message names the address
        raise CommandFailed(f"{show.reason(error)}; is a Thrift gateway running there?") from None
    except (TException, OSError) as error:
        advice = "; is a Thrift gateway running there?" if url.startswith("hbase:") else ""
        raise CommandFailed(f"{url}: {show.reason(error)}{advice}") from None
    with closing(connection):
        try:
            yield connection
        except (TException, OSError) as error:
            raise CommandFailed(f"the store failed: {show.reason(error)}") from error


@contextmanager
def _demo_tables(url: str, variant: Variant, keep: bool) -> Generator[happybase.Connection]:
    """The tables of a variant under `DEMO_PREFIX`, dropped at the end; a store in memory needs neither."""
    if url == MEMORY:
        with _open(url) as connection:
            create_tables(connection, variant.tables)
            yield connection
        return
    with _open(url, DEMO_PREFIX) as connection:
        try:
            create_tables(connection, variant.tables)
            yield connection
        finally:
            if not keep:
                # A new connection, because an error or Ctrl-C may have stopped the other one in the middle of a reply.
                with _open(url, DEMO_PREFIX) as fresh:
                    drop_tables(fresh, variant.tables)
                    if fresh.tables() == [RECORDS.name.encode()]:  # nobody but `rowbook run` uses the prefix
                        drop_tables(fresh, [RECORDS])


@contextmanager
def _repository(name: str, url: str) -> Generator[Any]:
    """The repository of a variant on a store that has its tables. Raises WrongUsage if it has no upkeep."""
    design, (variant, *_others) = find_variants(name, DESIGNS)
    if reason := design.why_no_upkeep(variant):
        raise WrongUsage(f"{name}: {reason}")
    with _store_to_ask(url, design, variant) as connection:
        yield variant.open(connection)


@contextmanager
def _store_to_ask(url: str | None, design: Design, variant: Variant) -> Generator[happybase.Connection]:
    """The store at `url`, which must have all tables of the variant; the samples in memory if `url` is None."""
    if url is None:
        with _open(MEMORY) as connection:
            create_tables(connection, variant.tables)
            load_samples(connection, design, variant)
            yield connection
        return
    with _existing_store(url) as connection:
        _check_tables(connection, url, design, variant)
        check_layouts(connection, variant.tables)
        yield connection


@contextmanager
def _existing_store(url: str) -> Generator[happybase.Connection]:
    path = url.removeprefix("embedded:")
    if path not in ("", url) and not os.path.exists(path):
        raise CommandFailed(f"{path}: no such store; rowbook load makes one")
    with _open(url) as connection:
        yield connection


def _check_tables(connection: happybase.Connection, url: str, design: Design, variant: Variant) -> None:
    if missing := _missing_tables(connection, variant):
        load = f"rowbook load {_name(design, variant)} FILE --store {shlex.quote(url)}"
        raise CommandFailed(f"{url}: has no table {', '.join(missing)}; make what is missing with {load}")


def _missing_tables(connection: happybase.Connection, variant: Variant) -> list[str]:
    """The tables of a variant that a store does not have, each once: two layouts may share a table."""
    tables_there = connection.tables()
    return [name for name in dict.fromkeys(table.name for table in variant.tables) if name.encode() not in tables_there]


def _page_limit(pattern: AccessPattern, limit: str | None, cursor: str | None, explains: bool) -> int:
    """The records of a page; WrongUsage for options of pages if the answer is not one."""
    options = {"--limit": limit is not None, "--cursor": cursor is not None, "--explain": explains}
    if pattern.answer != "page" and any(options.values()):
        answer = {"first": "one record", "count": "a number"}.get(pattern.answer, "one value")
        given = " and ".join(option for option, is_given in options.items() if is_given)
        raise WrongUsage(f"{pattern.name}: answers with {answer}, without {given}")
    if explains and cursor is not None:
        raise WrongUsage("--explain: shows what the first page reads, without --cursor")
    return DEFAULT_LIMIT if limit is None else number("--limit", limit, MAX_LIMIT)


@attrs.define
class _Source:
    """A file to load, and how many of its records were stored or skipped so far."""

    file: str
    lines: Lines[Any]
    stored: int = 0
    skipped: int = 0
    is_readable: bool = False
    """Whether any line could be read as a record."""
    unsaid: list[str] = attrs.field(factory=list[str])
    """Why lines were skipped, before any could be read."""


def _read_as(design: Design, load: Load, read: Callable[..., Lines[Any]], file: str) -> Lines[Any]:
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
    is_slow = source.lines.size_bytes is None  # what comes through a pipe is stored line by line as it comes
    at_once = 1 if load.store_all is None or is_slow else RECORDS_AT_ONCE
    with closing(show.progress(errors, source.file, source.lines)) as lines:
        unsent: list[tuple[Line[Any], Any]] = []
        for line in lines:
            if line.reason:
                _store_batch(errors, load, repository, source, unsent, stops)
                unsent = []
                _refuse(errors, source, line, line.reason, stops)
            else:
                source.is_readable = True
                unsent.append((line, transform(line.record)))
            if len(unsent) == at_once:
                _store_batch(errors, load, repository, source, unsent, stops)
                unsent = []
        _store_batch(errors, load, repository, source, unsent, stops)
        _say(errors, source)


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

    As long as no line of the file could be read, the reasons wait: of many, only the first one is printed.
    """
    message = f"{source.file}:{line.number}: {reason}{line.span}"
    if stops:
        raise CommandFailed(f"{message}; --on-error skip goes on")
    source.skipped += line.count
    source.unsaid.append(message)
    if source.is_readable:
        _say(errors, source)
    elif len(source.unsaid) == BAD_LINES_AT_START:
        raise CommandFailed(f"{source.unsaid[0]}; none of its first {BAD_LINES_AT_START} lines can be read")


def _say(errors: Console, source: _Source) -> None:
    """Prints why lines were skipped."""
    for message in source.unsaid:
        show.line(errors, message)
    source.unsaid.clear()


def _store(load: Load, repository: Any, record: Any, place: str) -> str:
    """Stores one record; returns why it cannot be stored, or empty text."""
    try:
        load.store_in(repository, record)
    except ValueError as error:  # InvalidKey, InvalidRecord, or the domain's own conflict with a stored record
        return message_of(error)
    except (TException, OSError) as error:
        raise CommandFailed(f"{place}: the store failed: {show.reason(error)}") from error
    return ""


def _records_stored(sources: list[_Source]) -> str:
    return f"{show.count(sum(source.stored for source in sources), 'record')} stored"


if __name__ == "__main__":
    main()
