"""Shows what a long command is doing: in the last line of a terminal, and nowhere else."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console

from .terminal import visible


@contextmanager
def doing(errors: Console, what: str, *, beside: Console | None = None) -> Generator[Callable[[str], None]]:
    """Shows that a block of several seconds is working; the block gets a function that shows the words of each step.

    The line also has the time since the block began, and is gone at its end. Nothing is shown without a terminal on
    stderr, if output is plain, or if the block writes to a terminal, `beside`, which then shows that it works.
    """
    if errors.no_color or (beside is not None and beside.is_terminal):
        yield lambda _words: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    words = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    columns = SpinnerColumn(), TimeElapsedColumn(), words
    with Progress(*columns, console=errors, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(visible(what))
        yield lambda words: bar.update(task, description=visible(f"{what}: {words}"))
