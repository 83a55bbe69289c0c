"""Operations that read. What each must answer is asked past the proxy."""

from contextlib import closing
from itertools import islice, zip_longest
from typing import Any

import happybase
from thriftpy2.thrift import TApplicationException

from shared.keys import Plan
from shared.keys.ranges import RowRange, Stream
from shared.queries import ServerFilter
from shared.queries import scan as scan_plan
from shared.queries.scanning import scan_cells
from shared.stores import ScanBroken
from tests.programs.faults.rows import COLUMNS, COUNTER, FLAG, MISSING, NO_FAMILY, STILL
from tests.programs.faults.tally import Broken
from tests.programs.faults.worker import DECLARED, Worker

KEEP_NOTHING = (
    b"KeyOnlyFilter()",
    b"RowFilter(=, 'substring:7')",
    b"SingleColumnValueFilter('e', 'flag', =, 'binary:1', false, true)",
    b"ValueFilter(=, 'substring:b')",
    b"FirstKeyOnlyFilter() AND RowFilter(!=, 'substring:5')",
    b"ColumnPrefixFilter('a') OR QualifierFilter(=, 'binary:flag')",
)
"""Filters that judge each row by itself."""

KEEP_STATE = (
    b"PageFilter(7)",
    b"WHILE RowFilter(!=, 'substring:77')",
    b"InclusiveStopFilter('s-060')",
    b"ColumnCountGetFilter(20)",
)
"""Filters that count rows or remember that they have ended."""

FAMILIES = sorted({column.partition(b":")[0] for column in (*COLUMNS, FLAG)})

MOST = 1000
"""Rows that no scan here has; one that goes round in circles ends there."""


def get(worker: Worker) -> None:
    row, options = _any_row(worker), _get_options(worker)
    worker.read_both(f"row({row!r}, {options})", lambda table: table.row(row, **options))


def get_several(worker: Worker) -> None:
    rows = [_any_row(worker) for _ in range(worker.dice.randint(1, 5))]
    worker.read_both(f"rows({rows})", lambda table: table.rows(rows))


def get_versions(worker: Worker) -> None:
    row, column = _any_row(worker), worker.dice.choice(COLUMNS)
    worker.read_both(f"cells({row!r}, {column!r})", lambda table: table.cells(row, column, 3, include_timestamp=True))


def get_descriptions(worker: Worker) -> None:
    worker.read_both("tables()", lambda table: table.connection.tables())
    worker.read_both("families()", lambda table: sorted(table.families()))


def scan(worker: Worker) -> None:
    """Forwards or reversed, whole rows, at times with a filter that judges each row by itself."""
    options = _scan_options(worker)
    options["filter"] = worker.dice.choice(KEEP_NOTHING) if worker.dice.random() < 0.3 else None
    options["limit"] = worker.dice.randint(1, 40) if worker.dice.random() < 0.3 else None
    _scan(worker, options)


def scan_and_get(worker: Worker) -> None:
    """Gets between the fetches of a scan."""
    _scan(worker, _scan_options(worker), gets_between=True)


def scan_all(worker: Worker) -> None:
    """The whole table, in which others write at the same time: still and own rows must be right, no row twice."""
    reverse = worker.dice.random() < 0.5
    options = {"reverse": reverse, "batch_size": worker.dice.randint(5, 40)}
    rows: list[bytes] = []

    def own_and_still() -> list[Any]:
        with closing(worker.table.scan(**options)) as scan:
            everything = list(islice(scan, MOST))
        rows.extend(row for row, _ in everything)
        return [(row, cells) for row, cells in everything if worker.own.holds(row)]

    expected = [(row, cells) for row, cells in worker.direct.scan(reverse=reverse) if worker.own.holds(row)]
    worker.read(f"scan({options})", own_and_still, expected)
    if rows != sorted(set(rows), reverse=reverse):
        worker.note(Broken.WRONG_ANSWER, f"scan({options}): rows twice or in disorder: {rows}")


def scan_with_state(worker: Worker) -> None:
    """With a filter that keeps state, or with rows in parts: it cannot be taken up again."""
    options = _scan_options(worker)
    options.pop("columns", None)
    if worker.dice.random() < 0.5:
        options["scan_batching"] = worker.dice.randint(1, 2)
    else:
        options["filter"] = worker.dice.choice(KEEP_STATE)
    _scan(worker, options, may_break=True)


def scan_in_part(worker: Worker) -> None:
    """Some rows, and then the reader leaves."""
    options, count = _scan_options(worker), worker.dice.randint(1, 8)

    def first_rows(table: happybase.Table) -> list[Any]:
        with closing(table.scan(**options)) as rows:
            return list(islice(rows, count))

    worker.read_both(f"the first {count} of scan({options})", first_rows)


