"""The file format of catalog: the sales of a collection of items, each item offered at the price of its last sale.

timestamp, id, price (in eth), price (in wei), from, to, block, tx
2017-06-23 21:46:53 UTC, 5056, 0.100000, 100000000000000000, 0xc352..., 0x00bd..., 3919847, 0xd79c...
shop CryptoPunks, region ethereum, category 0.1 to 1 ETH, product 5056, title item 5056, price 100000000000000000
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from shared.loading import FORMATS as OF_EVERY_DESIGN
from shared.loading import Format, FormatRows

from .records import Product

_CSV = next(format for format in OF_EVERY_DESIGN if format.name == "csv")
_HEADER = ["timestamp", "id", "price (in eth)", "price (in wei)"]
_NEEDED = ["timestamp", "id", "price (in wei)"]
WEI_PER_ETH = 10**18
BANDS = ((WEI_PER_ETH // 10, "under 0.1 ETH"), (WEI_PER_ETH, "0.1 to 1 ETH"), (10 * WEI_PER_ETH, "1 to 10 ETH"))
"""Categories, each with the price at which it ends; a higher price is in the last one."""
LAST_BAND = "10 ETH and more"


def _header(line: str) -> list[str]:
    """The fields of a product, all made of the columns of a header. Raises ValueError if one of these is missing."""
    columns = _CSV.header(line) if _CSV.header else []
    if missing := [column for column in _NEEDED if column not in columns]:
        raise ValueError(f"has no column {', '.join(missing)}")
    return [field.name for field in attrs.fields(Product)]


def _sales(lines: Iterable[str], path: Path) -> FormatRows:
    """One row for each item, that of its last line; earlier ones are ignored. The file is read to its end first."""
    last_sales: dict[str, tuple[int, int, dict[str, Any]]] = {}
    for first, last, row in _CSV.read(lines, path):
        if not isinstance(row, dict):
            yield first, last, row
        else:
            if earlier := last_sales.pop(row["id"], None):  # so that items come in the order of their last sales
                yield earlier[0], earlier[1], None
            last_sales[row["id"]] = first, last, row
    for first, last, row in last_sales.values():
        yield first, last, _product(row)


def _product(row: dict[str, Any]) -> dict[str, Any] | str:
    price = row["price (in wei)"]
    if not (price.isascii() and price.isdigit()):
        return f"Product.price: must be a number (got {price!r:.100})"
    return {
        "shop": "CryptoPunks",
        "region": "ethereum",
        "category": next((band for end, band in BANDS if int(price) < end), LAST_BAND),
        "product_id": row["id"],
        "listed_ms": row["timestamp"],
        "title": f"item {row['id']}",
        "price": price,
    }


SALES = Format(
    "sales",
    "sales",
    lambda line: [cell.strip() for cell in line.split(",")][: len(_HEADER)] == _HEADER,
    _sales,
    _header,
    line_ends=_CSV.line_ends,
    wanted="the last sale of each item",
)
"""A CSV file of sales, `timestamp, id, price (in eth), price (in wei), ...`. An item is a product of one shop and
region; its category is its price band, because the file names none."""

FORMATS = (SALES,)
