"""`rowbook recover`, `verify`, `repair` and `erase`: pending work, rows that disagree or cannot be read, and people."""

import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import attrs
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from ...keys.errors import listed, shown
from ...records import show_time
from ...upkeep import Finding, Instructions, Upkeep
from ...upkeep.parts import Erases
from ..named.designs import all_designs, find_variants
from ..named.options import ORPHANED, UNDECODABLE
from ..named.typed_values import from_hex
from ..screen import terminal
from ..screen.wrong_usage import WrongUsage

LINE_EVERY_S = 10
"""How often a command without a terminal prints how far it has come."""


def recover(out: Console, name: str, upkeep: Upkeep, older_than_ms: int | None, *, as_json: bool) -> int:
    """Prints the pending writes and settles the old ones; returns the exit code, 1 if one could not be settled."""
    pending = upkeep.pending()
    recovery = upkeep.recover(older_than_ms)
    code = 1 if recovery.failed else 0
    oldest_ms = pending[0].started_ms if pending else None
    if as_json:
        terminal.json_object(
            out, {"name": name, "pending": len(pending), "oldest_ms": oldest_ms, **attrs.asdict(recovery)}
        )
        return code
    since = "" if oldest_ms is None else f", the oldest since {show_time(oldest_ms)}"
    terminal.line(out, f"{name}: {terminal.count(len(pending), 'pending write')}{since}")
    waiting = f", {recovery.waiting} younger: their writers may be at work" if recovery.waiting else ""
    terminal.line(out, f"{recovery.settled} settled{waiting}")
    for reason in recovery.failed:
        terminal.line(out, f"not settled: {reason}")
    return code


def verify(out: Console, errors: Console, name: str, upkeep: Upkeep, *, as_json: bool) -> int:
    """Prints every row that is wrong; returns the exit code, 1 if there is one.

    A finding that is harmless is printed, and does not count as wrong.
    """
    with _progress(errors, name, upkeep) as progress:
        printer = _Found(out, as_json)
        for finding in upkeep.verify(progress):
            printer.add(finding)
    return printer.finish(name, upkeep)


def repair(
    out: Console,
    errors: Console,
    name: str,
    upkeep: Upkeep,
    instructions: Instructions,
    rows_per_s: int | None = None,
    *,
    quiet: bool = False,
    as_json: bool,
) -> int:
    """Prints every row that is wrong, and mends it if it can; returns the exit code, 1 if one is left.

    Compares and mends at most `rows_per_s` rows a second; None for no limit. If `quiet`, prints no row that is mended.
    """
    told: set[tuple[str, bytes]] = set()
    with _progress(errors, name, upkeep, rows_per_s) as progress:
        printer = _Found(out, as_json, repairs=True, quiet=quiet)
        for finding, is_mended in upkeep.repair(progress, instructions):
            printer.add(finding, is_mended)
            told |= {(finding.table, finding.row)} & instructions.discards_rows
            progress.add_mended(is_mended)
    code = printer.finish(name, upkeep)
    for table, row in sorted(instructions.discards_rows - told):
        terminal.line(errors, f"--discard {table}:{row.hex()}: nothing is wrong with this row, so it is kept")
        code = 1
    return code


def instructions(discard: list[str], *, restore: bool) -> Instructions:
    """The instructions for `repair` in its options, about rows that it otherwise keeps."""
    rows: set[tuple[str, bytes]] = set()
    for word in discard:
        table, colon, row = word.rpartition(":")
        if word not in (ORPHANED, UNDECODABLE) and not (table and row):
            raise WrongUsage(f"--discard: must be {ORPHANED}, {UNDECODABLE} or TABLE:HEXROW (got {shown(word)})")
        if colon:
            rows.add((table, from_hex("--discard", row)))
    return Instructions(restore, ORPHANED in discard, UNDECODABLE in discard, frozenset(rows))


def check_checkpoint(checkpoint: str | None, instructions: Instructions) -> None:
    """Raises WrongUsage for a checkpoint beside other instructions: what it skips would not be discarded."""
    if checkpoint is not None and instructions != Instructions():
        raise WrongUsage("--checkpoint: must be without --discard and --restore, because it skips rows")


