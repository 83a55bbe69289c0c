"""Arguments and options of several commands, completed names, and the values that help texts show."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption


def complete_name() -> list[str]:
    """The names of all designs and variants."""
    from .listing import listed_names

    return listed_names()


def complete_question(context: typer.Context) -> list[str]:
    """The questions of the design that the command line names."""
    from .completing import question_names

    return question_names(str(context.params.get("name")))


def complete_load() -> list[str]:
    """The names of all loads."""
    from .completing import load_names

    return load_names()


class LoadCommand(TyperCommand):
    """`load`, whose help lists the formats of all designs."""

    def get_help(self, ctx: Any) -> str:
        """The help text."""
        from .completing import format_names

        for option in self.params:
            if isinstance(option, TyperOption) and option.name == "format":
                option.help = f"Format of the files: {', '.join(['auto', *format_names()])}."
        return super().get_help(ctx)


URL = "embedded:FILE or hbase://HOST:PORT"
MEMORY = "embedded:"
ORPHANED, UNDECODABLE = "orphaned", "undecodable"
HEAT_ROWS, HEAT_SPLITS = "20000", "7"
"""What `heat` takes unless told otherwise."""
BUFFER_MIB = "1024"
"""MiB that `serve` buffers by default, as HBase's gateway does."""

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A design (logs) or a variant (logs:salted).", autocompletion=complete_name),
]
Existing = Annotated[str, typer.Option(metavar="URL", help=f"{URL}, with the tables of the design.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object; times in milliseconds, bytes in hex.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print no colours and no boxes.")]
