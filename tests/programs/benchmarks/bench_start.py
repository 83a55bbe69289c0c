"""How long a command takes from start to end, beside `import typer, rich`, and how long keys take to import.

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

ASK = "ask logs latest host=web-1 event=ERROR"
AT_MOST = {"--help": 1.6, "list": 2.0, "explain orders order_number=n-42": 7.0, ASK: 7.5, "run orders": 23.0}
"""The time of a command over that of `import typer, rich`."""

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
    }
    imports = {line: [sys.executable, "-c", line] for line in ("import attrs", "from shared.keys import *")}
    commands |= imports
    commands |= {line: [sys.executable, "-m", "domains", *line.split()] for line in AT_MOST}
    took_s: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(1 if quick else ROUNDS):
        for name, words in commands.items():
            took_s[name].append(cpu_s(words))
    libraries_s = median(took_s["import typer, rich"])
    attrs_s, keys_s = (median(took_s[name]) for name in imports)
    took_ms = f"{keys_s * 1000:.0f} ms"
    Report().line("from shared.keys import * / import attrs", keys_s / attrs_s, took_ms, at_most=KEYS_AT_MOST)
    for name, at_most in AT_MOST.items():
        took = median(took_s[name])
        Report().line(f"{name} / import typer, rich", took / libraries_s, f"{took * 1000:.0f} ms", at_most=at_most)


if __name__ == "__main__":
    typer.run(main)
