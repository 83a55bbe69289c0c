"""One table and no index, as published: a product is one row, stored by a get of what it replaces and one put.

A crash leaves nothing to complete. A product id alone reads the whole shop, and what is new in a category reads the
whole category, by product id. Two writers of one product are not ordered: of two changes at the same moment one is
lost. Their clocks are not compared: if one is ahead, and a product that it dated is withdrawn, another process cannot
store the product again until its own clock has passed that date: the tombstone hides it. Choose it if every question
names the region, and writes must be cheap.
"""

from typing import TYPE_CHECKING

from shared.keys import between
from shared.queries import Query
from shared.sources import Table
from shared.writes import CLOCK, WriterClock

from ...keys import BY_LISTING, PRODUCTS, ProductInCategory
from ...records import Product
from ...repository import after_change_price

if TYPE_CHECKING:
    import happybase

ONE_TABLE = Table("catalog_one_table", ProductInCategory, Product, PRODUCTS.columns)
TABLES = ONE_TABLE.tables


class Repository:
    """Stores products, changes their prices, withdraws them, and finds them, all in one table.

    Cells are dated by the system's clock, above those that they replace, and above what this process has deleted.
    """

    def __init__(
        self, connection: "happybase.Connection", products: Table[Product] = ONE_TABLE, clock: WriterClock = CLOCK
    ) -> None:
        self._products = products.on(connection)
        self._clock = clock
        self._deleted_ms = 0
        """The largest timestamp up to which this process has deleted cells."""

    # ---- writes

    def store(self, product: Product) -> None:
        """Stores a product, or its new values. Storing it again changes nothing. Costs: one get, one put."""
        stored, written_ms = self._stored(product)
        if product != stored:
            self._put(product, written_ms)

    def change_price(self, product: Product, price: int) -> Product:
        """Stores a new price; returns the product with it. Raises `UnknownProduct`. Costs: one get, one put."""
        stored, written_ms = self._stored(product)
        changed = after_change_price(product, price, stored)
        self._put(changed, written_ms)
        return changed

    def withdraw(self, product: Product) -> None:
        """Removes a product. Costs: one get, one delete."""
        stored, written_ms = self._stored(product)
        if stored is not None:
            families = [*self._products.layout.families]  # happybase would ask the store for them
            self._products.rows.delete(self._products.row(product), families, timestamp=written_ms)
            self._deleted_ms = max(self._deleted_ms, written_ms)

    # ---- questions

    def product(self, shop: str, region: str, category: str, product_id: str) -> Product | None:
        """The product with this key, or None. Costs: one get."""
        return self._products.ask(shop=shop, region=region, category=category, product_id=product_id).first()

    def in_region(self, shop: str, region: str, category: str | None = None) -> Query[Product]:
        """The products of a region, or of one category there. Costs: one scan of a page's rows and one more."""
        of_category = {} if category is None else {"category": category}
        return self._products.ask(shop=shop, region=region, **of_category)

    def of_category(self, shop: str, category: str) -> Query[Product]:
        """The products of a category in all regions. Costs: one scan of the whole shop."""
        return self._products.ask_more(shop=shop, category=category)

    def with_id(self, shop: str, product_id: str) -> Query[Product]:
        """The products of a shop with this id. Costs: one scan of the whole shop."""
        return self._products.ask_more(shop=shop, product_id=product_id)

    def new_in(
        self, shop: str, region: str, category: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Product]:
        """The products of a category that were listed in a period, by product id. Costs: one scan of the category."""
        place, listed = {"shop": shop, "region": region, "category": category}, between(since_ms, until_ms)
        BY_LISTING.layout.plan(**place, listed_ms=listed)  # refuses what is not a period; here no part of the key does
        return self._products.ask(**place).where(listed_ms=listed)

    def _stored(self, product: Product) -> tuple[Product | None, int]:
        """The product as it is stored, or None; and the timestamp of its newest cell in milliseconds."""
        row = self._products.row(product)
        cells = self._products.rows.row(row, include_timestamp=True)
        if not cells:
            return None, 0
        stored = self._products.layout.record(row, {column: value for column, (value, _) in cells.items()})
        return stored, max(written_ms for _, written_ms in cells.values())

    def _put(self, product: Product, above_ms: int) -> None:
        cells = self._products.layout.cells.pack(product)
        written_ms = max(self._clock.read_ms(), above_ms + 1, self._deleted_ms + 1)
        self._products.rows.put(self._products.row(product), cells, timestamp=written_ms)
