"""The commands that show designs, load records and ask questions, with their arguments and options.

The module that does the work is imported when the command runs.
"""

from typing import Annotated

import typer

from ..named.options import (
    FLUSH_SIZE,
    HEAT_SPLITS,
    KEEP,
    MAX_FILESIZE,
    MEMORY,
    SERVERS,
    SIMULATED_ROWS,
    URL,
    AllowExpired,
    As,
    At,
    Correct,
    Files,
    FlushSize,
    Form,
    Format,
    Json,
    Key,
    Map,
    MaxFilesize,
    Name,
    OnError,
    Plain,
    Servers,
    Set,
    Tag,
    TimeFormat,
    Unit,
    Year,
    complete_name,
    complete_question,
)


def list_(context: typer.Context, as_json: Json = False, plain: Plain = False) -> None:
    """List all designs and variants, with the keys of their tables."""
    from ..named.listing import list_designs
    from ..screen.terminal import consoles

    list_designs(*consoles(plain or context.obj), as_json=as_json)


def demo(context: typer.Context, plain: Plain = False) -> None:
    """Show in one screen what row keys decide: costs, hot spots, bytes, a published mistake, a crash."""
    from ..named.suite import suite
    from ..screen.terminal import console

    suite().demo(console(plain or context.obj))


def run(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Designs or variants; all designs if omitted.", autocompletion=complete_name
        ),
    ] = None,
    store: Annotated[str, typer.Option(metavar="URL", help=f"{URL}, instead of memory.")] = MEMORY,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the tables in the store.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Also show rows, ranges, commands, refusals and published mistakes.")
    ] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Load the samples, ask every question, and show what it costs: a line per design, or two screens for one."""
    from ..measured import running
    from ..named.designs import reasons_to_leave_out
    from ..screen.terminal import consoles, line

    out, errors = consoles(plain or context.obj)
    for why in () if names else reasons_to_leave_out():
        line(errors, f"left out: {why}")
    running.run(out, errors, names or [], store, keep=keep, full=full, as_json=as_json)


def load_(
    context: typer.Context,
    name: Name,
    files: Files,
    store: Annotated[
        str,
        typer.Option(metavar="URL", help=f"{URL}; {MEMORY} (memory) checks the files and keeps nothing."),
    ],
    as_: As = None,
    format: Format = "auto",
    map_: Map = None,
    set_: Set = None,
    tag: Tag = None,
    unit: Unit = None,
    time_format: TimeFormat = None,
    year: Year = None,
    at: At = None,
    correct: Correct = False,
    allow_expired: AllowExpired = False,
    on_error: OnError = "stop",
    jobs: Annotated[
        str, typer.Option(metavar="N", help="Load up to N files at once, in processes, into hbase://.")
    ] = "1",
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Store records from files. Loading the same records again changes nothing."""
    from ..files.load_command import MAX_JOBS, Reading, Task, load
    from ..named.typed_values import number
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    reading = Reading(format, map_ or [], unit or [], time_format or [], year, at, set_ or [], tag or [])
    task = Task(name, files, store, as_, reading, on_error == "stop", correct, allow_expired)
    code = load(out, errors, task, jobs=number("--jobs", jobs, MAX_JOBS), as_json=as_json)
    raise typer.Exit(code)


