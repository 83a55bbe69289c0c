"""The commands, in the order of the help text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import typer

from ..named.options import DesignCommand, LoadCommand, Plain
from ..named.own_designs import give
from ..named.own_settings import give_settings
from ..named.without_pydantic import Command, Commands
from ..new_package import command
from . import design_commands as commands
from . import store_commands, table_commands

COMMANDS: Mapping[str, tuple[type[Command], Callable[..., None]]] = {
    "list": (DesignCommand, commands.list_),
    "demo": (Command, commands.demo),
    "run": (DesignCommand, commands.run),
    "load": (LoadCommand, commands.load_),
    "ask": (DesignCommand, commands.ask),
    "compare": (LoadCommand, table_commands.compare),
    "explain": (DesignCommand, commands.explain),
    "lint": (DesignCommand, commands.lint),
    "ddl": (DesignCommand, commands.ddl),
    "heat": (DesignCommand, commands.heat),
    "simulate": (DesignCommand, commands.simulate),
    "size": (DesignCommand, commands.size),
    "new": (Command, command.new),
    "scan": (DesignCommand, table_commands.scan),
    "get": (DesignCommand, table_commands.get),
    "count": (DesignCommand, table_commands.count),
    "export": (DesignCommand, table_commands.export),
    "recover": (DesignCommand, store_commands.recover),
    "verify": (DesignCommand, store_commands.verify),
    "repair": (DesignCommand, store_commands.repair),
    "do": (DesignCommand, store_commands.do_),
    "erase": (DesignCommand, store_commands.erase),
    "adopt": (DesignCommand, store_commands.adopt),
    "serve": (Command, store_commands.serve),
}


def app(words: Sequence[str]) -> typer.Typer:
    """The application that reads these words: with the command that the first one names, or with all of them.

    typer takes as long to describe all commands as some need to run.
    """
    made = typer.Typer(cls=Commands, rich_markup_mode=None, pretty_exceptions_enable=False)
    made.callback(invoke_without_command=True)(rowbook)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        of_class, run = COMMANDS[name]
        made.command(name, cls=of_class)(run)
    return made


def rowbook(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    plain: Plain = False,
) -> None:
    """Row-key designs for HBase: run them, measure them, copy them."""
    context.obj = plain
    for forget in (give, give_settings):
        forget()
        context.call_on_close(forget)
    if version:
        from ... import __version__

        typer.echo(f"rowbook {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
