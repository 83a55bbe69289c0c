"""Values of options and arguments, read without pydantic where that makes no difference.

typer reads every value but a flag's with pydantic, also that of an option that is not given, and importing pydantic
takes longer than `rowbook list`. Text and choices stay as they are typed; any other value is read as typer reads it.
"""

from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup


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
    return params


class Command(TyperCommand):
    """A command whose text is read as it is typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments."""
        return _as_typed(super().get_params(ctx))


class Commands(TyperGroup):
    """All commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options before the name of a command."""
        return _as_typed(super().get_params(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the first sentence of each command's help on as many lines as it needs; typer would cut it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1000)) for name, command in self.commands.items()])
