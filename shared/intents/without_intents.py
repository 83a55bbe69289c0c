"""Sources that are created and removed without an intent of their own: `claim` and `forget`."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..keys.errors import shown_bytes
from ..queries.scanning import in_batches
from ..tables import InvalidRecord, InvalidRow
from .times import FORGET_MS
from .write_steps import before_decision_ms
from .writer import IntentWriter

R = TypeVar("R")


def claim(writer: IntentWriter[R], records: Iterable[R], revives: Callable[[], bool] = lambda: False) -> int:
    """Creates a source, with its lines, for each of these records that was never written; returns how many.

    Every other source stays as it is, even if it cannot be read, or if its record was deleted. If some were deleted,
    `revives` says, after their sources were read, whether these are created again. `claim` puts no intent. It is meant
    for the steps of a longer write, whose own source says that the write is not finished. After an error or a crash,
    call it again. Raises InvalidRecord if a record has lines in a list that does not move, or if a tombstone dated in
    the future hides what was put; and ClockSkew before anything is put.
    Costs: 1 call that reads the sources for each 1,000 records. If some were never written: 1 put for each list, 1
    checkAndPut for each new source, and the same reads again.
    """
    record_of = {writer.source.row(record): record for record in records}
    lines_of = {row: writer.derived(record) for row, record in record_of.items()}
    for table in {cell[0] for lines in lines_of.values() for cell in lines} - writer.moving:
        raise InvalidRecord(f"table {table}: claim needs lists that move")
    claimed: set[bytes] = set()
    while True:
        began = writer.check_clock()
        sources = writer.reader.read_each(record_of)
        missing = {
            row: source
            for row, source in sources.items()
            if not isinstance(source, InvalidRow) and source.record is None
        }
        unwritten = {row: source for row, source in missing.items() if source.was_never_written}
        for row in claimed & unwritten.keys():
            raise InvalidRecord(f"{writer.source.name}: row {shown_bytes(row)}: a tombstone of the future hides it")
        if len(unwritten) < len(missing) and revives():
            unwritten = {row: source for row, source in missing.items() if row not in claimed}
        if not unwritten:
            return len(claimed)
        writer.put(*((lines_of[row], before_decision_ms(source, began)) for row, source in unwritten.items()))
        for row, source in unwritten.items():
            if writer.is_past_window(began):
                break
            if writer.check_and_put(row, source, writer.next_revision(source, record_of[row], began.wall_ms)):
                claimed.add(row)
                if writer.is_past_window(began):  # the lines may be gone
                    writer.repair(row, ())


def forget(writer: IntentWriter[Any], rows: Iterable[bytes]) -> int:
    """Deletes the source cells of deleted records in these rows; returns how many of them are still too young.

    The source of a deleted record keeps its cell, so that no late call brings the record back. `forget` deletes a cell
    that is older than `FORGET_MS`, for example because the row key names a person. If it returns more than 0, call it
    again after `FORGET_MS`. Rows of stored records, and rows that cannot be read, stay as they are and are not counted.
    Raises ClockSkew.
    Costs: 1 call that reads the rows for each 1,000 of them, and 1 delete for each deleted cell.
    """
    stored_rows, column, too_young = writer.rows(writer.source.name), writer.cells.columns[0], 0
    old_ms = writer.check_clock().wall_ms - FORGET_MS
    for batch in in_batches(dict.fromkeys(rows)):
        for row, cells in stored_rows.rows(batch, columns=[column], include_timestamp=True):
            cell, stored_ms = cells[column]
            source = writer.reader.source_or_error(row, {column: cell})
            if isinstance(source, InvalidRow) or source.record is not None:
                continue
            if max(stored_ms, source.time_ms) <= old_ms:
                stored_rows.delete(row, [column], timestamp=stored_ms)  # spares a later revision
            else:
                too_young += 1
    return too_young
