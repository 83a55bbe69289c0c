"""None and text in cells of CSV: an empty cell is None if the field may be None, otherwise it is an empty text.

If such a field may also be text, the cell of an empty text is two quotes. A text that is two quotes, or any other even
number of them and nothing else, has two more in its cell. So None and each text have different cells.

A spreadsheet keeps these, because quotes are the contents of the cell. It does not keep the difference between an empty
cell and one that only the file quotes, which other programs write for None and an empty text.
"""

from typing import Any, get_args

from .values import allows_none


def may_be_empty(wanted: Any) -> bool:
    """Whether a field of this type is None in an empty cell."""
    return wanted is not Any and allows_none(wanted)


def read_cell(text: str) -> str | None:
    """The text of a cell of a field that may be None."""
    if not text:
        return None
    return text[2:] if _is_quotes(text) else text


def write_cell(wanted: Any, text: str) -> str:
    """The cell that is read as this text for a field of a type."""
    return f'""{text}' if str in get_args(wanted) and may_be_empty(wanted) and _is_quotes(text) else text


def _is_quotes(text: str) -> bool:
    return len(text) % 2 == 0 and not text.strip('"')
