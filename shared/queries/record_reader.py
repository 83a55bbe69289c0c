"""The rows of one page: read, counted, decoded, and compared with the conditions of its question."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import happybase

from ..keys.errors import InvalidQuestion, message_of, shown
from ..keys.questions import Plan, matcher
from ..tables.errors import InvalidRow
from .scanning import StoredRows, run_plan
from .server_filters import ServerFilter

R = TypeVar("R")


class RecordReader(Generic[R]):
    """Reads rows of a table, and makes records of those that match.

    `conditions` are the attributes of a page's `where`, each with the value, interval or prefix that it must match.
    """

    def __init__(
        self,
        table: happybase.Table,
        decode: Callable[[bytes, dict[bytes, bytes]], R],
        conditions: Sequence[tuple[str, Any]],
        filter: ServerFilter | None,
        on_invalid: Callable[[InvalidRow], None] | None,
    ) -> None:
        self.table = table
        self.conditions = conditions
        self.on_invalid = on_invalid
        self.rows_read = 0
        self._decode = decode
        self._filter = filter
        self._matchers = [(name, wanted, matcher(wanted)) for name, wanted in conditions]

    @property
    def may_skip_rows(self) -> bool:
        """Whether a page may have to read more rows than it returns records."""
        return bool(self.conditions) or self.on_invalid is not None

    def rows(self, plan: Plan, limit: int | None, reverse: bool, buffer_rows: int) -> StoredRows:
        """The rows of a plan that the server-side filter lets through."""
        return run_plan(self.table, plan, limit, reverse, buffer_rows, self._filter)

    def matching(self, row: bytes, cells: dict[bytes, bytes]) -> list[R]:
        """The record of a row, in a list; an empty list if it does not match, or is invalid and reported."""
        self.rows_read += 1
        try:
            record = self._decode(row, cells)
        except InvalidRow as error:
            invalid = error
        except ValueError as error:
            invalid = InvalidRow(self.table.name.decode(errors="replace"), row, message_of(error))
            invalid.__cause__ = error
        else:
            return [record] if self._matches(record) else []
        if self.on_invalid is None:
            raise invalid
        self.on_invalid(invalid)
        return []

    def _matches(self, record: R) -> bool:
        for name, wanted, matches in self._matchers:
            try:
                if not matches(getattr(record, name)):
                    return False
            except (TypeError, AttributeError, RecursionError):
                raise _incomparable(record, name, wanted) from None
        return True


def _incomparable(record: object, name: str, wanted: Any) -> InvalidQuestion:
    if not hasattr(record, name):
        return InvalidQuestion(f"where: {type(record).__name__} has no attribute {name}")
    given = shown(getattr(record, name))  # of another type than the interval or the prefix
    return InvalidQuestion(f"where: {name} is {given}, which cannot be compared with {shown(wanted)}")
