"""The file of `rowbook repair --checkpoint`: how far the repair has come, for the next run of the same command."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from ...stores.outcomes.connection_errors import first_line
from ...tables import TableLayout
from ...upkeep.checkpoints import Checkpoint
from ..named.designs import find_variants
from ..screen import terminal
from ..screen.wrong_usage import CommandFailed, WrongUsage


@contextmanager
def checkpoint_in(file: str | None, name: str, store: str, errors: Console) -> Generator[Checkpoint | None]:
    """The checkpoint in a file, which is made if it is missing, and removed once the block has ended without an error.

    None without a file. Says on `errors` that an earlier repair is continued. Raises WrongUsage for a checkpoint of
    another design, store or layout of tables: it would skip the wrong rows.
    """
    if file is None:
        yield None
        return
    path = Path(file)
    _design, (variant, *_others) = find_variants(name)
    whose = {"name": name, "store": store, "tables": [_described(table) for table in variant.tables]}

    def save(reached: Any) -> None:
        rows = {passed: row if row is None else row.hex() for passed, row in reached.items()}
        partly = path.with_name(f"{path.name}.new")
        try:
            partly.write_text(json.dumps({**whose, "reached": rows}), encoding="utf-8")
            os.replace(partly, path)  # whole, even if the process is killed here
        except OSError as error:
            raise CommandFailed(f"{file}: {first_line(error)}") from None

    reached = _reached(path, whose) if path.exists() else {}
    save(reached)
    if reached:
        terminal.line(errors, f"{name}: continues the repair whose checkpoint is {file}")
    yield Checkpoint(reached, save)
    path.unlink(missing_ok=True)


def _reached(path: Path, whose: dict[str, Any]) -> dict[str, bytes | None]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        rows = {passed: row if row is None else bytes.fromhex(row) for passed, row in stored.pop("reached").items()}
    except OSError as error:
        raise CommandFailed(f"{path}: {first_line(error)}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WrongUsage(f"{path}: must be a checkpoint that rowbook repair has written; name another file") from None
    if stored != whose:
        other = next(what for what in whose if stored.get(what) != whose[what])
        raise WrongUsage(f"{path}: is the checkpoint of a repair with another {other.rstrip('s')}; name another file")
    return rows


def _described(table: TableLayout[Any, Any]) -> str:
    columns = b", ".join(table.cells.columns).decode(errors="backslashreplace")
    return f"{table.name}: {table.format}; {columns}"
