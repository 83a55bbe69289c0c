"""The command line: `rowbook COMMAND`. The only place that knows all designs."""

import io
import os
import shlex
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import Annotated, Any, Literal

import attrs
import happybase
import typer
from rich.console import Console
from thriftpy2.thrift import TException

from shared.designs import AccessPattern, Design, Load, Measured, Variant, load_samples, metered
from shared.designs.comparison import Compared, compared
from shared.keys import InvalidKey, InvalidQuestion
from shared.keys.errors import message_of
from shared.keys.prefixes import MAX_BUCKETS
from shared.loading import FORMATS, Lines, UnknownField, UnknownUnit, UnreadableFile, read_lines
from shared.queries import MAX_LIMIT
from shared.stores import InvalidStoreURL, StoreError, Unreachable, connect
from shared.stores.server.memory import MAX_BUFFERED_BYTES
from shared.tables import InvalidRecord, NeedsThrift2, TableMismatch, create_tables, drop_tables

from . import show
from .asking import WrongUsage, arguments, chosen, decoded, encoded, grouped, known, number, pairs, questions, tables_of
from .designs import DESIGNS
from .serving import NotServed
from .serving import serve as serve_store

MEMORY = "embedded:"
DEMO_PREFIX = "rowbook_demo"
"""The prefix of the tables that `run` makes in a store of the user; happybase puts `_` after it."""


class Failed(Exception):
    """Something that was found or went wrong; one line says what to do."""


def main() -> None:
    """Runs the command line and exits: 0 done, 1 something was found or failed, 2 wrong usage, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(app(prog_name="rowbook", standalone_mode=False))
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "rowbook"
        message, code = f"{error.format_message().rstrip('.')}; see {path} --help", error.exit_code
    except (WrongUsage, InvalidQuestion, InvalidKey, UnknownField, UnknownUnit) as error:
        message, code = str(error), 2
    except StoreError as error:
        message, code = str(error), 2 if isinstance(error, InvalidStoreURL) else 1
    except (Failed, NotServed, UnreadableFile, InvalidRecord, NeedsThrift2, TableMismatch, show.NotWritten) as error:
        message, code = str(error), 1
    except OSError as error:  # of the help text, which goes out by itself
        message, code = show.reason(error), 1
    with suppress(show.NotWritten):
        show.line(show.console(stderr=True), message)
    sys.exit(code)


# What the commands take


def names_known() -> list[str]:
    """The designs and variants that can be named."""
    variants = [f"{design.name}:{variant.name}" for design in DESIGNS for variant in design.variants]
    return [*(design.name for design in DESIGNS), *variants]


def question_names(context: typer.Context) -> list[str]:
    """The questions of the design that was named before."""
    named = str(context.params.get("name")).partition(":")[0]
    return [name for design in DESIGNS if design.name == named for name in questions(design)]


def format_names() -> list[str]:
    """All formats that a design reads."""
    own = [format.name for design in DESIGNS for load in design.loads for format in load.formats]
    return list(dict.fromkeys([*(format.name for format in FORMATS), *own]))


def load_names() -> list[str]:
    """All loads of the designs."""
    return list(dict.fromkeys(load.name for design in DESIGNS for load in design.loads))


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A design, or a variant of it: logs:salted.", autocompletion=names_known)
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object; times in milliseconds, bytes in hex.")]
Plain = Annotated[bool, typer.Option("--plain", help="No colours and no boxes.")]
URL = "embedded:FILE or hbase://HOST:PORT"

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def rowbook(context: typer.Context, plain: Plain = False) -> None:
    """Worked row-key designs for HBase that run, prove what they claim, and can be copied."""
    context.obj = plain
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list")
def list_(context: typer.Context, as_json: Json = False, plain: Plain = False) -> None:
    """The designs, their question, their variants and the keys of their tables."""
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
        typer.Argument(metavar="NAME", help="Designs, or variants; all if none.", autocompletion=names_known),
    ] = None,
    store: Annotated[str, typer.Option(metavar="URL", help=f"{URL}, in place of memory.")] = MEMORY,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the tables in the store.")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Load the samples, show rows, ask every question of every variant."""
    named = grouped(names or [design.name for design in DESIGNS], DESIGNS)
    out = show.console(plain or context.obj)
    if store == MEMORY and keep:
        raise WrongUsage("--keep: a store in memory ends with the command; name another one with --store")
    measured: list[tuple[Design, list[Compared]]] = []
    for design, variants in named:
        found: list[Compared] = []
        measured.append((design, found))
        for variant in variants:
            with _demo_tables(store, variant, keep) as connection:
                found.append(compared(connection, design, variant))
                if variant is variants[0] and not as_json:
                    show.design_keys(out, design, variants)
                    for table in variant.tables:
                        show.rows(out, connection, table)
                    show.costs(out, _name(design, variant), found[0].measured)
                    show.ranges(out, connection, found[0].measured)
        if len(found) > 1 and not as_json:
            show.comparison(out, design, found)
            show.traps(out, design)
        if keep and not as_json:
            kept = ", ".join(f"{DEMO_PREFIX}_{table.name}" for table in tables_of(variants))
            show.line(out, f"kept in {store}: {kept}")
    if as_json:
        show.costs_as_json(out, measured)


