"""What a command is doing, shown while it takes long: in the last line of a terminal, and nowhere else."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console

from .terminal import visible


@contextmanager
def doing(errors: Console, what: str) -> Generator[Callable[[str], None]]:
    """A block that takes seconds; the function that it gets shows what is being done, beside the time since it began.

    The line is gone at the end of the block. Without a terminal on stderr, or if output is plain, nothing is shown.
    """
    if errors.no_color:
        yield lambda _words: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    words = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    columns = SpinnerColumn(), TimeElapsedColumn(), words
    with Progress(*columns, console=errors, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(visible(what))
        yield lambda words: bar.update(task, description=visible(f"{what}: {words}"))
