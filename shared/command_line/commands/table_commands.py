"""The commands that show records of live tables, and those that compare variants with one's own records.

The module that does the work is imported when the command runs.
"""

from typing import Annotated, Any

import typer

from ..named.options import (
    ALL,
    COMPARED,
    COUNT_LIMIT,
    SCAN_LIMIT,
    As,
    At,
    Existing,
    Files,
    Form,
    Format,
    Json,
    Key,
    Map,
    Name,
    OnError,
    Plain,
    Set,
    Tag,
    TimeFormat,
    Unit,
    Year,
)

Table = Annotated[
    str | None,
    typer.Argument(metavar="TABLE", help="A table of the design; the only one if omitted, and an error names several."),
]
Conditions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="field=value",
        help="Values that records must have; since= and until= for the time in the row key.",
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV that rowbook load reads; bytes in hex.")]
Parquet = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a Parquet file; needs the extra rowbook[parquet].")
]


def _limit(default: str) -> Any:
    return typer.Option(metavar="N", help=f"Maximum records, or {ALL}; {default} if omitted.")


def scan(
    context: typer.Context,
    name: Name,
    store: Existing,
    table: Table = None,
    fields: Conditions = None,
    limit: Annotated[str, _limit(SCAN_LIMIT)] = SCAN_LIMIT,
    as_csv: Csv = False,
    parquet: Parquet = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show the rows of a live table as records, and change nothing.

    Conditions on the first parts of the row key choose what is read; others leave out records that were read.
    """
    from ..screen.terminal import consoles
    from ..stored_records import live_tables
    from ..stored_records.record_output import RecordOutput

    out, errors = consoles(plain or context.obj)
    output = RecordOutput(out, errors, as_json, as_csv, parquet)
    live_tables.scan(output, errors, name, table, fields or [], store, limit)


def get(
    context: typer.Context,
    name: Name,
    store: Existing,
    table: Table = None,
    fields: Annotated[list[str] | None, typer.Argument(metavar="field=value", help="The parts of the row key.")] = None,
    key: Key = None,
    form: Form = None,
    limit: Annotated[str, _limit(SCAN_LIMIT)] = SCAN_LIMIT,
    as_csv: Csv = False,
    parquet: Parquet = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show one row of a live table: its key, and the records in it."""
    from ..screen.terminal import consoles
    from ..stored_records import live_tables
    from ..stored_records.record_output import RecordOutput

    out, errors = consoles(plain or context.obj)
    output = RecordOutput(out, errors, as_json, as_csv, parquet)
    live_tables.get(output, errors, name, table, fields or [], store, limit, key, form)


def count(
    context: typer.Context,
    name: Name,
    store: Existing,
    table: Table = None,
    fields: Conditions = None,
    limit: Annotated[str, _limit(COUNT_LIMIT)] = COUNT_LIMIT,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Count the records of a live table, and the rows that cannot be read as records."""
    from ..screen.terminal import consoles
    from ..stored_records import live_tables

    out, errors = consoles(plain or context.obj)
    live_tables.count_records(out, errors, name, table, fields or [], store, limit, as_json=as_json)


def export(
    context: typer.Context,
    name: Name,
    store: Existing,
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="field=value", help="What to export; all records if omitted. For tsdb: m=, since=, until=."
        ),
    ] = None,
    as_: As = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="F", help="csv, jsonl, or the design's own format, which is the default; opentsdb for tsdb."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write to this file, not to stdout; compressed if its name ends in .gz."),
    ] = None,
    plain: Plain = False,
) -> None:
    """Print stored records as lines that rowbook load reads. Exit code 1 if rows cannot be read and are left out."""
    from ..screen.terminal import consoles
    from ..stored_records import exporting

    out, errors = consoles(plain or context.obj)
    raise typer.Exit(exporting.export(out, errors, name, fields or [], store, as_, format, to))


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
    limit: Annotated[
        str, typer.Option(metavar="N", help=f"Maximum records; {COMPARED} if omitted, from the start of the files.")
    ] = COMPARED,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="field=value", help="A value for questions, instead of a frequent one."),
    ] = None,
    pictures: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Draw pictures there as SVG; needs the extra rowbook[pictures]."),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Store your own records in memory, in every variant, and show what they cost: questions, bytes, hot spots."""
    from ..files.load_command import Reading
    from ..measured.comparing import compare as compare_variants
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    reading = Reading(format, map_ or [], unit or [], time_format or [], year, at, set_ or [], tag or [])
    compare_variants(
        out,
        errors,
        name,
        files,
        as_,
        reading,
        limit,
        with_ or [],
        pictures,
        stops=on_error == "stop",
        as_json=as_json,
    )
