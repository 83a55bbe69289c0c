"""The commands that show designs, ask questions, judge designs and load records, with their arguments and options.

The module that does the work is imported when the command runs.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Annotated

import typer

from ..named.options import (
    COMPARED,
    FLUSH_SIZE,
    MAX_FILESIZE,
    MEMORY,
    URL,
    AllowExpired,
    As,
    At,
    Chapter,
    Correct,
    Decimal,
    Default,
    Delimiter,
    Describe,
    Encoding,
    Files,
    FlushSize,
    Form,
    Format,
    Json,
    Keep,
    Key,
    Layout,
    Map,
    MaxFilesize,
    Name,
    NoneText,
    OnError,
    Pattern,
    Pictures,
    Plain,
    RecordsADay,
    Restore,
    Round,
    Scale,
    Servers,
    Set,
    Skip,
    Tag,
    TimeFormat,
    Unit,
    With,
    Year,
    Zone,
    complete_fields,
    complete_name,
    complete_question,
)


def list_(context: typer.Context, as_json: Json = False, plain: Plain = False) -> None:
    """List designs and variants, with the keys of their tables."""
    from ..named.listing import list_designs
    from ..screen.terminal import consoles

    list_designs(*consoles(plain or context.obj), as_json=as_json)


def demo(context: typer.Context, plain: Plain = False) -> None:
    """Show in one screen what row keys decide."""
    from ..named.suite import suite
    from ..screen.progress import doing
    from ..screen.terminal import consoles, raw

    out, errors = consoles(plain or context.obj)
    with doing(errors, "measuring"), out.capture() as screen:
        suite().demo(out)
    raw(out, screen.get())


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
        bool, typer.Option("--all", help="Show all of it: rows, ranges, commands, refusals, mistakes, words.")
    ] = False,
    files: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Your own records in place of the samples, as for load; the options below are for them. Repeatable.",
        ),
    ] = None,
    as_: As = None,
    describe: Describe = None,
    format: Format = None,
    map_: Map = None,
    set_: Set = None,
    tag: Tag = None,
    unit: Unit = None,
    time_format: TimeFormat = None,
    year: Year = None,
    at: At = None,
    on_error: OnError = "stop",
    limit: Annotated[
        str, typer.Option(metavar="N", help=f"Maximum records; {COMPARED} if omitted, from the start of the files.")
    ] = COMPARED,
    with_: With = None,
    pictures: Pictures = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Ask every question of the samples or your files, in memory.

    A line for each design; of one that is named, a screen with what each question costs in each variant.
    """
    from ..named.designs import reasons_to_leave_out
    from ..screen.terminal import consoles, line

    out, errors = consoles(plain or context.obj)
    of_samples: dict[str, object] = {"--store": store != MEMORY, "--keep": keep, "--all": full}
    of_records: dict[str, object] = {"--as": as_, "--describe": describe, "--format": format}
    of_records |= {"--map": map_, "--set": set_, "--tag": tag}
    of_records |= {"--unit": unit, "--time-format": time_format, "--year": year, "--at": at, "--with": with_}
    of_records |= {"--on-error": on_error != "stop", "--limit": limit != COMPARED, "--pictures": pictures}
    _check_options_of_run(names or [], files or [], of_samples, of_records)
    if files:
        from ..files.describing import Reading
        from ..measured.comparing import compare

        of_fields = {"column": map_, "value": set_, "unit": unit, "format": time_format}
        reading = Reading.of(describe, of_fields, tag or [], {"format": format, "year": year, "at": at})
        stops = on_error == "stop"
        (name,) = names or []
        compare(out, errors, name, files, as_, reading, limit, with_ or [], pictures, stops=stops, as_json=as_json)
        return
    from ..measured import running

    for why in () if names else reasons_to_leave_out():
        line(errors, f"left out: {why}")
    running.run(out, errors, names or [], store, keep=keep, full=full, as_json=as_json)


def _check_options_of_run(
    names: Sequence[str], files: Sequence[str], of_samples: Mapping[str, object], of_records: Mapping[str, object]
) -> None:
    """Raises WrongUsage for options that do nothing with the samples, or nothing with files."""
    from ..screen.wrong_usage import WrongUsage

    for option, value in (of_samples if files else of_records).items():
        if value:
            reason = "must be without --file, whose records are measured in memory" if files else "needs --file FILE"
            raise WrongUsage(f"{option}: {reason}")
    if files and len(names) != 1:
        raise WrongUsage(f"run --file: must have one NAME (got {len(names)})")


