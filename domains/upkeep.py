"""`rowbook recover`, `verify` and `repair`: pending writes, and rows that disagree with others or cannot be read."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import attrs
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from shared.keys.errors import listed
from shared.records import show_time
from shared.writes import Finding

from . import show
from .asking import WrongUsage


class Verifies(Protocol):
    """What `verify` needs of a repository's verifier. `repair` needs a method `repair` besides, as of `Verifier`."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows of each sort were compared so far, by the sort's name in the singular."""
        ...

    def verify(self, progress: Callable[[], object]) -> Iterator[Finding]:
        """Every row that is not as it should be."""
        ...


def recover(out: Console, name: str, repository: Any, older_than_ms: int | None, *, as_json: bool) -> int:
    """Prints the pending writes and settles the old ones; returns the exit code, 1 if one could not be settled."""
    _check_has(name, repository, "recover")
    pending = getattr(repository, "writer", repository).pending()
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
    """Prints every row that is wrong, and mends it if `repairs`; returns the exit code, 1 if one is left.

    A finding that is harmless is printed, and does not count as left.
    """
    _check_has(name, repository, "verifier")
    verifier: Any = repository.verifier()
    if repairs and not hasattr(verifier, "repair"):
        raise WrongUsage(f"{name}: cannot be repaired, because its rows do not follow from others; see rowbook verify")
    found: list[dict[str, Any]] = []
    wrong: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    left = 0
    with _progress(errors, name, verifier) as progress:
        findings = verifier.repair(progress) if repairs else ((finding, False) for finding in verifier.verify(progress))
        for finding, is_mended in findings:
            (harmless if finding.is_harmless else wrong)[finding.kind] += 1
            left += not is_mended and not finding.is_harmless
            if as_json:
                found.append({**attrs.asdict(finding), "mended": is_mended})
            else:
                show.line(out, f"{'mended: ' if is_mended else ''}{finding}")
    if as_json:
        counts = {f"{what}s": number for what, number in verifier.counts.items()}
        show.json_object(out, {"name": name, **counts, "found": found, "left": left})
        return 1 if left else 0
    outcome = f"{_words(wrong)}{f'; {left} left' if repairs else ''}" if wrong else "nothing is wrong"
    outcome += f"; {_words(harmless)}, which is harmless" if harmless else ""
    pending = len(repository.writer.pending()) if hasattr(repository, "writer") else 0
    left_out = f"; {show.count(pending, 'pending write')} left out, see rowbook recover" if pending else ""
    show.line(out, f"{name}: {_compared(verifier)}: {outcome}{left_out}")
    return 1 if left else 0


def _compared(verifier: Verifies) -> str:
    return f"{listed(show.count(number, what) for what, number in verifier.counts.items())} compared"


def _words(kinds: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))


def _check_has(name: str, repository: Any, method: str) -> None:
    if not hasattr(repository, method):
        raise WrongUsage(f"{name}: has no writes over several rows, so there is nothing to compare or recover")


@contextmanager
def _progress(to: Console, name: str, verifier: Verifies) -> Generator[Callable[[], None]]:
    """A function that shows how many rows were compared so far, on a terminal."""
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task = bar.add_task(name)
        yield lambda: bar.update(task, description=f"{name}: {_compared(verifier)}")
