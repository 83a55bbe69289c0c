"""`rowbook recover`, `verify` and `repair`: pending writes, and rows that disagree with their sources."""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import attrs
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from shared.records import show_time
from shared.writes import Verifier

from . import show
from .asking import WrongUsage


def recover(out: Console, name: str, repository: Any, older_than_ms: int | None, *, as_json: bool) -> int:
    """Prints the pending writes and settles the old ones; returns the exit code, 1 if one could not be settled."""
    _check_has(name, repository, "recover")
    pending = repository.writer.pending()
    recovery = repository.recover(older_than_ms)
    code = 1 if recovery.failed else 0
    oldest_ms = pending[0].started_ms if pending else None
    if as_json:
        show.json_object(out, {"name": name, "pending": len(pending), "oldest_ms": oldest_ms, **attrs.asdict(recovery)})
        return code
    since = "" if oldest_ms is None else f", the oldest since {show_time(oldest_ms)}"
    show.line(out, f"{name}: {show.count(len(pending), 'pending write')}{since}")
    waiting = f", {recovery.waiting} younger: their writers may be at work" if recovery.waiting else ""
    show.line(out, f"{recovery.settled} settled{waiting}")
    for reason in recovery.failed:
        show.line(out, f"not settled: {reason}")
    return code


def verify(out: Console, errors: Console, name: str, repository: Any, *, repairs: bool, as_json: bool) -> int:
    """Prints every row that disagrees, and mends it if `repairs`; returns the exit code, 1 if one is left."""
    _check_has(name, repository, "verifier")
    verifier: Verifier = repository.verifier()
    found: list[dict[str, Any]] = []
    kinds: Counter[str] = Counter()
    left = 0
    with _progress(errors, name, verifier) as progress:
        findings = verifier.repair(progress) if repairs else ((finding, False) for finding in verifier.verify(progress))
        for finding, is_mended in findings:
            kinds[finding.kind] += 1
            left += not is_mended
            if as_json:
                found.append({**attrs.asdict(finding), "mended": is_mended})
            else:
                show.line(out, f"{'mended: ' if is_mended else ''}{finding}")
    if as_json:
        counts = {"sources": verifier.sources, "lines": verifier.lines}
        show.json_object(out, {"name": name, **counts, "found": found, "left": left})
        return 1 if left else 0
    compared = f"{show.count(verifier.sources, 'source')} and {show.count(verifier.lines, 'line')} compared"
    words = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    outcome = f"{words}{f'; {left} left' if repairs else ''}" if words else "nothing is wrong"
    pending = len(repository.writer.pending())
    left_out = f"; {show.count(pending, 'pending write')} left out, see rowbook recover" if pending else ""
    show.line(out, f"{name}: {compared}: {outcome}{left_out}")
    return 1 if left else 0


def _check_has(name: str, repository: Any, method: str) -> None:
    if not hasattr(repository, method):
        raise WrongUsage(f"{name}: has no writes over several rows, so there is nothing to compare or recover")


@contextmanager
def _progress(to: Console, name: str, verifier: Verifier) -> Generator[Callable[[], None]]:
    """A function that shows how many rows were compared so far, on a terminal."""
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task = bar.add_task(name)
        yield lambda: bar.update(task, description=f"{name}: {verifier.sources + verifier.lines} rows compared")