def two_scans(worker: Worker) -> None:
    """Row by row in turn, so that each scan uses the connection right after the other one."""
    both = [_scan_options(worker), _scan_options(worker)]

    def in_turn(table: happybase.Table) -> list[Any]:
        with closing(table.scan(**both[0])) as first, closing(table.scan(**both[1])) as second:
            return list(islice(zip_longest(first, second), MOST))

    worker.read_both(f"two scans {both}", in_turn)


def merged_ranges(worker: Worker) -> None:
    """Several ranges of still rows, merged or one after the other, read side by side by the suite's client."""
    dice = worker.dice
    ends = sorted(dice.sample(STILL, dice.choice((4, 8, 12, 24))))
    ranges = [RowRange(low, high) for low, high in pairs(ends)]
    streams = [Stream((range_,)) for range_ in ranges] if dice.random() < 0.6 else [Stream(tuple(ranges))]
    filter = dice.choice(KEEP_NOTHING) if dice.random() < 0.3 else None
    options: dict[str, Any] = {
        "limit": dice.randint(1, 40) if dice.random() < 0.5 else None,
        "reverse": dice.random() < 0.5,
        "buffer_rows": dice.choice((1, 20, 200)),
        "filter": None if filter is None else ServerFilter((), filter),
    }
    count = dice.randint(1, 60)

    def first_rows(table: happybase.Table) -> list[Any]:
        with closing(scan_plan(table, Plan(tuple(streams)), **options)) as rows:
            return list(islice(rows, count))

    worker.read_both(f"the first {count} of {ranges} with {options}", first_rows)


def scan_as_arrays(worker: Worker) -> None:
    """The cells of one range or of several, all of them or those of some rows, which numpy finds in the replies."""
    dice = worker.dice
    ends = sorted(dice.sample(STILL, dice.choice((2, 4, 8))))
    ranges = [RowRange(low, high) for low, high in pairs(ends)]
    filter = dice.choice(KEEP_NOTHING) if dice.random() < 0.3 else None
    batch, count = dice.randint(1, 12), dice.choice((3, MOST))

    def cells(table: happybase.Table) -> list[Any]:
        with closing(scan_cells(table, ranges, columns=FAMILIES, filter=filter, batch_rows=batch)) as batches:
            return [
                (read.rows[row], sorted(read.column(cell) + b"=" + read.value(cell) for cell in read.cells_of(row)))
                for read in islice(batches, count)
                for row in range(len(read.rows))
            ]

    worker.read_both(f"the cells of {count} batches of {batch} in {ranges} with {filter!r}", cells)


def pairs(ends: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Each two neighbours."""
    return list(zip(ends[::2], ends[1::2], strict=True))


def get_from_no_family(worker: Worker) -> None:
    """The declared exception, of this very call."""
    family = NO_FAMILY + b"%d" % worker.serial
    worker.fail("row of no family", lambda: worker.table.row(STILL[0], [family + b":q"]), DECLARED, names=family)


def scan_with_nonsense(worker: Worker) -> None:
    """An exception that the call does not declare."""
    filter = b"Nonsense("
    worker.fail("scan with nonsense", lambda: list(worker.table.scan(filter=filter)), (TApplicationException,))


def _scan(worker: Worker, options: dict[str, Any], *, may_break: bool = False, gets_between: bool = False) -> None:
    expected = list(worker.direct.scan(**options))
    rows: list[Any] = []

    def all_rows() -> None:
        with closing(worker.table.scan(**options)) as scan:
            for row in islice(scan, MOST):
                rows.append(row)
                if gets_between and len(rows) % 3 == 0:
                    get(worker)

    ended = worker.attempt(f"scan({options})", all_rows, may_raise=(ScanBroken,) if may_break else ())
    if rows != (expected if ended.error is None else expected[: len(rows)]):
        worker.note(Broken.WRONG_ANSWER, f"scan({options}): {rows} instead of {expected}")


def _any_row(worker: Worker) -> bytes:
    return worker.dice.choice((worker.dice.choice(STILL), worker.dice.choice(worker.own.all), MISSING))


def _get_options(worker: Worker) -> dict[str, Any]:
    columns = worker.dice.sample((*COLUMNS, COUNTER, FLAG), 2) if worker.dice.random() < 0.3 else None
    return {"columns": columns, "include_timestamp": worker.dice.random() < 0.3}


def _scan_options(worker: Worker) -> dict[str, Any]:
    """A range of still rows, or all own ones."""
    dice = worker.dice
    if dice.random() < 0.6:
        low, high = sorted(dice.sample(STILL, 2))
    else:
        low, high = worker.own.first, worker.own.stop
    reverse = dice.random() < 0.5
    start, stop = (high, low) if reverse else (low, high)
    options = {"row_start": start, "row_stop": stop, "batch_size": dice.randint(1, 12), "reverse": reverse}
    columns = dice.sample((*COLUMNS, FLAG), 2) if dice.random() < 0.3 else None
    return {**options, "columns": columns, "sorted_columns": dice.random() < 0.2}
