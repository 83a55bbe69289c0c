"""Checks of declared tables: attributes without a place, cells that two layouts claim, split points out of order."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..keys import KeyLayout, Rest, Slice, Splits
from ..keys.limits import MAX_ROW_BYTES
from ..keys.parts import Part
from ..keys.slice_codecs import share_codec
from .cells import Cells
from .errors import InvalidRecord
from .record_cells import RecordCells

if TYPE_CHECKING:
    from .item_cells import ItemCells

R = TypeVar("R")


def items_of(cells: Cells[R]) -> "ItemCells[R] | None":
    """The cells, if a row of them holds many records (`ItemCells`); None otherwise."""
    if not hasattr(cells, "qualifier"):
        return None
    from .item_cells import ItemCells

    return cells if isinstance(cells, ItemCells) else None


def check_attributes(table: str, layout: KeyLayout[Any], cells: Cells[Any]) -> None:
    """Raises InvalidRecord if an attribute of the record is neither in the row key nor in the cells, or in both.

    Also if the record lacks a part of the row key. Only a value that is divided (`Slice`, `Rest`) may be in both.
    A part that `RecordCells.key_names` names may be a property of the record.
    """
    record = cells.record
    attributes = [field.name for field in attrs.fields(record)]
    part_of = cells.key_names if isinstance(cells, RecordCells) else {}
    whole_slices = {name for name in part_of.values() if hasattr(record, name)}
    items = items_of(cells)
    qualifier = items.qualifier.part_named if items else {}
    for name in attributes:
        if (
            part_of.get(name, name) not in layout.part_named
            and name not in cells.cell_attributes
            and attrs.fields_dict(record)[name].init
        ):
            raise InvalidRecord(
                f"{record.__name__}.{name}: must be a column of table {table}, or a part of {layout.name}"
            )
    for part in layout.parts:
        place = f"because it is a part of {layout.name}, the key of table {table}"
        if part.name in whole_slices:
            continue
        if part.name not in attributes:
            has = ", ".join(attributes)
            raise InvalidRecord(f"{record.__name__}.{part.name}: must be an attribute, {place} (has {has})")
        rest = qualifier.get(part.name)
        if isinstance(share_codec(part.codec), Rest):
            raise InvalidRecord(f"{record.__name__}.{part.name}: a Rest must be in the qualifier (got {part.codec})")
        if isinstance(share_codec(part.codec), Slice):
            if rest is None and part.name not in cells.cell_attributes:
                wanted = "must be in the cells too, as a Rest or as a column"
                raise InvalidRecord(
                    f"{record.__name__}.{part.name}: {wanted}, because the row key holds its slice only"
                )
            if rest is not None:
                _check_rest(record, part, rest)
        elif rest is not None:
            raise InvalidRecord(
                f"{record.__name__}.{part.name}: is in the row key and in the qualifier, so it must be "
                f"a Slice and a Rest (got {part.codec} and {rest.codec})"
            )
        elif part.name in cells.cell_attributes:
            raise InvalidRecord(f"{record.__name__}.{part.name}: must be in the row key or in the cells, not in both")
    for part in qualifier.values():
        divided = share_codec(part.codec)
        if isinstance(divided, Slice):
            raise InvalidRecord(f"{record.__name__}.{part.name}: a Slice must be in the row key (got {part.codec})")
        if isinstance(divided, Rest) and part.name not in layout.part_named:
            raise InvalidRecord(f"{record.__name__}.{part.name}: is a Rest, so it must be a Slice in {layout.name}")


def _check_rest(record: type[Any], part: Part, rest: Part) -> None:
    """The two shares of one value must fit: the same slices, in the same direction."""
    divided, remaining = share_codec(part.codec), share_codec(rest.codec)
    if (
        not isinstance(divided, Slice)
        or not isinstance(remaining, Rest)
        or (divided.every, part.codec.descending) != (remaining.every, rest.codec.descending)
    ):
        raise InvalidRecord(
            f"{record.__name__}.{part.name}: must be a Slice and a Rest of equal length and direction "
            f"(got {part.codec} and {rest.codec})"
        )


Claim = tuple[bytes, bool]
"""A column, or the start of columns; and whether all columns that start with it are claimed."""


def claimed_by_both(first: Iterable[Claim], second: Iterable[Claim]) -> bytes | None:
    """A column, a family, or the start of columns that two layouts both claim; None if there is none."""
    for (column, starts), (other, other_starts) in product(first, second):
        if column == other or (starts and other.startswith(column)) or (other_starts and column.startswith(other)):
            return max(column, other, key=len)
    return None


def claims_of(cells: Cells[Any]) -> Iterator[Claim]:
    """The columns that cells claim of a row."""
    items = items_of(cells)
    for column in cells.columns:
        if items:
            yield column + b":" + items.label, True
        elif b":" in column:
            yield column, False
        else:
            yield column + b":", True


def check_splits(table: str, splits: Splits) -> None:
    """Raises InvalidRecord for split points that are not rows in their order."""
    points = splits.points
    for point, before in zip(points, (b"", *points), strict=False):
        if not before < point or len(point) > MAX_ROW_BYTES:
            wanted = f"must be rows of 1..{MAX_ROW_BYTES} bytes in their order"
            raise InvalidRecord(f"table {table}: split points {wanted} (got {point[:100]!r} after {before[:100]!r})")
