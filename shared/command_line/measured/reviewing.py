"""`rowbook review`: what a design costs under a load, on one page with a verdict, or one chapter of it whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol, get_args

from rich.console import Console

from ...designs import Design, Variant
from ...exhibit.comparison import NothingToMeasure
from ...exhibit.regions.sampling import SampledVariant, sample_stored
from ..named.designs import find_variants, full_name
from ..named.options import Chapter
from ..screen.progress import doing
from ..screen.terminal import count, json_object, line, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .expected_load import ExpectedLoad, large_number
from .heat_maps import HeatOfDesign, heat_of_design
from .linting import LintFindings, lint_design
from .simulating import SimulatedLoad, simulate_load
from .sizes import SizeOfLoad, size_of_load

CHAPTERS: tuple[Chapter, ...] = get_args(Chapter)
TITLE_WIDTH = 10
"""Characters of the column with the names of the chapters."""
A_YEAR = 365
"""Days."""
FEWEST_ROWS = 1_000
MOST_ROWS: Mapping[Chapter, int] = {"heat": 10**6, "simulate": 10**12}
"""Rows that a chapter may be told to measure."""


class Measured(Protocol):
    """A chapter."""

    def brief(self) -> Iterator[str]:
        """A few lines for the page."""
        ...

    def show(self, to: Console) -> None:
        """Writes all of it."""
        ...

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        ...


class Measuring:
    """Measures the chapters of a design under a load; those that need a sample share it.

    `rows` are those that `heat` measures anew, and those that `simulate` writes to all tables.
    """

    def __init__(
        self,
        design: Design,
        variants: tuple[Variant, ...],
        load: ExpectedLoad,
        tell: Callable[[str], None],
        rows: int | None = None,
    ) -> None:
        self._design, self._variants, self._load, self._tell, self._rows = design, variants, load, tell, rows
        self.chapters: Mapping[Chapter, Callable[[], Measured]] = {
            "lint": self.lint,
            "heat": self.heat,
            "simulate": self.simulate,
            "size": self.size,
        }

    @cached_property
    def _sample(self) -> SampledVariant:
        return sample_stored(self._design, self._variants[0], self._tell)

    def lint(self) -> LintFindings:
        """The findings of the rules in all variants."""
        return lint_design(self._design, self._variants, self._tell)

    def heat(self) -> HeatOfDesign:
        """Where new rows land in all variants."""
        return heat_of_design(self._design, self._variants, self._tell, self._rows)

    def simulate(self) -> SimulatedLoad:
        """What the load does to the tables of the first variant."""
        records = self._load.records
        if self._rows is not None:
            records = self._sample.records * self._rows / self._sample.written
        return simulate_load(self._design, self._sample, self._load, records, self._tell)

    def size(self) -> SizeOfLoad:
        """What the first variant needs for the load."""
        self._tell("simulating regions")
        return size_of_load(self._design, self._sample, self._load)


def review(
    out: Console,
    errors: Console,
    name: str,
    load: ExpectedLoad,
    *,
    only: Chapter | None,
    rows: str | None = None,
    as_json: bool,
) -> int:
    """Writes the page, or one chapter; returns the exit code: 1 if lint finds what the design does not accept.

    A chapter of the page that cannot be measured says why; on its own, it raises WrongUsage or CommandFailed.
    """
    design, variants = find_variants(name)
    if rows is not None and only not in MOST_ROWS:
        raise WrongUsage(f"--rows: needs --only {' or --only '.join(MOST_ROWS)}")
    most = None if rows is None or only is None else large_number("--rows", rows, MOST_ROWS[only], FEWEST_ROWS)
    measured: dict[Chapter, Measured] = {}
    missing: dict[Chapter, str] = {}
    with doing(errors, full_name(design, variants[0])) as tell:
        measuring = Measuring(design, variants, load, tell, most)
        for title, measure in measuring.chapters.items():
            if only in (None, title):
                try:
                    measured[title] = measure()
                except (CommandFailed, NothingToMeasure, WrongUsage) as error:
                    if only is not None:
                        raise
                    missing[title] = str(error)
    if only is None:
        _page(out, name, load, measured, missing, as_json=as_json)
    elif as_json:
        json_object(out, measured[only].as_json())
    else:
        measured[only].show(out)
    lint = measured.get("lint")
    return int(isinstance(lint, LintFindings) and lint.number > 0)


def _page(
    to: Console,
    name: str,
    load: ExpectedLoad,
    measured: Mapping[Chapter, Measured],
    missing: Mapping[Chapter, str],
    *,
    as_json: bool,
) -> None:
    verdict = "; ".join(_verdict(load, measured))
    if as_json:
        of_load = {"records_a_day": load.records_a_day, "keep_days": load.keep_days, "servers": load.servers}
        shown: dict[str, Any] = {"name": name, "verdict": verdict, "load": {**of_load, "assumed": load.assumed}}
        shown.update((title, chapter.as_json()) for title, chapter in measured.items())
        json_object(to, {**shown, "not_measured": missing})
        return
    wrapped(to, f"{name}: {verdict}", style="bold")
    assumed = f"; assumed, because not given: {', '.join(load.assumed)}" if load.assumed else ""
    wrapped(to, f"load: {load.words}{assumed}")
    line(to)
    for title in CHAPTERS:
        texts = measured[title].brief() if title in measured else [f"not measured: {missing[title]}"]
        _chapter(to, title, texts)
    line(to)
    wrapped(to, f"rowbook review {name} --only CHAPTER shows one of them whole: {', '.join(CHAPTERS)}")


def _chapter(to: Console, title: str, texts: Iterable[str]) -> None:
    for text in texts:
        wrapped(to, f"{title:{TITLE_WIDTH}}{text}", TITLE_WIDTH + 2)
        title = ""


def _verdict(load: ExpectedLoad, measured: Mapping[Chapter, Measured]) -> Iterator[str]:
    """The clauses of the verdict: regions, the busiest server, findings."""
    simulated, lint = measured.get("simulate"), measured.get("lint")
    if isinstance(simulated, SimulatedLoad):
        end = "a year from now" if load.keep_days == A_YEAR else f"after {load.keep_days:g} days"
        yield f"{count(simulated.regions_at_first, 'region')} at first, {simulated.regions:,} {end}"
        table, simulation = simulated.busiest
        if load.servers > 1:
            to_table = f" to {table}" if len(simulated.simulated.tables) > 1 else ""
            yield f"the busiest server takes {simulation.busiest_server:.0%} of the writes{to_table}"
    else:
        yield "regions unknown"
    if isinstance(lint, LintFindings):
        yield f"lint has {count(lint.number, 'finding')}"
