"""Old names of commands: each does what its new name does, then names that in one line on stderr. Help omits them."""

import shlex
from typing import Annotated

import typer

from ..named.options import (
    COMPARED,
    FLUSH_SIZE,
    MAX_FILESIZE,
    As,
    At,
    Existing,
    ExportFormat,
    Files,
    FlushSize,
    Format,
    Json,
    Keep,
    Map,
    MaxFilesize,
    Name,
    OnError,
    Pictures,
    Plain,
    Servers,
    Set,
    Tag,
    TimeFormat,
    To,
    Unit,
    With,
    Year,
    complete_name,
)

FEWEST_ROWS, MOST_ROWS, MOST_LOAD = 1_000, 1_000_000, 10**12
MOST_SPLITS = 47
"""So that a line for each range fits on a screen of 60 lines."""


def heat(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", autocompletion=complete_name)] = None,
    keys: Annotated[str | None, typer.Option(metavar="FILE")] = None,
    rows: Annotated[str | None, typer.Option(metavar="N")] = None,
    splits: Annotated[str | None, typer.Option(metavar="N")] = None,
    is_hex: Annotated[bool, typer.Option("--hex")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Now a chapter of `review`."""
    from ..measured.heat_maps import HEAT_SPLITS, show_keys
    from ..named.typed_values import number
    from ..screen.terminal import consoles
    from ..screen.wrong_usage import WrongUsage

    if (name is None) == (keys is None):
        raise WrongUsage("heat: give a design (NAME), or a file of row keys (--keys FILE)")
    out, errors = consoles(plain or context.obj)
    if keys is not None:
        if rows is not None:
            raise WrongUsage("--rows: needs a design (NAME); --keys takes all lines of the file")
        points = HEAT_SPLITS if splits is None else number("--splits", splits, MOST_SPLITS)
        show_keys(out, keys, "hex" if is_hex else "shell", points, as_json=as_json)
        _say_new_name(context, "review --keys FILE")
    else:
        if splits is not None or is_hex:
            raise WrongUsage(f"{'--hex' if splits is None else '--splits'}: needs --keys FILE")
        from ..measured.expected_load import expected_load
        from ..measured.reviewing import review

        count = None if rows is None else number("--rows", rows, MOST_ROWS, FEWEST_ROWS)
        load = expected_load(None, None, None)
        review(out, errors, name or "", load, only="heat", rows=count, as_json=as_json)
        _say_new_name(context, f"review {name} --only heat")


def simulate(
    context: typer.Context,
    name: Name,
    rows: Annotated[str, typer.Option(metavar="N")] = "1e9",
    servers: Servers = None,
    flush_size: FlushSize = FLUSH_SIZE,
    max_filesize: MaxFilesize = MAX_FILESIZE,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Now a chapter of `review`, which takes the records of a day in place of all rows."""
    from ..measured.expected_load import expected_load, large_number
    from ..measured.reviewing import review
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    count = large_number("--rows", rows, MOST_LOAD, FEWEST_ROWS)
    load = expected_load(None, None, servers, flush_size, max_filesize)
    review(out, errors, name, load, only="simulate", rows=count, as_json=as_json)
    _say_new_name(context, f"review {name} --only simulate --records-a-day N --keep LENGTH")


def size(
    context: typer.Context,
    name: Name,
    records_a_day: Annotated[str, typer.Option(metavar="N")],
    keep: Keep = "90d",
    servers: Servers = None,
    flush_size: FlushSize = FLUSH_SIZE,
    max_filesize: MaxFilesize = MAX_FILESIZE,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Now a chapter of `review`."""
    from ..measured.expected_load import expected_load
    from ..measured.reviewing import review
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    load = expected_load(records_a_day, keep, servers, flush_size, max_filesize)
    review(out, errors, name, load, only="size", as_json=as_json)
    _say_new_name(context, f"review {name} --only size --records-a-day {records_a_day} --keep {keep}")


def compare(
    context: typer.Context,
    name: Name,
    files: Files,
    as_: As = None,
    format: Format = "auto",
    map_: Map = None,
    set_: Set = None,
    tag: Tag = None,
    unit: Unit = None,
    time_format: TimeFormat = None,
    year: Year = None,
    at: At = None,
    on_error: OnError = "stop",
    limit: Annotated[str, typer.Option(metavar="N")] = COMPARED,
    with_: With = None,
    pictures: Pictures = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Now `run NAME --file FILE`."""
    from .design_commands import run

    run(
        context,
        [name],
        files=files,
        as_=as_,
        format=format,
        map_=map_,
        set_=set_,
        tag=tag,
        unit=unit,
        time_format=time_format,
        year=year,
        at=at,
        on_error=on_error,
        limit=limit,
        with_=with_,
        pictures=pictures,
        as_json=as_json,
        plain=plain,
    )
    _say_new_name(context, f"run {name} {shlex.join(word for file in files for word in ('--file', file))}")


def export(
    context: typer.Context,
    name: Name,
    store: Existing,
    fields: Annotated[list[str] | None, typer.Argument(metavar="FIELD=VALUE")] = None,
    as_: As = None,
    format: ExportFormat = None,
    to: To = None,
    plain: Plain = False,
) -> None:
    """Now `scan NAME --lines`."""
    from .table_commands import scan

    try:
        scan(context, name, store, None, fields, lines=True, as_=as_, format=format, to=to, plain=plain)
    except typer.Exit:
        _say_new_name(context, f"scan {name} --lines")
        raise


def _say_new_name(context: typer.Context, words: str) -> None:
    """Names the command in place of this one; only after success, because a failure is one line, too."""
    from ..screen.terminal import console, line

    line(console(stderr=True), f"rowbook {context.info_name} is now: rowbook {words}")
