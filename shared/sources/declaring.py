"""What follows from a declaration of a table, whether it is a source, a list or a table alone."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..keys import KeyLayout, Splits
from ..tables import Column, Family, TableLayout
from ..tables.cells import Cells

if TYPE_CHECKING:
    from ..tables import OtherColumns

L = TypeVar("L")

Columns = Mapping[str, "str | Column | OtherColumns"]
"""The column of each attribute: `"o:i"` is `Column("o:i")`."""
NO_FAMILIES: Mapping[str, Family] = {}


def layout_of(key: type[Any] | KeyLayout[Any]) -> KeyLayout[Any]:
    """The layout of a key: that of its class has no prefixes."""
    return key if isinstance(key, KeyLayout) else KeyLayout(key)


def table_layout(
    table: str,
    holds: str,
    key: KeyLayout[Any],
    cells: Cells[L],
    families: Mapping[str, Family],
    splits: Splits | None,
) -> TableLayout[Any, L]:
    """A layout in which families and split points that are not given follow from the cells and the key."""
    options: dict[str, Any] = {"families": families} if families else {}
    if splits is not None:
        options["splits"] = splits
    return TableLayout(table, holds, key, cells, **options)


def holds_of(key: KeyLayout[Any], record: type[Any]) -> str:
    """What a row is, in a few words: the first sentence of the key's docstring, or the name of the record."""
    sentence = (key.key_class.__doc__ or record.__name__).partition("\n")[0].partition(".")[0]
    return sentence[:1].lower() + sentence[1:]
