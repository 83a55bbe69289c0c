"""The commands for the upkeep of a store, and to serve one, with their arguments and options.

The module that does the work is imported when the command runs.
"""

from typing import Annotated, Literal

import typer

from ..named.options import (
    BUFFER_MIB,
    MEMORY,
    ORPHANED,
    UNDECODABLE,
    URL,
    Existing,
    Json,
    Name,
    Plain,
    complete_action,
    complete_fields,
)

MAX_ROWS_PER_S = 1_000_000
"""The largest `--rate`."""
MAX_AGE_S = 10 * 365 * 24 * 60 * 60
"""The largest `--older-than`, in seconds."""


def recover(
    context: typer.Context,
    name: Name,
    store: Existing,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="SECONDS", help="Settle writes pending at least this long; 600 if omitted, 0 for all."),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(metavar="LENGTH", help="Run until Ctrl-C or SIGTERM, and recover every 5m, for example."),
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Finish writes interrupted by a crash."""
    from ..named.stores import open_upkeep
    from ..named.typed_values import number
    from ..operations import recover_every as recovering
    from ..operations import upkeep
    from ..screen.terminal import consoles

    upkeep.check_upkeep(name)
    older_than_ms = None if older_than is None else 1000 * number("--older-than", older_than, MAX_AGE_S, 0)
    out, errors = consoles(plain or context.obj)
    if every is not None:
        pause_ms = recovering.pause_ms(every)
        raise typer.Exit(recovering.recover_every(out, errors, name, store, older_than_ms, pause_ms, as_json=as_json))
    with open_upkeep(name, store) as of_store:
        code = upkeep.recover(out, name, of_store, older_than_ms, as_json=as_json)
    raise typer.Exit(code)


def verify(context: typer.Context, name: Name, store: Existing, as_json: Json = False, plain: Plain = False) -> None:
    """Find rows that disagree with others, or cannot be read.

    Exit code 1 if there are any.
    """
    from ..named.stores import open_upkeep
    from ..operations import upkeep
    from ..screen.terminal import consoles

    upkeep.check_upkeep(name)
    out, errors = consoles(plain or context.obj)
    with open_upkeep(name, store, writes=False) as of_store:
        code = upkeep.verify(out, errors, name, of_store, as_json=as_json)
    raise typer.Exit(code)


def repair(
    context: typer.Context,
    name: Name,
    store: Existing,
    discard: Annotated[
        list[str] | None,
        typer.Option(
            metavar=f"{ORPHANED}|{UNDECODABLE}|TABLE:HEXROW",
            help="Remove lines without a source, rows that cannot be read, or this row, which are otherwise kept.",
        ),
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Make records again from lines that outlived them.")
    ] = False,
    rate: Annotated[
        str | None, typer.Option(metavar="N", help="Compare and mend at most N rows a second; no limit if omitted.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Keep in FILE how far it has come; if FILE exists, continue there. Removed at the end."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no line for a row that is mended.")] = False,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Recover, then mend what verify finds, or fill a new list.

    Exit code 1 if something is left.
    """
    from attrs import evolve

    from ..named.stores import open_upkeep
    from ..named.typed_values import number
    from ..operations import upkeep
    from ..operations.checkpoint_files import checkpoint_in
    from ..screen.terminal import consoles

    upkeep.check_upkeep(name)
    instructions = upkeep.instructions(discard or [], restore=restore)
    upkeep.check_checkpoint(checkpoint, instructions)
    rows_per_s = None if rate is None else number("--rate", rate, MAX_ROWS_PER_S)
    out, errors = consoles(plain or context.obj)
    with open_upkeep(name, store) as of_store, checkpoint_in(checkpoint, name, store, errors) as found:
        told = evolve(instructions, checkpoint=found)
        code = upkeep.repair(out, errors, name, of_store, told, rows_per_s, quiet=quiet, as_json=as_json)
    raise typer.Exit(code)


def do_(
    context: typer.Context,
    name: Name,
    action: Annotated[
        str | None,
        typer.Argument(
            metavar="ACTION", autocompletion=complete_action, help="What to do; if omitted, the actions are listed."
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE", autocompletion=complete_fields, help="Values of the action; times as for ask."
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help=f"{URL}, with the tables of the design; needed for an action.")
    ] = None,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Work on stored rows: compact points, for example.

    Exit code 1 if rows stay because they are damaged.
    """
    from ..operations import doing
    from ..screen.terminal import console

    code = doing.do(console(plain or context.obj), name, action, fields or [], store, as_json=as_json)
    raise typer.Exit(code)


def erase(
    context: typer.Context,
    name: Name,
    who: Annotated[str, typer.Argument(metavar="WHO", help="The person to erase, such as a user.")],
    store: Existing,
    as_json: Json = False,
    plain: Plain = False,
) -> None:
    """Remove the rows that name a person.

    If others need the record, only the name is removed.
    """
    from ..named.stores import open_repository
    from ..operations import upkeep
    from ..screen.terminal import console

    upkeep.check_erases(name, who)
    with open_repository(name, store) as repository:
        code = upkeep.erase(console(plain or context.obj), name, repository, who, as_json=as_json)
    raise typer.Exit(code)


def adopt(context: typer.Context, name: Name, store: Existing, plain: Plain = False) -> None:
    """Record the key layouts of tables made without a record.

    Some rows of each bucket are compared first.
    """
    from ..operations import adopting
    from ..screen.terminal import console

    adopting.adopt(console(plain or context.obj), name, store)


def serve(
    context: typer.Context,
    store: Annotated[str, typer.Option(metavar="URL", help="embedded:FILE, instead of memory.")] = MEMORY,
    host: Annotated[str, typer.Option(metavar="H", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[str, typer.Option(metavar="P", help="Port to listen on; 0 picks a free one.")] = "9090",
    thrift2_port: Annotated[
        str | None,
        typer.Option(metavar="P", help="Also serve Thrift2 on this port; 0 picks a free one. Not served if omitted."),
    ] = None,
    transport: Annotated[
        Literal["buffered", "framed"], typer.Option(help="Thrift transport of the clients.")
    ] = "buffered",
    protocol: Annotated[Literal["binary", "compact"], typer.Option(help="Thrift protocol of the clients.")] = "binary",
    buffer_mib: Annotated[
        str,
        typer.Option(metavar="MIB", help="Memory for unanswered messages and unread replies of all clients together."),
    ] = BUFFER_MIB,
    known_to_be_open: Annotated[
        bool,
        typer.Option(
            "--i-know-it-is-open", help="Listen on an address that other machines can reach, without access control."
        ),
    ] = False,
    plain: Plain = False,
) -> None:
    """Serve a store over Thrift, like an HBase, until Ctrl-C.

    happybase and other clients can use it.
    """
    from ..operations import serving
    from ..screen.terminal import consoles

    out, errors = consoles(plain or context.obj)
    code = serving.serve(
        out,
        errors,
        store=store,
        host=host,
        port=port,
        thrift2_port=thrift2_port,
        transport=transport,
        protocol=protocol,
        buffer_mib=buffer_mib,
        known_to_be_open=known_to_be_open,
    )
    raise typer.Exit(code)
