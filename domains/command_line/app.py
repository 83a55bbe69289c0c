"""The commands, in the order of the help text."""

from typing import Annotated

import typer

from . import commands, store_commands
from .flags import FlagsCommand, FlagsGroup
from .new_package import command
from .options import LoadCommand, Plain

app = typer.Typer(cls=FlagsGroup, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def rowbook(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    plain: Plain = False,
) -> None:
    """Row-key designs for HBase: run them, measure them, copy them."""
    context.obj = plain
    if version:
        from shared import __version__

        typer.echo(f"rowbook {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("list", cls=FlagsCommand)(commands.list_)
app.command("demo")(commands.demo)
app.command("run")(commands.run)
app.command("load", cls=LoadCommand)(commands.load_)
app.command("ask")(commands.ask)
app.command("explain")(commands.explain)
app.command("ddl")(commands.ddl)
app.command("heat")(commands.heat)
app.command("new")(command.new)
app.command("recover")(store_commands.recover)
app.command("verify")(store_commands.verify)
app.command("repair")(store_commands.repair)
app.command("erase")(store_commands.erase)
app.command("adopt")(store_commands.adopt)
app.command("serve")(store_commands.serve)
