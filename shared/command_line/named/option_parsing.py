"""Commands whose options are flags, read without pydantic.

typer reads every option but a flag with pydantic, also an option that is not given, and importing pydantic takes
longer than `rowbook list`. `--help` and the options of the shell's completion are such options, though they pass
nothing to the command. So `FlagsGroup` and `FlagsCommand` drop them from a command unless the user has typed one.
"""

from typing import Any

from typer.core import TyperGroup

from .options import DesignCommand


class FlagsGroup(TyperGroup):
    """The commands, whose own options are flags."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words before the name of the command."""
        if args and args[0] in self.commands:
            _leave_out_what_passes_nothing(self)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the first sentence of each command's help on as many lines as it needs; typer would cut it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1000)) for name, command in self.commands.items()])


class FlagsCommand(DesignCommand):
    """A command whose options are flags, but for `--design` and `--settings`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words after the name of the command."""
        flags = [word for option in self.params if option.expose_value for word in option.opts]
        if not ctx.resilient_parsing and {*args} <= {*flags}:
            _leave_out_what_passes_nothing(self)
        return super().parse_args(ctx, args)


def _leave_out_what_passes_nothing(command: DesignCommand | TyperGroup) -> None:
    command.add_help_option = False
    command.params = [option for option in command.params if option.expose_value]
