"""A table on a connection, and its questions."""

from typing import Any, TypeVar

from ..keys import InvalidQuestion
from ..queries import Query
from ..tables import BoundTable

R = TypeVar("R")


class AskedTable(BoundTable[Any, R]):
    """A table on a connection that answers questions: the rows as they are.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def get(self, key: object) -> R | None:
        """The record with this key, or None. `key` is of the key's class, or has its parts. Costs: one get."""
        row = self.row(key)
        cells = self.rows.row(row, columns=[*self.layout.cells.columns])
        found = self.layout.records(row, cells)
        if len(found) > 1:
            return self.layout.record(row, cells)  # raises InvalidRow: a key of the row alone does not tell which
        return found[0] if found else None

    def ask(self, /, **question: Any) -> Query[R]:
        """The records for a value or an interval of parts of the key; see `KeyLayout.plan` for what can be asked.

        Costs: one scan of a page's rows and one more, for each range.
        """
        return Query(self, self.plan(**self._checked("ask", question)))

    def ask_more(self, /, **question: Any) -> Query[R]:
        """As `ask`, but what the key cannot bind the client compares: it may read more rows than it returns."""
        return Query(self, self.narrow(**self._checked("ask_more", question)))

    def ask_all(self) -> Query[R]:
        """All records. Costs: a scan of the whole table."""
        return Query(self, self.whole_table())

    def _checked(self, method: str, question: dict[str, Any]) -> dict[str, Any]:
        """The conditions of a question. Raises InvalidQuestion if there is none: `ask_all` is for the whole table."""
        if not question:
            raise InvalidQuestion(
                f"{method}: must have a value for a part of {self.layout.key.name}; ask_all reads all rows"
            )
        return question