def ask(
    context: typer.Context,
    name: Name,
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION",
            help="A question of the design; lists them if omitted.",
            autocompletion=complete_question,
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="field=value",
            help="Values of the question; times (since_ms=) as 2026-01-12T08:00Z, 1h-ago or milliseconds since 1970.",
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(metavar="URL", help=f"{URL}; the samples in memory if omitted.")] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="Maximum records per page.")] = None,
    cursor: Annotated[
        str | None, typer.Option(metavar="C", help="Continue from this cursor, which the previous page printed.")
    ] = None,
    explains: Annotated[
        bool, typer.Option("--explain", help="Show what the question would read, and read nothing.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Draw the numbers by time as SVG instead; needs the extra rowbook[pictures]."
        ),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Ask one question with your own values."""
    from ..screen.terminal import consoles
    from ..stored_records import asking

    out, errors = consoles(plain or context.obj)
    asking.ask(
        out,
        errors,
        name,
        question,
        fields or [],
        store=store,
        limit=limit,
        cursor=cursor,
        explains=explains,
        plot=plot,
        as_json=as_json,
    )


def explain(
    context: typer.Context,
    name: Name,
    fields: Annotated[
        list[str] | None,
        typer.Argument(metavar="field=value", help="The parts of a key, or the fields of a whole record."),
    ] = None,
    key: Key = None,
    keys: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Many row keys, one a line, a line of output for each. - is stdin."),
    ] = None,
    form: Form = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="[FAMILY:]QUALIFIER", help="Column of a cell of that row; needs --value."),
    ] = None,
    value: Annotated[str | None, typer.Option(metavar="VALUE", help="Value of that cell; needs --column.")] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help=f"{URL}, to show the region of the row, and names for numbers in a key, such as UIDs of tsdb.",
        ),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show the bytes of a row key below its parts and their values, and the contents of a cell.

    A design shows its key in every variant, the likeliest table first.
    """
    from ..rows import explaining
    from ..screen.terminal import console

    code = explaining.explain(
        console(plain or context.obj),
        name,
        fields or [],
        key=key,
        keys_file=keys,
        form=form,
        column=column,
        value=value,
        store=store,
        as_json=as_json,
    )
    raise typer.Exit(code)


def lint(context: typer.Context, name: Name, as_json: Json = False, plain: Plain = False) -> None:
    """Find what a design's tables cost more than it seems, or lose, and say what to do. Exit code 1 if there is any.

    The rules look at keys, families, the samples and the questions. A design may accept a finding, with a reason.
    """
    from ..measured import linting
    from ..screen.terminal import consoles

    raise typer.Exit(linting.lint(*consoles(plain or context.obj), name, as_json=as_json))


def ddl(
    context: typer.Context,
    name: Name,
    splits: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Number of split points of each table whose key gives any; N make N + 1 regions."
        ),
    ] = None,
    table_prefix: Annotated[
        str | None,
        typer.Option(
            metavar="P", help="As in the store's URL: p makes p_orders, and shop: the namespace of shop:orders."
        ),
    ] = None,
    grants: Annotated[
        str | None,
        typer.Option(metavar="USER", help="Print instead the least rights of a user, such as a gateway's, as grants."),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Print HBase-shell statements that create the tables, pre-split.

    The split points are those of the key layout; a table without them has one region.
    """
    from ..operations import ddl_statements
    from ..screen.terminal import console
    from ..screen.wrong_usage import WrongUsage

    to = console(plain or context.obj)
    if grants is not None:
        if splits is not None or as_json:
            raise WrongUsage("--grants: must be without --splits and --json, because it prints no table")
        ddl_statements.show_grants(to, name, grants, table_prefix)
    else:
        ddl_statements.show_statements(to, name, splits, table_prefix, as_json=as_json)


def heat(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A design (logs), measured on records like its samples, or a variant (logs:salted).",
            autocompletion=complete_name,
        ),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your own row keys instead, one a line in the order of writing; other bytes as \\xNN. - is stdin.",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="N", help="Measure now, so many rows of the design; the recorded ones if omitted."),
    ] = None,
    splits: Annotated[
        str | None,
        typer.Option(
            metavar="N", help=f"Number of split points for --keys; N make N + 1 ranges; {HEAT_SPLITS} if omitted."
        ),
    ] = None,
    is_hex: Annotated[bool, typer.Option("--hex", help="The keys of --keys are in hex.")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show where new rows land: key ranges against time, and whether one of them is a hot spot."""
    from ..measured import heat_maps
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    heat_maps.show(out, errors, name, keys=keys, rows=rows, splits=splits, is_hex=is_hex, as_json=as_json)


def simulate(
    context: typer.Context,
    name: Name,
    rows: Annotated[
        str, typer.Option(metavar="N", help="Rows that the design writes to all tables: 1000000000, or 1e9.")
    ] = SIMULATED_ROWS,
    servers: Servers = SERVERS,
    flush_size: FlushSize = FLUSH_SIZE,
    max_filesize: MaxFilesize = MAX_FILESIZE,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show how tables split under a large load, which servers take the writes, and what questions then read.

    Nothing is stored: a sample of 10,000 records tells where the rows go.
    """
    from ..measured import simulating
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    simulating.show(out, errors, name, rows, servers, flush_size, max_filesize, as_json=as_json)


def size(
    context: typer.Context,
    name: Name,
    records_a_day: Annotated[str, typer.Option(metavar="N", help="Records that are stored in a day.")],
    keep: Annotated[str, typer.Option(metavar="LENGTH", help="How long each record is kept.")] = KEEP,
    servers: Servers = SERVERS,
    flush_size: FlushSize = FLUSH_SIZE,
    max_filesize: MaxFilesize = MAX_FILESIZE,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show what a design needs: bytes on disk in three encodings, regions, RPCs, and bytes written by compactions."""
    from ..measured import sizes
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    sizes.show(out, errors, name, records_a_day, keep, servers, flush_size, max_filesize, as_json=as_json)