@app.command("load")
def load_(
    context: typer.Context,
    name: Name,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="CSV, JSON lines, or a form of the design's own.")],
    store: Annotated[str, typer.Option(metavar="URL", help=URL)],
    as_: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="LOAD", help="Which records, if the design has several.", autocompletion=load_names
        ),
    ] = None,
    format: Annotated[str, typer.Option(metavar="F", help=", ".join(["auto", *format_names()]))] = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=COLUMN", help="A field's column, if it has not the field's own name."),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=s|ms|us", help="What a time's integers count since 1970, if not milliseconds."),
    ] = None,
    on_error: Annotated[Literal["stop", "skip"], typer.Option(help="What to do at a bad line.")] = "stop",
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Store real records. Loading the same records again changes nothing."""
    design, (variant, *_others) = chosen(name, DESIGNS)
    loads = {load.name: load for load in design.loads}
    load = design.loads[0] if as_ is None else loads[known(f"load of {design.name}", as_, loads)]
    known("format", format, ["auto", *(format.name for format in [*FORMATS, *load.formats])])
    mapping, units = pairs(map_ or [], "FIELD=COLUMN"), pairs(unit or [], "FIELD=s|ms|us")
    sources = (
        _Source(file, read_lines(file, load.record, format=format, mapping=mapping, units=units, formats=load.formats))
        for file in files
    )
    first = next(sources)  # so that a file that cannot be read is refused before a store is made
    errors = show.console(plain or context.obj, stderr=True)
    loaded: list[_Source] = []
    with _open(store) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
        try:
            for source in chain([first], sources):
                loaded.append(source)
                _store_lines(errors, load, repository, source, stops=on_error == "stop")
        except (Failed, UnreadableFile) as error:
            raise Failed(f"{error}; {_stored(loaded)} before") from None
        except KeyboardInterrupt:
            show.line(errors, f"interrupted; {_stored(loaded)}; load the same files again to go on")
            raise typer.Exit(130) from None
    out = show.console(plain or context.obj)
    if as_json:
        show.loaded_as_json(out, ((each.file, each.lines.format, each.stored, each.skipped) for each in loaded))
        return
    for source in loaded:
        skipped = f", {show.count(source.skipped, 'bad line')} skipped" if source.skipped else ""
        show.line(out, f"{source.file}: {source.lines.format}, {_stored([source])}{skipped}")
    if store == MEMORY:
        show.line(out, "the store in memory ends with this command: name a file to keep the records")


@app.command()
def ask(
    context: typer.Context,
    name: Name,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="If none: lists them.", autocompletion=question_names)
    ] = None,
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="field=value", help="Times as 2026-01-12T08:00Z or milliseconds.")
    ] = None,
    store: Annotated[str | None, typer.Option(metavar="URL", help=f"{URL}; if none: the samples, in memory.")] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="Records of a page.")] = None,
    cursor: Annotated[str | None, typer.Option(metavar="C", help="The page that goes on there.")] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Ask one question with values of your own."""
    design, (variant, *_others) = chosen(name, DESIGNS)
    out = show.console(plain or context.obj)
    if question is None:
        show.question_list(out, name, design, as_json=as_json)
        return
    patterns = questions(design)
    pattern = patterns[known("question", question, patterns)][0]
    given = arguments(pattern, fields or []) | _page_options(pattern, limit, cursor)
    with _asked_store(store, design, variant) as connection:
        repository = variant.open(connection)
        with metered(connection) as cost:
            try:
                answer = pattern.ask(repository, **given)
            except InvalidQuestion as error:
                answering = [] if cursor else _answering(design, variant, pattern, given)
                raise WrongUsage(f"{error}; answered by {', '.join(answering)}" if answering else str(error)) from None
    again = ["rowbook", "ask", name, question, *(fields or [])]
    again += ["--store", store] if store else []
    again += ["--limit", limit] if limit else []
    show.answer(out, Measured(pattern, answer, cost), shlex.join(again), as_json=as_json)


