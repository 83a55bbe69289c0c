"""The command `new` with its arguments and options; the work is imported when the command runs."""

from pathlib import Path
from typing import Annotated

import typer

from ..named.options import Plain, complete_name


def new(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A new folder; its name becomes that of the package.")],
    origin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="A design (logs) or a variant (logs:salted); if omitted, activity, which has one table.",
            autocompletion=complete_name,
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option(metavar="SIZE", help="keys: row keys alone. questions: keys, and reading. If omitted: all."),
    ] = "all",
    service: Annotated[
        str | None,
        typer.Option(metavar="FRAMEWORK", help="Add a service over HTTP: fastapi or flask."),
    ] = None,
    vendor: Annotated[
        str | None,
        typer.Option(metavar="PACKAGE", help="Copy what is used of rowbook into this package, and do not install it."),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Call the first record this in all names, such as Ticket."),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(metavar="OLD=NEW", help="Rename a field or a word in all names: seller=assignee. Repeatable."),
    ] = None,
    plain: Plain = False,
) -> None:
    """Copy a design into a package of your own, with its tests."""
    from ..screen.terminal import consoles
    from ..screen.wrong_usage import WrongUsage
    from . import making
    from .service import FRAMEWORKS

    sizes = dict(zip(map(str, making.SIZES), making.SIZES, strict=True))
    if only not in sizes:
        raise WrongUsage(f"--only: must be keys or questions, or be left out (got {only!r})")
    if service is not None and service not in FRAMEWORKS:
        raise WrongUsage(f"--service: must be fastapi or flask (got {service!r})")
    if service is not None and only != "all":
        raise WrongUsage(f"--service: needs the whole design, so leave out --only {only}")
    out, _errors = consoles(plain or context.obj)
    making.new(out, path, origin, size=sizes[only], service=service, vendor=vendor, record=record, words=rename or [])
