"""How long a command takes from start to end, beside an empty application of typer: ratios of times in one run.

Run it: `python -m tests.programs.benchmarks.bench_start [--quick]`. The times are those of the processors, which
other work on the machine disturbs less than the clock.
"""

import os
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


def cpu_s(words: list[str]) -> float:
    """Seconds of the processors, user and system, that a command takes."""
    before = os.times()
    subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main(quick: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, not how fast."""
    commands = {
        "import typer, rich": [sys.executable, "-c", "import typer, rich"],
        "an empty application": [sys.executable, "-c", EMPTY],
    }
    commands |= {line: [sys.executable, "-m", "domains.command_line", *line.split()] for line in AT_MOST}
    took_s: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(1 if quick else ROUNDS):
        for name, words in commands.items():
            took_s[name].append(cpu_s(words))
    libraries_s, empty_s = (median(took_s[name]) for name in [*commands][:2])
    for name, times in took_s.items():
        took = median(times)
        others = f"{took / libraries_s:.2f} of libraries, {took * 1000:.0f} ms"
        Report().line(f"{name} / an empty application", took / empty_s, others, at_most=AT_MOST.get(name))


if __name__ == "__main__":
    typer.run(main)
