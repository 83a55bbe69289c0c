"""The newest versions of one record.

A family keeps the newest `Family.max_versions` versions of each cell. Two puts of one millisecond are one version: the
later one replaces the earlier one. A delete hides every version up to its timestamp. So a history that must hold every
change has a column, or a row, for each change.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import attrs

from ..keys.errors import InvalidQuestion, shown
from ..keys.ranges import Plan
from ..tables.bound_table import BoundTable
from ..tables.errors import InvalidRow
from .explanations import Explanation
from .past_rows import kept_versions
from .query import check_same_table

R = TypeVar("R")


@attrs.frozen
class Version(Generic[R]):
    """A record as it was from one change to the next."""

    time_ms: int
    """The timestamp of its newest cell."""
    record: R | None
    """None if the record was deleted then, but its source remembers it."""


class Versions(Generic[R]):
    """The newest versions of one record, newest first.

    for version in Versions(documents, documents.plan(user_id="user000001"), newest=3):
        print(version.time_ms, version.record)

    The plan must bind every part of the key: versions are those of one row, or of one cell in a row of many records. A
    version is the record after one of its cells changed; cells of one timestamp changed together. `newest` is at most
    the versions that the families keep. Nothing is read before the versions are iterated over.

    Costs: one call for each column, because Thrift1 returns one version in a get or a scan. With `OtherColumns` one
    more, which reads their names. A change that comes between two calls may show in some columns only.
    """

    def __init__(self, table: BoundTable[Any, R], plan: Plan, newest: int) -> None:
        layout = table.layout
        check_same_table(layout, plan)
        if plan.point is None or plan.residual:
            wanted = "plan: must be of one row, with a value for every part of its key"
            raise InvalidQuestion(f"{wanted} (got {shown(plan.conditions)})")
        kept = kept_versions(layout)
        if type(newest) is not int or not 1 <= newest <= kept:
            wanted = f"newest: must be 1..{kept}, the versions that table {layout.name} keeps"
            raise InvalidQuestion(f"{wanted} (got {shown(newest)})")
        claimed = layout.cells.columns if plan.column is None else (plan.column,)
        self._columns = [column for column in claimed if b":" in column]
        self._families = [family for family in claimed if b":" not in family]
        self._table = table
        self._plan = plan
        self._row = plan.point
        self._newest = newest

    def __iter__(self) -> Iterator[Version[R]]:
        """Yields the versions. Raises InvalidRow for one that is not a record of the table."""
        rows, changed = self._table.rows, dict[int, dict[bytes, bytes]]()
        others = sorted(rows.row(self._row, self._families)) if self._families else []
        for column in (*self._columns, *others):
            for value, time_ms in rows.cells(self._row, column, versions=self._newest, include_timestamp=True):
                changed.setdefault(time_ms, {})[column] = value
        cells: dict[bytes, bytes] = {}
        versions: list[tuple[int, dict[bytes, bytes]]] = []
        for time_ms in sorted(changed):
            cells = cells | changed[time_ms]
            versions.append((time_ms, cells))
        for time_ms, cells in versions[: -self._newest - 1 : -1]:
            yield Version(time_ms, self._record(cells))

    def _record(self, cells: dict[bytes, bytes]) -> R | None:
        layout = self._table.layout
        records = layout.records(self._row, cells)
        if len(records) > 1:
            raise InvalidRow(
                layout.name, self._row, f"{layout.cells.record.__name__}: must be one (got {len(records)})"
            )
        return records[0] if records else None

    def explain(self) -> Explanation:
        """What iterating would do: its row, and a call for each column. Reads nothing."""
        return Explanation(
            self._table.name,
            self._plan.ranges,
            streams=1,
            reverse=False,
            client_work=(),
            server_filtered=(),
            is_wide=False,
            rpcs=(calls := len(self._columns) + bool(self._families)),
            round_trips=calls,
            is_exact=not self._families,
            versions=self._newest,
        )
