"""Values of options and arguments, read without pydantic where that makes no difference.

typer reads every value but a flag's with pydantic, also that of an option that is not given, and importing pydantic
takes longer than `rowbook list`. Text and choices stay as they are typed; any other value is read as typer reads it.
"""

from functools import partial
from typing import Any, get_args

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

WIDEST = 60
"""Characters of the line of help that a list of commands has for each."""


class _AsTyped:
    """Reads the value of a parameter; typer would make an adapter of pydantic's in its place."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value that the command gets. Raises BadParameter."""
        declared = param.type_descriptor.annotation
        if param.metavar == "FILE" and "" in ([value] if isinstance(value, str) else value or ()):
            raise typer.BadParameter("must be the name of a file (got '')", ctx=ctx, param=param)
        if value is None or declared is str or (isinstance(value, str) and value in get_args(declared)):
            return value
        if declared == list[str]:
            return [*value]
        param._runtime_param = None
        try:
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's words
            raise


def _as_typed(params: list[Any]) -> list[Any]:
    for param in params:
        param._runtime_param = _AsTyped()
        if issubclass(type(param), TyperArgument):  # isinstance would make a method of what is set below
            name = f"{param.display_name_raw}{'...' if param.nargs != 1 else ''}"
            param._rich_display_name = partial(str, name)
            param._usage_display_name = partial(str, name if param.required else f"[{name}]")
            param.display_type_rich = _no_type
        elif param.metavar is None and param.type_descriptor.is_choice:
            param.metavar = "|".join(get_args(param.type_descriptor.annotation))
    return params


def _no_type(ctx: Any) -> str:
    """What the help text says of an argument's type, because its name says what it is."""
    return ""


class Command(TyperCommand):
    """A command whose text is read as it is typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments."""
        return _as_typed(super().get_params(ctx))


class Commands(TyperGroup):
    """All commands, each with its panel of the help text."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options before the name of a command."""
        return _as_typed(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands in panels, then the options; typer would write one list, after the options."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if isinstance(command, TyperCommand) and not command.hidden:
                panels.setdefault(str(command.rich_help_panel), []).append((name, command.get_short_help_str(WIDEST)))
        widest = max(len(name) for of_panel in panels.values() for name, _help in of_panel)
        for panel, of_panel in panels.items():
            with formatter.section(panel):
                formatter.write_dl([(name.ljust(widest), help) for name, help in of_panel])
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes nothing more: the panels have all commands."""