def load_(
    context: typer.Context,
    name: Name,
    files: Files,
    store: Annotated[str | None, typer.Option(metavar="URL", help=f"{URL}.")] = None,
    as_: As = None,
    describe: Describe = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Write the description, options included, to a new file.")
    ] = None,
    checks: Annotated[
        bool,
        typer.Option("--check", help="Store nothing; count what would be refused, each reason with an example."),
    ] = False,
    format: Format = None,
    map_: Map = None,
    set_: Set = None,
    default: Default = None,
    scale: Scale = None,
    tag: Tag = None,
    unit: Unit = None,
    time_format: TimeFormat = None,
    zone: Zone = None,
    round_: Round = None,
    year: Year = None,
    at: At = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    none: NoneText = None,
    skip: Skip = None,
    encoding: Encoding = None,
    pattern: Pattern = None,
    layout: Layout = None,
    correct: Correct = False,
    restore: Restore = False,
    allow_expired: AllowExpired = False,
    on_error: OnError = "stop",
    jobs: Annotated[
        str, typer.Option(metavar="N", help="Load up to N files at once, in processes, into hbase://.")
    ] = "1",
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Store records from files.

    Loading the same records again changes nothing.
    """
    from ..files.describing import Reading
    from ..files.load_command import MAX_JOBS, Task, load
    from ..named.typed_values import number
    from ..screen.terminal import consoles
    from ..screen.wrong_usage import WrongUsage

    out, errors = consoles(plain or context.obj)
    of_fields = {"column": map_, "value": set_, "default": default, "scale": scale}
    of_fields |= {"unit": unit, "format": time_format}
    of_files: dict[str, object] = {
        "format": format,
        "delimiter": delimiter,
        "decimal": decimal,
        "skip": skip,
        "encoding": encoding,
    }
    of_files |= {"pattern": pattern, "layout": layout, "none": None if none is None else tuple(none)}
    of_files |= {"zone": zone, "round": round_, "year": year, "at": at}
    reading = Reading.of(describe, of_fields, tag or [], of_files)
    if (store is None) != checks:
        raise WrongUsage(
            "--store: must be without --check"
            if checks
            else f"Missing option '--store': {URL}; see rowbook load --help"
        )
    task = Task(name, files, store or "", as_, reading, on_error == "stop", correct, allow_expired, restore, checks)
    processes = number("--jobs", jobs, MAX_JOBS)
    with nullcontext() if save is None else reading.saved(save):
        code = load(out, errors, task, jobs=processes, as_json=as_json)
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
            metavar="FIELD=VALUE",
            autocompletion=complete_fields,
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
        typer.Argument(
            metavar="FIELD=VALUE",
            autocompletion=complete_fields,
            help="The parts of a key, or the fields of a whole record.",
        ),
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
    everything: Annotated[bool, typer.Option("--all", help="Show the tables of all variants, too.")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show the parts of a row key, and what a cell holds.

    The likeliest table comes first. NAME:VARIANT shows the tables of a variant.
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
        everything=everything,
        as_json=as_json,
    )
    raise typer.Exit(code)


def lint(context: typer.Context, name: Name, as_json: Json = False, plain: Plain = False) -> None:
    """Find hidden costs and data-loss risks, with a fix for each.

    Exit code 1 if there are any. The rules look at keys, families, the samples and the questions. A design may accept a
    finding, with a reason.
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
    """Print HBase-shell statements that create the tables.

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


def review(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A design (logs) or a variant (logs:salted).", autocompletion=complete_name
        ),
    ] = None,
    only: Annotated[Chapter | None, typer.Option(help="Show this chapter whole.")] = None,
    records_a_day: RecordsADay = None,
    keep: Keep = None,
    servers: Servers = None,
    flush_size: FlushSize = FLUSH_SIZE,
    max_filesize: MaxFilesize = MAX_FILESIZE,
    keys: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="In place of NAME: your own row keys, one a line, as they are written; shows their heat. - is stdin.",
        ),
    ] = None,
    form: Form = None,
    rows: Annotated[str | None, typer.Option(metavar="N", hidden=True)] = None,
    splits: Annotated[str | None, typer.Option(metavar="N", hidden=True)] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Judge a design: findings, hot spots, regions, sizes.

    The verdict comes first. Then lint looks for hidden costs, heat shows where new rows land, simulate how tables split
    under the load, and size what it needs on disk and of the servers. Nothing is stored. Exit code 1 if lint finds
    something that the design does not accept.
    """
    from ..screen.terminal import consoles
    from ..screen.wrong_usage import WrongUsage

    if (name is None) == (keys is None):
        raise WrongUsage("review: give one of these: a design (NAME), or a file of row keys (--keys FILE)")
    out, errors = consoles(plain or context.obj)
    if keys is not None:
        from ..measured.heat_maps import show_keys

        if only not in (None, "heat") or (records_a_day, keep, servers, rows) != (None, None, None, None):
            raise WrongUsage("--keys: shows the heat of the keys alone, so leave out --only and the load")
        show_keys(out, keys, form, splits, as_json=as_json)
        return
    if form is not None or splits is not None:
        raise WrongUsage(f"{'--splits' if form is None else '--form'}: needs --keys FILE")
    from ..measured.expected_load import expected_load
    from ..measured.reviewing import review as review_design

    load = expected_load(records_a_day, keep, servers, flush_size, max_filesize)
    raise typer.Exit(review_design(out, errors, name or "", load, only=only, rows=rows, as_json=as_json))
