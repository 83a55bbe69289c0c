"""Arguments and options of several commands, completed names, and the values that help texts show."""

from typing import Annotated, Any, Literal

import typer
from typer.core import TyperOption
from typer.main import get_command

from .without_pydantic import Command


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


def complete_table(context: typer.Context) -> list[str]:
    """The tables of the variant that the command line names."""
    from .completing import table_names

    return table_names(str(context.params.get("name")))


def complete_action(context: typer.Context) -> list[str]:
    """The actions of the design that the command line names."""
    from .completing import action_names

    return action_names(str(context.params.get("name")))


def complete_fields(context: typer.Context, incomplete: str) -> list[str]:
    """The fields that the command takes of the design that the command line names, and their values."""
    from .completing import field_words

    return field_words(str(context.info_name), context.params, incomplete)


def _named(context: typer.Context) -> str:
    """The design that the command line names; if an option without its value ends it, no argument is read yet."""
    words = context.command.words if isinstance(context.command, DesignCommand) else []
    return str(context.params.get("name") or next(iter(words), ""))


def complete_column(context: typer.Context) -> list[str]:
    """The fields of the records that the command line names."""
    from .completing import column_words

    return column_words(_named(context))


def complete_setting(context: typer.Context) -> list[str]:
    """The settings of the design that the command line names."""
    from .completing import setting_words

    return setting_words(_named(context))


def _give_designs(places: list[str] | None) -> None:
    from .own_designs import give

    give(places or ())


def _give_settings(words: list[str] | None) -> None:
    from .own_settings import give_settings

    give_settings(words or ())


def _of_all(
    design: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:NAME",
            callback=_give_designs,
            expose_value=False,
            is_eager=True,
            help="A design of your own, such as tickets.design:DESIGN, which NAME may then be.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE|FILE",
            autocompletion=complete_setting,
            callback=_give_settings,
            expose_value=False,
            is_eager=True,
            help="A setting of the tables of tsdb, such as tsd.storage.salt.width=1, or OpenTSDB's own file.",
        ),
    ] = None,
) -> None:
    """The options of every command with designs, which pass nothing to it."""