@app.command()
def explain(
    context: typer.Context,
    name: Name,
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="field=value", help="The parts of one key or of several.")
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="HEX", help="A row key, with or without blanks.")] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """The bytes of a key under its parts and their values, in every variant of a design."""
    design, variants = chosen(name, DESIGNS)
    tables = tables_of(variants)
    if (key is None) == (not fields):
        raise WrongUsage(f"explain {name}: give the fields of a key (field=value ...), or --key HEX")
    if key is None:
        rows, others = encoded(design, tables, fields or [])
        if not rows:
            raise WrongUsage(f"no key of {name} is complete: {show.reasons(others)}")
    else:
        rows, others = decoded(tables, key)
        if not rows:
            raise Failed(f"no key of {name}: {show.reasons(others)}")
    show.explained(show.console(plain or context.obj), rows, others, as_json=as_json)


@app.command()
def ddl(
    context: typer.Context,
    name: Name,
    splits: Annotated[
        str | None, typer.Option(metavar="N", help="Split points of each table; N of them make N + 1 regions.")
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """HBase-shell statements that create the tables, split where the layout of the keys tells."""
    _design, (variant, *_others) = chosen(name, DESIGNS)
    count = None if splits is None else number("--splits", splits, MAX_BUCKETS - 1)
    show.statements(show.console(plain or context.obj), variant.tables, count, as_json=as_json)


@app.command()
def serve(
    context: typer.Context,
    store: Annotated[str, typer.Option(metavar="URL", help="embedded:FILE, in place of memory.")] = MEMORY,
    host: Annotated[str, typer.Option(metavar="H", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[str, typer.Option(metavar="P", help="0 takes a free one.")] = "9090",
    transport: Annotated[Literal["buffered", "framed"], typer.Option(help="As HBase's gateway.")] = "buffered",
    protocol: Annotated[Literal["binary", "compact"], typer.Option(help="As HBase's gateway.")] = "binary",
    buffer_mib: Annotated[
        str, typer.Option(metavar="MIB", help="Memory for unanswered messages and unread replies, of all clients.")
    ] = str(MAX_BUFFERED_BYTES // 1024**2),
    known_to_be_open: Annotated[
        bool, typer.Option("--i-know-it-is-open", help="Listen where others can reach it, without access control.")
    ] = False,
    plain: Plain = False,
) -> None:
    """A store as a Thrift1 server, until Ctrl-C; happybase and other clients find HBase's behaviour there."""
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
    """What a variant is called by; the design's own bears the name of the design."""
    return design.name if variant is design.main else f"{design.name}:{variant.name}"


def _answering(design: Design, refusing: Variant, pattern: AccessPattern, given: dict[str, Any]) -> list[str]:
    """The variants that answer a question, seen by asking each in an empty store.

    None, where the one that refuses it answers there too: then it has too many rows, and others may have.
    """
    answering: list[str] = []
    for variant in design.variants:
        with _open(MEMORY) as connection, suppress(InvalidQuestion):
            create_tables(connection, variant.tables)
            pattern.ask(variant.open(connection), **given)
            answering.append(_name(design, variant))
    return [] if _name(design, refusing) in answering else answering


@contextmanager
def _open(url: str, prefix: str | None = None) -> Generator[happybase.Connection]:
    try:
        connection = connect(url, table_prefix=prefix)
    except Unreachable as error:  # which says where
        raise Failed(f"{show.reason(error)}; is a Thrift gateway running there?") from None
    except (TException, OSError) as error:
        advice = "; is a Thrift gateway running there?" if url.startswith("hbase:") else ""
        raise Failed(f"{url}: {show.reason(error)}{advice}") from None
    with closing(connection):
        try:
            yield connection
        except (TException, OSError) as error:
            raise Failed(f"the store failed: {show.reason(error)}") from error


@contextmanager
def _demo_tables(url: str, variant: Variant, keep: bool) -> Generator[happybase.Connection]:
    """The tables of a variant under a prefix of our own, which are dropped in the end; in memory there is no need."""
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
                # Anew, since an error or Ctrl-C may have left the other connection within an answer.
                with _open(url, DEMO_PREFIX) as fresh:
                    drop_tables(fresh, variant.tables)


@contextmanager
def _asked_store(url: str | None, design: Design, variant: Variant) -> Generator[happybase.Connection]:
    """The store to ask, with all tables of the variant; without a URL the samples in memory."""
    if url is None:
        with _open(MEMORY) as connection:
            create_tables(connection, variant.tables)
            load_samples(connection, design, variant)
            yield connection
        return
    path = url.removeprefix("embedded:")
    if path not in ("", url) and not os.path.exists(path):
        raise Failed(f"{path}: no such store; rowbook load makes one")
    with _open(url) as connection:
        there = connection.tables()
        missing = [table.name for table in variant.tables if table.name.encode() not in there]
        if missing:
            load = f"rowbook load {_name(design, variant)} FILE --store {shlex.quote(url)}"
            raise Failed(f"{url}: has no table {', '.join(missing)}; make what is missing with {load}")
        yield connection


def _page_options(pattern: AccessPattern, limit: str | None, cursor: str | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if (limit is not None or cursor is not None) and pattern.answer != "page":
        answer = {"first": "one record", "count": "a number"}.get(pattern.answer, "one value")
        raise WrongUsage(f"{pattern.name}: answers with {answer}, without --limit and --cursor")
    if limit is not None:
        options["limit"] = number("--limit", limit, MAX_LIMIT)
    if cursor is not None:
        options["cursor"] = cursor
    return options


@attrs.define
class _Source:
    """A file that is being loaded."""

    file: str
    lines: Lines[Any]
    stored: int = 0
    skipped: int = 0


def _store_lines(errors: Console, load: Load, repository: Any, source: _Source, stops: bool) -> None:
    """Stores the records of a file; bad lines are skipped, or end it."""
    transform = load.new_record_transform()
    with closing(show.progress(errors, source.file, source.lines)) as lines:
        for line in lines:
            place = f"{source.file}:{line.number}"
            reason = line.reason or _store(load, repository, transform(line.record), place)
            if not reason:
                source.stored += 1
            elif stops:
                raise Failed(f"{place}: {reason}{line.span}; --on-error skip goes on")
            else:
                source.skipped += line.count
                show.line(errors, f"{place}: {reason}{line.span}")


def _store(load: Load, repository: Any, record: Any, place: str) -> str:
    """Stores one record; returns why it cannot be stored, or empty text."""
    try:
        load.store_in(repository, record)
    except ValueError as error:  # InvalidKey, InvalidRecord, or the domain's own conflict with what is stored
        return message_of(error)
    except (TException, OSError) as error:
        raise Failed(f"{place}: the store failed: {show.reason(error)}") from error
    return ""


def _stored(sources: list[_Source]) -> str:
    return f"{show.count(sum(source.stored for source in sources), 'record')} stored"


if __name__ == "__main__":
    main()
