"""Runs a command line within this process, always on the same terminal; loads and measures a variant once."""

import io
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from copy import copy
from functools import cache
from unittest.mock import patch

import attrs
import typer

import domains.suite  # noqa: F401 - hands the designs to the command line
from shared.command_line.commands.main import main
from shared.command_line.measured.running import _demo_tables as demo_tables
from shared.command_line.named import designs, stores
from shared.command_line.named.options import MEMORY
from shared.designs import load_samples, scratch_store
from shared.exhibit.comparison import measure_variant
from shared.exhibit.traps import trap_row
from shared.stores import connect
from shared.tables import create_tables

SAMPLES = {}
"""Stores in memory, by the names of a variant and the files of its samples."""
KEPT, MEASURED, TRAPS = {}, {}, {}
"""Stores in memory that `run` has filled, what these cost, and what traps give."""
build = cache(typer.main.get_command)
"""Builds the parsers of the command line, which takes longer than most commands take to run."""
ROWBOOK = [sys.executable, "-m", "domains"]
"""Starts the command line in a process of its own."""
PROGRESS = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h\r(?:\x1b\[1A\x1b\[2K)+", re.DOTALL)
"""Progress on a terminal, which is removed from it in the end."""
OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TERM")


@attrs.frozen
class Ended:
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def ended(process: subprocess.Popen[str], number: int | None = None) -> tuple[int, str, str]:
    """Exit code, the rest of stdout, and stderr of a process, after a signal of this number."""
    if number:
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def without_terminal() -> dict[str, str]:
    """The variables of this process but those of a terminal; one that runs tests in parallel has some of them."""
    return {name: text for name, text in os.environ.items() if name not in OF_THE_TERMINAL}


def run(words: list[str], environment: Mapping[str, str] | None = None) -> Ended:
    """Runs `rowbook` with these words, without a terminal unless `environment` tells of one.

    An error that the command line does not expect is raised, as it would be a traceback.
    """
    with (
        patch.dict(os.environ, {**without_terminal(), **(environment or {})}, clear=True),
        patch.object(sys, "argv", ["rowbook", *words]),
        patch("shared.command_line.stored_records.asking.store_to_ask", _store_to_ask),
        patch("typer.main.get_command", _built),
        warnings.catch_warnings(action="default", category=UserWarning),  # as in a new process, which has shown none
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        try:
            main()
        except SystemExit as end:
            return Ended(int(end.code or 0), out.getvalue(), err.getvalue())
    raise AssertionError("main must exit")


def _built(app):
    """Parsers for one command line; some lose their options while they read it."""
    command = copy(build(app))
    if hasattr(command, "commands"):
        command.commands = {name: copy(of_name) for name, of_name in command.commands.items()}
    return command


@contextmanager
def _store_to_ask(url, design, variant, *, writes) -> Iterator:
    """`stores.store_to_ask`, but with the samples in memory as they were loaded for an earlier question."""
    if url is not None:
        with stores.store_to_ask(url, design, variant, writes=writes) as stored:
            yield stored
        return
    key = (
        design.name,
        variant.name,
        *(table.name for table in variant.tables),
        *(load.samples for load in design.loads),
    )
    if key not in SAMPLES:
        SAMPLES[key] = connect("embedded:")
        create_tables(SAMPLES[key], variant.tables)
        load_samples(SAMPLES[key], design, variant)
    yield SAMPLES[key], variant


@contextmanager
def measured_once() -> Iterator[None]:
    """`run` measures a variant in memory once, of all samples and of few; a test that replaces a function sees it."""
    with (
        patch("shared.command_line.measured.run_output.trap_row", _trap_row),
        patch("shared.command_line.measured.running._demo_tables", _kept_tables),
        patch("shared.command_line.measured.running.measure_variant", _measured),
    ):
        yield


@contextmanager
def _kept_tables(url, variant, keep) -> Iterator:
    if url != MEMORY:
        with demo_tables(url, variant, keep) as connection:
            yield connection
        return
    key = (designs.design_named, variant.name, *(table.name for table in variant.tables))
    if key not in KEPT:
        KEPT[key] = scratch_store(variant.tables)
    yield KEPT[key]


def _trap_row(trap, design):
    key = (trap.name, *(load.samples for load in design.loads))
    if key not in TRAPS:
        TRAPS[key] = trap_row(trap, design)
    return TRAPS[key]


def _measured(connection, design, variant):
    if connection not in KEPT.values():
        return measure_variant(connection, design, variant)
    if connection not in MEASURED:
        MEASURED[connection] = measure_variant(connection, design, variant)
    return MEASURED[connection]
