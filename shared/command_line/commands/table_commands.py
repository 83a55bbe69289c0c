"""The commands that show records of live tables, with their arguments and options.

The module that does the work is imported when the command runs.
"""

from typing import Annotated, Any

import typer

from ..named.options import (
    ALL,
    COUNT_LIMIT,
    SCAN_LIMIT,
    As,
    Existing,
    ExportFormat,
    Form,
    Json,
    Key,
    Name,
    Plain,
    To,
    complete_fields,
    complete_table,
)

Table = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE",
        autocompletion=complete_table,
        help="A table of the design; the only one if omitted, and an error names several.",
    ),
]
Conditions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FIELD=VALUE",
        autocompletion=complete_fields,
        help="Values that records must have; since_ms= and until_ms= for the time in the row key.",
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV; bytes in hex.")]
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
    limit: Annotated[
        str | None,
        typer.Option(metavar="N", help=f"Maximum records, or {ALL}; if omitted {SCAN_LIMIT}, with --lines {ALL}."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Print whole records, as lines that rowbook load reads.")
    ] = False,
    as_: As = None,
    format: ExportFormat = None,
    to: To = None,
    as_csv: Csv = False,
    parquet: Parquet = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show the records of a table in a store.

    Conditions on the first parts of the row key choose what is read; others leave out records that were read.
    --lines prints the records of a load, the first one or --as LOAD, in the order that load needs: those in TABLE
    or, if omitted, in the first table that holds them whole. tsdb puts them together from all tables; its
    conditions are m=, since= and until=. Exit code 1 if rows cannot be read, and are left out of the lines.
    """
    from ..screen.terminal import consoles
    from ..screen.wrong_usage import WrongUsage
    from ..stored_records.record_output import RecordOutput

    out, errors = consoles(plain or context.obj)
    output = RecordOutput(out, errors, as_json, as_csv, parquet)
    of_lines = {"--as": as_, "--format": format, "--to": to}
    if not lines:
        from ..stored_records import live_tables

        if given := [option for option, value in of_lines.items() if value is not None]:
            raise WrongUsage(f"{given[0]}: needs --lines")
        live_tables.scan(output, errors, name, table, fields or [], store, limit or SCAN_LIMIT)
        if as_csv or parquet is not None:
            from ..stored_records.exporting import say_how_to_load

            say_how_to_load(errors, name, table)
        return
    if as_json or as_csv or parquet is not None:
        raise WrongUsage("--lines: must be without --json, --csv and --parquet")
    from ..stored_records.exporting import write_lines

    words = fields or []
    raise typer.Exit(write_lines(out, errors, name, table, words, store, as_, format, to, limit or ALL))


def get(
    context: typer.Context,
    name: Name,
    store: Existing,
    table: Table = None,
    fields: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE", autocompletion=complete_fields, help="The parts of the row key."),
    ] = None,
    key: Key = None,
    form: Form = None,
    limit: Annotated[str, _limit(SCAN_LIMIT)] = SCAN_LIMIT,
    as_csv: Csv = False,
    parquet: Parquet = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Show one row of a table: its key, and its records."""
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
    """Count the records of a table.

    Rows that cannot be read as records are counted, too.
    """
    from ..screen.terminal import consoles
    from ..stored_records import live_tables

    out, errors = consoles(plain or context.obj)
    live_tables.count_records(out, errors, name, table, fields or [], store, limit, as_json=as_json)
