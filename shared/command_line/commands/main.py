"""Runs the command line: errors become one line and an exit code."""

import io
import shlex
import sys
import warnings
from contextlib import suppress

import typer

from .app import app, named_command
from .old_names import new_words


def main() -> None:
    """Runs the command line and exits: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    words = new_words(sys.argv[1:])
    if words != sys.argv[1:]:
        _say(f"this command is now: {shlex.join(['rowbook', *words])}")
    try:
        sys.exit(app(words)(words, prog_name="rowbook", standalone_mode=False))
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else " ".join(["rowbook", *named_command(words)])
        told = error.format_message().rstrip(".") + _what_is_missing(error)
        message, code = f"{told}{' See' if told.endswith('?') else '; see'} {path} --help", error.exit_code
    except Exception as error:
        from ..screen.failures import outcome

        if (ending := outcome(error)) is None:
            raise
        message, code = ending
    _say(message)
    sys.exit(code)


def _what_is_missing(error: typer.TyperException) -> str:
    """What a missing argument or option is, in the words of the help text; empty for any other error."""
    text = getattr(getattr(error, "param", None), "help", None) if "Missing" in error.format_message() else None
    return f": {text.partition(';')[0].rstrip('.')}" if text else ""


def _show_warning(message: Warning | str, *_where: object, **_options: object) -> None:
    """Prints a warning as one line, without the place in the program."""
    _say(f"warning: {message}")


def _say(message: str) -> None:
    """Prints one line on stderr, if anyone can read it."""
    from ..screen import terminal

    with suppress(terminal.NotWritten):
        terminal.line(terminal.console(stderr=True), message)
