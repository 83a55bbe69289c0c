"""How long a command takes from start to end, beside an empty application of typer, and how long keys take to import.

These are ratios of times in one run.

Run it: `python -m tests.programs.benchmarks.bench_start [--quick]`. The times are those of the processors, which
other work on the machine disturbs less than the clock.
"""

import resource
import subprocess
import sys
from statistics import median

import typer

from tests.programs.benchmarks.measuring import ROOT, Report

ROUNDS = 15

EMPTY = """
import typer, rich.console
app = typer.Typer()
@app.callback()
def callback(): pass
@app.command()
def command(): rich.console.Console().print("a line")
app(["command"])
"""
"""An application with one command that prints a line. typer imports pydantic when it reads the first option that is
no flag, which takes longer than typer and rich together; `list` has flags alone.
"""

AT_MOST = {"--help": 0.7, "list": 0.8, "explain orders order_number=n-42": 3.5}
"""The time of a command over that of the empty application."""

KEYS_AT_MOST = 1.5
"""The time of a process that imports all names of `shared.keys` over that of one that imports attrs."""


def cpu_s(words: list[str]) -> float:
    """Seconds of the processors, user and system, that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(quick: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, not how fast."""
    commands = {
        "import typer, rich": [sys.executable, "-c", "import typer, rich"],
        "an empty application": [sys.executable, "-c", EMPTY],
    }
    imports = {line: [sys.executable, "-c", line] for line in ("import attrs", "from shared.keys import *")}
    commands |= imports
    commands |= {line: [sys.executable, "-m", "domains", *line.split()] for line in AT_MOST}
    took_s: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(1 if quick else ROUNDS):
        for name, words in commands.items():
            took_s[name].append(cpu_s(words))
    libraries_s, empty_s = (median(took_s[name]) for name in [*commands][:2])
    attrs_s, keys_s = (median(took_s[name]) for name in imports)
    took_ms = f"{keys_s * 1000:.0f} ms"
    Report().line("from shared.keys import * / import attrs", keys_s / attrs_s, took_ms, at_most=KEYS_AT_MOST)
    for name in [name for name in took_s if name not in imports]:
        took = median(took_s[name])
        others = f"{took / libraries_s:.2f} of libraries, {took * 1000:.0f} ms"
        Report().line(f"{name} / an empty application", took / empty_s, others, at_most=AT_MOST.get(name))


if __name__ == "__main__":
    typer.run(main)
