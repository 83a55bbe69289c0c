"""A table of a store: its layout, and happybase's own table."""

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..keys import Plan
from .layouts import TableLayout

if TYPE_CHECKING:
    import happybase

K = TypeVar("K")
R = TypeVar("R")


class BoundTable(Generic[K, R]):
    """A table layout on a connection.

    by_seller = BoundTable(connection, BY_SELLER)
    by_seller.rows.put(by_seller.row(line), by_seller.layout.cells.pack(line))
    Query(by_seller, by_seller.plan(seller_id="s-17")).newest_first()

    `is_for_upkeep`: upkeep also reads a list that lacks lines, because it puts them.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self, connection: "happybase.Connection", layout: TableLayout[K, R], *, is_for_upkeep: bool = False
    ) -> None:
        self.connection = connection
        self.layout = layout
        self._is_for_upkeep = is_for_upkeep
        self._rows = connection.table(layout.name)

    @property
    def rows(self) -> "happybase.Table":
        """Happybase's own table.

        Raises LayoutMismatch if another layout made the keys that are stored, and UnfilledList for a list that `repair`
        has not filled yet. Costs: those of `check_layouts`, the first time on a connection and once in ten minutes.
        """
        from .recorded_layouts import check_filled, check_layouts  # a declaration and its plans need no store

        if self._is_for_upkeep:
            check_layouts(self.connection, [self.layout])
        else:
            check_filled(self.connection, self.layout)
        return self._rows

    @property
    def name(self) -> bytes:
        """The name of the table in the store, with the prefix of the connection."""
        name: bytes = self._rows.name
        return name

    def row(self, record: K | R) -> bytes:
        """The row key of a record, or of a key."""
        return self.layout.row(record)

    def plan(self, /, **question: Any) -> Plan:
        """The ranges of a question, see `TableLayout.plan`."""
        return self.layout.plan(**question)

    def narrow(self, /, **question: Any) -> Plan:
        """The ranges of as much of a question as the key can bind, see `TableLayout.narrow`."""
        return self.layout.narrow(**question)

    def whole_table(self) -> Plan:
        """The ranges of all rows, see `TableLayout.whole_table`."""
        return self.layout.whole_table()

    def __repr__(self) -> str:
        return f"BoundTable({self.name.decode()}: {self.layout.holds})"
