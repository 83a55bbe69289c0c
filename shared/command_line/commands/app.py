"""The commands, in the order of the help text."""

from typing import Annotated

import typer

from ..named.option_parsing import FlagsCommand, FlagsGroup
from ..named.options import DesignCommand, LoadCommand, Plain
from ..named.own_designs import give
from ..named.own_settings import give_settings
from ..new_package import command
from . import design_commands as commands
from . import store_commands, table_commands

app = typer.Typer(cls=FlagsGroup, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
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


app.command("list", cls=FlagsCommand)(commands.list_)
app.command("demo")(commands.demo)
app.command("run", cls=DesignCommand)(commands.run)
app.command("load", cls=LoadCommand)(commands.load_)
app.command("ask", cls=DesignCommand)(commands.ask)
app.command("compare", cls=LoadCommand)(table_commands.compare)
app.command("explain", cls=DesignCommand)(commands.explain)
app.command("lint", cls=DesignCommand)(commands.lint)
app.command("ddl", cls=DesignCommand)(commands.ddl)
app.command("heat", cls=DesignCommand)(commands.heat)
app.command("simulate", cls=DesignCommand)(commands.simulate)
app.command("size", cls=DesignCommand)(commands.size)
app.command("new")(command.new)
app.command("scan", cls=DesignCommand)(table_commands.scan)
app.command("get", cls=DesignCommand)(table_commands.get)
app.command("count", cls=DesignCommand)(table_commands.count)
app.command("export", cls=DesignCommand)(table_commands.export)
app.command("recover", cls=DesignCommand)(store_commands.recover)
app.command("verify", cls=DesignCommand)(store_commands.verify)
app.command("repair", cls=DesignCommand)(store_commands.repair)
app.command("do", cls=DesignCommand)(store_commands.do_)
app.command("erase", cls=DesignCommand)(store_commands.erase)
app.command("adopt", cls=DesignCommand)(store_commands.adopt)
app.command("serve")(store_commands.serve)
