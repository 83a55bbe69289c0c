"""`rowbook load` into a file store: lines of an access log beside raw batches of the same rows.

Run `python -m tests.programs.benchmarks.bench_load [--quick]`. Each side writes a new file in each round. The raw
batches are happybase's, of rows that were encoded before, with one timestamp for all; `load` also parses the lines and
encodes the rows, each with its own time.
"""

from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from domains.logs import LOGS, LogEvent
from domains.logs.formats import FORMATS
from shared.loading import read_records
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.benchmarks.measuring import WRITTEN_MS, Report, loaded, put_rows
from tests.programs.benchmarks.stock import access_log
from tests.programs.benchmarks.turns import in_turns

LOADED_AT_LEAST = 0.65
"""Lines a second of `load` as a share of the rows a second of raw batches."""

LINES, ROUNDS = 60_000, 5


def raw_batches(rows: Sequence[tuple[bytes, dict[bytes, bytes]]], url: str) -> None:
    with closing(connect(url)) as connection:
        create_tables(connection, [LOGS.layout])
        put_rows(connection.table(LOGS.layout.name), rows, WRITTEN_MS)


def main(quick: bool = False) -> None:
    """Prints the ratio beside its target; `quick` shows that it runs."""
    lines, rounds = (1_000, 1) if quick else (LINES, ROUNDS)
    report, numbers = Report(), count()
    with TemporaryDirectory() as folder:

        def new_file() -> str:
            return f"embedded:{folder}/{next(numbers)}.db"

        file = Path(folder, "access.log")
        file.write_text("".join(access_log(lines)))
        events = read_records(file, LogEvent, formats=FORMATS)
        rows = [(LOGS.layout.row(event), LOGS.layout.cells.pack(event)) for event in events]
        sides = (lambda: raw_batches(rows, new_file())), (lambda: loaded("logs", [file], new_file()))
        turns = in_turns(*sides, rounds=rounds, at_least_s=0.0)
    rate = f"{turns.spread()} rounds; {lines / turns.median_ms(1) * 1000:,.0f} lines/s"
    report.line(f"{lines:,} access-log lines, load / raw", turns.ratio(), rate, at_least=LOADED_AT_LEAST)
    report.end(quick)


if __name__ == "__main__":
    typer.run(main)
