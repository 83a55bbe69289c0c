"""The commands, in the order of the help text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, TypeAlias

import typer

from ..named.options import DesignCommand, LoadCommand, Plain
from ..named.own_designs import give
from ..named.own_settings import give_settings
from ..named.without_pydantic import Command, Commands
from ..new_package import command
from . import design_commands as commands
from . import store_commands, table_commands

Described: TypeAlias = tuple[type[Command], Callable[..., None]]
"""A command: its class, which adds options, and what runs."""

PANELS: Mapping[str, Mapping[str, Described]] = {
    "Look": {
        "list": (DesignCommand, commands.list_),
        "demo": (Command, commands.demo),
        "run": (LoadCommand, commands.run),
        "ask": (DesignCommand, commands.ask),
        "explain": (DesignCommand, commands.explain),
    },
    "Review": {
        "review": (DesignCommand, commands.review),
        "lint": (DesignCommand, commands.lint),
        "ddl": (DesignCommand, commands.ddl),
    },
    "Use": {
        "new": (Command, command.new),
        "load": (LoadCommand, commands.load_),
        "scan": (DesignCommand, table_commands.scan),
        "get": (DesignCommand, table_commands.get),
        "count": (DesignCommand, table_commands.count),
        "serve": (Command, store_commands.serve),
    },
    "Keep": {
        "recover": (DesignCommand, store_commands.recover),
        "verify": (DesignCommand, store_commands.verify),
        "repair": (DesignCommand, store_commands.repair),
        "erase": (DesignCommand, store_commands.erase),
        "adopt": (DesignCommand, store_commands.adopt),
        "do": (DesignCommand, store_commands.do_),
    },
}
"""The commands by what a person wants, in the order of the help text."""


def named_command(words: Sequence[str]) -> Sequence[str]:
    """The command that the first word names, if it names one."""
    return words[:1] if words and any(words[0] in panel for panel in PANELS.values()) else ()


def app(words: Sequence[str]) -> typer.Typer:
    """The application that reads these words: with the command that the first one names, or with all of them.

    typer takes as long to describe all commands as some need to run.
    """
    made = typer.Typer(cls=Commands, rich_markup_mode=None, pretty_exceptions_enable=False)
    made.callback(invoke_without_command=True)(rowbook)
    described = {name: (*one, panel) for panel, of_panel in PANELS.items() for name, one in of_panel.items()}
    for name in words[:1] if words and words[0] in described else described:
        of_class, run, panel = described[name]
        made.command(name, cls=of_class, rich_help_panel=panel)(run)
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
