"""Rows of sources as they were at a time, and whether the store still knows what they were.

A source counts its revisions, and a family drops a version only if it has as many newer ones as it keeps. So what is
read as of a time is right if fewer revisions have followed it. Otherwise a compaction may have dropped that version, or
one that came between, at a time of its own in each file: the read may find nothing, or an earlier version.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from ..tables.cells import CountsRevisions, families_of
from ..tables.errors import InvalidRecord, InvalidRow
from ..tables.layouts import TableLayout

if TYPE_CHECKING:
    import happybase

PastRow: TypeAlias = tuple[bytes, Mapping[bytes, bytes] | InvalidRow]
"""A row key and its cells, or the error of a row of which the store no longer knows what it was."""


def kept_versions(table: TableLayout[Any, Any]) -> int:
    """The number of versions that every family of a table's cells keeps."""
    return min(table.families[name].max_versions for name in families_of(table.cells))


def rows_as_of(
    rows: "happybase.Table",
    layout: TableLayout[Any, Any],
    cells: CountsRevisions,
    present: Sequence[tuple[bytes, Mapping[bytes, tuple[bytes, int]]]],
    as_of_ms: int,
) -> Iterator[PastRow]:
    """Rows of a table of sources as they were, from their dated cells of now; without cells if there was none.

    Costs: 2 calls if any of them has changed since; 1 more for a row that has changed as often since as its family
    keeps versions.
    """
    column, kept = cells.columns[0], kept_versions(layout)

    def is_known(row: bytes, then: bytes | None, now: bytes | None) -> bool:
        with suppress(InvalidRecord):  # a damaged cell counts nothing
            first = max(cells.revision_of(then), 1)  # if the first one is kept, and is later, there was none
            if cells.revision_of(now) - first < kept:
                return True
        versions = rows.cells(row, column, versions=kept)  # two revisions of one millisecond are one version
        return len(versions) < kept or then in versions

    changed = [row for row, dated in present if dated[column][1] > as_of_ms]
    then_of = dict(rows.rows(changed, [column], timestamp=as_of_ms + 1)) if changed else {}
    now_of = dict(rows.rows(changed, [column])) if changed else {}  # later: it counts what was dropped before
    for row, dated in present:
        value, changed_ms = dated[column]
        then = {column: value} if changed_ms <= as_of_ms else then_of.get(row, {})
        if changed_ms <= as_of_ms or is_known(row, then.get(column), now_of.get(row, {}).get(column)):
            yield row, then
        else:
            reason = f"{cells.record.__name__}: as of {as_of_ms} ms is unknown: only {kept} later versions are kept"
            yield row, InvalidRow(layout.name, row, reason)
