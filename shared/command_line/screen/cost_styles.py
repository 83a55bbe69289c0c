"""The colours of costs on a terminal; each also has a word or a figure that says the same without them."""

import re

WRONG = "red"
"""What is refused, or gives a wrong answer."""
DEAR = "yellow"
"""More than `DEAR_FROM` rows read for each row returned."""
HOT = "bold yellow"
"""A range that takes most of the writes."""
HOT_MARK = "hot"
"""Stands before the share of a range that takes most of the writes."""
DEAR_FROM = 10

_WRONG = re.compile(r"refused|wrong answer|.* \((?:wrong|mistake)\)")
_READ = re.compile(r"(?:.*, )?([\d.]+)(?:x| for none), ")


def of_cost(_column: str, text: str) -> str:
    """The style of a cell in a table of costs: a verdict, the name of a variant, or the busiest range."""
    if _WRONG.match(text):
        return WRONG
    if (read := _READ.match(text)) is not None and float(read[1]) > DEAR_FROM:
        return DEAR
    return HOT if text.startswith(f"{HOT_MARK} ") else ""