class _Found:
    """Prints findings as they come, or all as one JSON object at the end."""

    def __init__(self, out: Console, as_json: bool, *, repairs: bool = False, quiet: bool = False) -> None:
        self._out = out
        self._as_json = as_json
        self._repairs = repairs
        self._quiet = quiet
        self._found: list[dict[str, Any]] = []
        self._wrong: Counter[str] = Counter()
        self._harmless: Counter[str] = Counter()
        self._mended = self._left = 0

    def add(self, finding: Finding, is_mended: bool = False) -> None:
        """Prints and counts one finding."""
        (self._harmless if finding.is_harmless else self._wrong)[finding.kind] += 1
        self._mended += is_mended
        self._left += not is_mended and not finding.is_harmless
        if is_mended and self._quiet:
            return
        if self._as_json:
            self._found.append({**attrs.asdict(finding), "mended": is_mended})
        else:
            terminal.line(self._out, f"{'mended: ' if is_mended else ''}{finding}")

    def finish(self, name: str, upkeep: Upkeep) -> int:
        """Prints the summary; returns the exit code, 1 if a wrong row is left."""
        if self._as_json:
            counts = {f"{what}s": number for what, number in upkeep.counts.items()}
            mended = {"mended": self._mended} if self._repairs else {}
            terminal.json_object(
                self._out, {"name": name, **counts, "found": self._found, **mended, "left": self._left}
            )
            return 1 if self._left else 0
        outcome = f"{_words(self._wrong)}{f'; {self._left} left' if self._repairs else ''}"
        outcome = outcome if self._wrong else "nothing is wrong"
        outcome += f"; {_words(self._harmless)}, which is harmless" if self._harmless else ""
        pending = len(upkeep.pending())
        outcome += f"; {terminal.count(pending, 'pending write')}, see rowbook recover" if pending else ""
        terminal.line(self._out, f"{name}: {_compared(upkeep)}: {outcome}")
        return 1 if self._left else 0


def _compared(upkeep: Upkeep) -> str:
    compared = [terminal.count(number, what) for what, number in upkeep.counts.items()]
    return f"{listed(compared) if compared else 'nothing'} compared"


def _words(kinds: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))


def check_upkeep(name: str) -> None:
    """Raises WrongUsage for a variant without an upkeep."""
    design, (variant, *_others) = find_variants(name)
    if reason := design.why_no_upkeep(variant):
        raise WrongUsage(f"{name}: {reason}")


def check_erases(name: str, who: str) -> None:
    """Raises WrongUsage for a design whose records name no person, a variant that cannot erase, and an empty name."""
    if not who:
        raise WrongUsage("WHO: must be the name of a person, not empty (got '')")
    design, (variant, *_others) = find_variants(name)
    if not design.erases:
        erasing = listed(design.name for design in all_designs() if design.erases)
        raise WrongUsage(f"{name}: cannot erase a person (designs that can: {erasing})")
    if not design.can_erase(variant):
        raise WrongUsage(f"{name}: {variant.without_upkeep}")


def erase(out: Console, name: str, repository: Erases, who: str, *, as_json: bool) -> int:
    """Erases a person; returns the exit code, 0 also if rows remain that `recover` removes later."""
    remaining = repository.erase(who)
    if as_json:
        terminal.json_object(out, {"name": name, "erased": who, "remaining": remaining})
    else:
        rows = "1 row remains" if remaining == 1 else f"{remaining} rows remain"
        has_upkeep = hasattr(repository, "upkeep")
        rows += ": run rowbook recover 42 minutes later, or erase again" if has_upkeep else ": erase again"
        terminal.line(out, f"{name}: {shown(who)} is erased; {rows if remaining else 'no row remains'}")
    return 0


class _Progress:
    """Shows how many rows were compared and mended so far, and waits if these are too many a second."""

    def __init__(self, show: Callable[[str], object], upkeep: Upkeep, rows_per_s: int | None) -> None:
        self._show = show
        self._upkeep = upkeep
        self._rows_per_s = rows_per_s
        self._began_s = time.monotonic()
        self._done = self._compared = self._mended = 0

    def __call__(self) -> None:
        """Called after each batch of rows was compared."""
        compared = sum(self._upkeep.counts.values())
        self._wait_for(compared - self._compared if compared >= self._compared else compared)
        self._compared = compared
        self._show(
            _compared(self._upkeep) + (f", {terminal.count(self._mended, 'row')} mended" if self._mended else "")
        )

    def add_mended(self, is_mended: bool) -> None:
        """Called with each finding of a repair."""
        self._mended += is_mended
        self._wait_for(1)

    def _wait_for(self, rows: int) -> None:
        if self._rows_per_s is None:
            return
        self._done += rows
        early_s = self._began_s + self._done / self._rows_per_s - time.monotonic()
        if early_s > 0:
            time.sleep(early_s)
        else:  # what was slower than the limit does not make up for what comes
            self._began_s, self._done = time.monotonic(), 0


@contextmanager
def _progress(to: Console, name: str, upkeep: Upkeep, rows_per_s: int | None = None) -> Generator[_Progress]:
    """Shows the progress: on a terminal in its last line, otherwise as a line every `LINE_EVERY_S`."""
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task, shown_s = bar.add_task(name), time.monotonic()

        def show(words: str) -> None:
            nonlocal shown_s
            bar.update(task, description=f"{name}: {words}")
            if to.no_color and time.monotonic() >= shown_s + LINE_EVERY_S:
                terminal.line(to, f"{name}: {words} so far")
                shown_s = time.monotonic()

        yield _Progress(show, upkeep, rows_per_s)