class DesignCommand(Command):
    """A command with designs: `--design` adds one's own, and `--settings` describes existing tables."""

    def __init__(self, *names: Any, params: list[Any] | None = None, **options: Any) -> None:
        app = typer.Typer(add_completion=False)
        app.command()(_of_all)
        super().__init__(*names, params=[*(params or []), *get_command(app).params], **options)
        self.words: list[str] = []

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words that are left, once those of options and arguments are read."""
        self.words = [*args]
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        """The help text, without `--settings` if the words name a design whose tables have none."""
        for option in self.params:
            if isinstance(option, TyperOption) and option.name == "settings":
                option.hidden = not self._has_settings(ctx)
        return super().get_help(ctx)

    def _has_settings(self, ctx: Any) -> bool:
        """Whether `--settings` does anything with the design that the words name, or with any."""
        if ctx.info_name == "list":
            return False
        if all(word.startswith("-") for word in self.words):
            return True
        from .completing import may_have_settings

        return may_have_settings(self.words)


class LoadCommand(DesignCommand):
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
RECORDS_A_DAY, KEEP, SERVERS = "1e6", "365d", "20"
FLUSH_SIZE, MAX_FILESIZE = "128M", "10G"
"""The load that `review` assumes unless told otherwise; the sizes are those of HBase 2.6."""
Chapter = Literal["lint", "heat", "simulate", "size"]
"""The chapters of `review`."""
ALL = "all"
SCAN_LIMIT, COUNT_LIMIT = "100", "100000"
"""Records that `scan`, `get` and `count` read unless told otherwise; `scan --lines` reads all."""
COMPARED = "1000"
"""Records that `run --file` takes unless told otherwise."""
BUFFER_MIB = "1024"
"""MiB that `serve` buffers by default, as HBase's gateway does."""

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A design (logs) or a variant (logs:salted).", autocompletion=complete_name),
]
Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="A row key in hex, or as HBase prints it; instead of fields."),
]
Form = Annotated[
    Literal["hex", "shell", "base64"] | None,
    typer.Option(
        help="Form of keys, columns and values: hex digits, text with HBase's \\xNN, or base64; by default shell, and "
        "hex too if all of them may be hex digits."
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV, JSON lines, Parquet, or one of the design's own formats; text also as .gz. - is stdin.",
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="LOAD", help="The kind of records, if the design has several.", autocompletion=complete_load
    ),
]
Format = Annotated[str | None, typer.Option(metavar="F", help="Format of the files; auto if omitted.")]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        autocompletion=complete_column,
        help="Column to read the field from, if its name differs; in JSON also A.B.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        autocompletion=complete_column,
        help="Value of a field in all lines, instead of a column.",
    ),
]
Tag = Annotated[
    list[str] | None,
    typer.Option(metavar="TAG[=VALUE]", help="A tag of all lines; without =VALUE it is in the column TAG."),
]
Unit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=s|ms|us",
        autocompletion=complete_column,
        help="Unit of a time that is a number, if not milliseconds (ms).",
    ),
]
TimeFormat = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=FORMAT",
        autocompletion=complete_column,
        help="Format of a time in strptime's notation: %m/%d/%Y for 7/4/1996.",
    ),
]
Year = Annotated[
    str | None,
    typer.Option(metavar="Y", help="Year of the first line of each file, for times without one, as in syslog."),
]
At = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Time for lines without one, as in Prometheus text."),
]
Describe = Annotated[
    str | None,
    typer.Option(metavar="FILE.toml", help="A description of the files, as --save writes it; options say more."),
]
_FORM = "How the files are written"
Delimiter = Annotated[
    str | None, typer.Option(metavar="C", help="What stands between the cells of CSV.", rich_help_panel=_FORM)
]
Skip = Annotated[
    str | None, typer.Option(metavar="N", help="Lines before the first that counts.", rich_help_panel=_FORM)
]
Encoding = Annotated[
    str | None, typer.Option(metavar="E", help="latin-1, for example, if not UTF-8.", rich_help_panel=_FORM)
]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="C", help="What stands before the fraction of a number: , for 2,5.", rich_help_panel=_FORM),
]
NoneText = Annotated[
    list[str] | None,
    typer.Option(
        "--none", metavar="TEXT", help="A text that stands for no value, such as '?' or ''.", rich_help_panel=_FORM
    ),
]
Pattern = Annotated[
    str | None,
    typer.Option(metavar="REGEX", help="Lines of a log: each named group is a column.", rich_help_panel=_FORM),
]
Layout = Annotated[
    str | None,
    typer.Option(
        metavar="PROGRAM:FORMAT",
        help="The format string of the program that wrote the log, after apache:, nginx: or log4j:.",
        rich_help_panel=_FORM,
    ),
]
Zone = Annotated[
    str | None,
    typer.Option(metavar="ZONE", help="Zone of times that name none, such as Europe/Rome.", rich_help_panel=_FORM),
]
Round = Annotated[
    str | None,
    typer.Option("--round", metavar="ms", help="Cut off digits of times below the millisecond.", rich_help_panel=_FORM),
]
Scale = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=N",
        help="Multiply a number: 2.55 is 255 with amount=100.",
        autocompletion=complete_column,
        rich_help_panel=_FORM,
    ),
]
Default = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Value of a field in lines that have none.",
        autocompletion=complete_column,
        rich_help_panel=_FORM,
    ),
]
Correct = Annotated[
    bool, typer.Option("--correct", help="Replace what the tables hold for these records, whatever its form.")
]
Restore = Annotated[
    bool,
    typer.Option(
        "--restore", help="Store in a new store what scan --lines wrote, such as a document's latest revision."
    ),
]
AllowExpired = Annotated[
    bool,
    typer.Option(
        "--allow-expired", help="Also store records that are older than the TTL of their family, as it is declared."
    ),
]
OnError = Annotated[Literal["stop", "skip"], typer.Option(help="Stop at a bad line, or skip it.")]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="FIELD=VALUE", help="A value for questions, instead of a frequent one."),
]
Pictures = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Draw pictures there as SVG; needs the extra rowbook[pictures].")
]
ExportFormat = Annotated[
    str | None,
    typer.Option(
        metavar="F",
        help="Format: csv, parquet, jsonl (the default), or the design's own (tsdb's default).",
    ),
]
To = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Write the lines to this file; compressed if its name ends in .gz."),
]
Existing = Annotated[str, typer.Option(metavar="URL", help=f"{URL}, with the tables of the design.")]
RecordsADay = Annotated[
    str | None, typer.Option(metavar="N", help=f"Records that arrive in a day; {RECORDS_A_DAY} if omitted.")
]
Keep = Annotated[str | None, typer.Option(metavar="LENGTH", help=f"How long each record is kept; {KEEP} if omitted.")]
Servers = Annotated[str | None, typer.Option(metavar="N", help=f"Region servers; {SERVERS} if omitted.")]
FlushSize = Annotated[str, typer.Option(metavar="SIZE", help="hbase.hregion.memstore.flush.size: bytes, or 128M.")]
MaxFilesize = Annotated[str, typer.Option(metavar="SIZE", help="hbase.hregion.max.filesize: bytes, or 10G.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object; times in milliseconds, bytes in hex.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print no colours and no boxes.")]
