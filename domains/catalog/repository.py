"""Products in one table, found through two indexes; one method for each question and each write."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.intents import Erasure, Erasures, ErasuresTable, forget
from shared.keys import InvalidQuestion, between, shown
from shared.queries import KEYS_ONLY, Query, scan
from shared.records import check_text
from shared.sources import DELETED, BoundSource, Source
from shared.tables import InvalidRow
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock

from .keys import BY_ID, BY_LISTING, ERASURES, PRODUCTS
from .records import Product

if TYPE_CHECKING:
    import happybase


class UnknownProduct(ValueError):
    """No such product is stored."""


class CatalogRepository:
    """Stores products, changes their prices, withdraws them, and finds them by region, category, id and time.

    A product is decided in its own row; the rows of both indexes are derived from it, see `shared.intents.writer`. When
    a write has returned, every question shows it. An index never lacks a product, and never shows a withdrawn one: its
    pages get the products, and drop rows that lead to none. If a writer dies, repeating the call or running
    `upkeep.recover` completes the write.

    Every question names a shop, and reads no rows of another one. Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        products: Source[Product] = PRODUCTS,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
    ) -> None:
        self._products = products.on(connection, clock)
        self.writer = self._products.writer
        self._erasures = Erasures(connection, erasures, (self.writer,), self._rows_of, delete_lines, "catalog")
        self.upkeep: Upkeep = CombinedUpkeep(self._products.upkeep, self._erasures)

    # ---- writes

    def store(self, product: Product) -> None:
        """Stores a product, or its new title, price and time of listing. Storing it again changes nothing.

        Costs: 1 get, 4 puts, 1 checkAndPut for a new product; 1 get for one that is stored already.
        """
        self._products.write(product, partial(after_store, product))

    def change_price(self, product: Product, price: int) -> Product:
        """Stores a new price; returns the product with it. Raises `UnknownProduct` if it is not stored.

        Costs: 1 get, 2 puts, 1 checkAndPut: no index holds the price, so no index changes.
        """
        return self._products.write(product, partial(after_change_price, product, price))

    def withdraw(self, product: Product) -> None:
        """Removes a product from its region and category. Withdrawing it again changes nothing.

        Its row keeps a cell without a record, see `forget_withdrawn`.
        Costs: 1 get, 2 puts, 1 checkAndPut, 2 deletes.
        """
        self._products.write(product, lambda _stored: DELETED)

    # ---- questions

    def product(self, shop: str, region: str, category: str, product_id: str) -> Product | None:
        """The product with this key, or None. Costs: one get."""
        return self._products.ask(shop=shop, region=region, category=category, product_id=product_id).first()

    def in_region(self, shop: str, region: str, category: str | None = None) -> Query[Product]:
        """The products that a shop offers in a region, or in one category there, by category and product id.

        Costs: one scan of a page's rows and one more. Rows of withdrawn products are read and dropped.
        """
        of_category = {} if category is None else {"category": category}
        return self._products.ask(shop=shop, region=region, **of_category)

    def of_category(self, shop: str, category: str) -> Query[Product]:
        """The products that a shop offers in a category in all regions, by region and product id.

        Costs: one scan of the whole shop, because the region comes before the category; the client drops the others. A
        page ends early, with a cursor, once it has read 10,000 rows.
        """
        return self._products.ask_more(shop=shop, category=category)

    def with_id(self, shop: str, product_id: str) -> Query[Product]:
        """The products of a shop with this id, in whichever regions and categories, by region and category.

        Costs: one scan of a row for each place, and one call that gets the products.
        """
        return self._products.ask(BY_ID, shop=shop, product_id=product_id)

    def new_in(
        self, shop: str, region: str, category: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Product]:
        """The products of a category that were listed from `since_ms` to `until_ms` (exclusive), newest first.

        Costs: one scan of a page's rows and one more, and one call that gets the products.
        """
        listed = between(since_ms, until_ms)
        products = self._products.ask(BY_LISTING, shop=shop, region=region, category=category, listed_ms=listed)
        return products.newest_first()

    # ---- upkeep

    def forget_withdrawn(self, shop: str) -> int:
        """Deletes the cells that a shop's withdrawn products have left; returns how many are too young: 42 minutes.

        Run it daily if a shop withdraws many: until then, scans of a region read these rows and drop them.
        Costs: one scan of the shop, one call for each 1,000 rows, and one delete for each cell.
        """
        return forget(self.writer, rows_of_shop(self._products, shop))

    def erase(self, shop: str) -> int:
        """Removes every product of a shop, such as one that leaves; returns how many rows remain for now.

        The row of a withdrawn product remains for 42 minutes, so that it outlasts every call under way. The erasure
        itself is stored until then, and `upkeep.recover` removes what remains, without a second call. If `erase` dies,
        call it again; it may be called at any time. It first recovers pending writes. Raises ClockSkew before anything
        is deleted.
        Costs: those of `upkeep.recover`; one scan of the shop; for each product those of `withdraw`; one scan of both
        indexes.
        """
        check_text("shop", shop, empty=False)
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(shop)

    def _rows_of(self, shop: str, _until_ms: int | None) -> Sequence[list[bytes]]:
        """All rows of a shop: no row says when its product was new, so none is spared for its time."""
        try:
            return (rows_of_shop(self._products, shop),)
        except InvalidQuestion:  # no row key can hold this shop
            return ([],)


def rows_of_shop(products: BoundSource[Any], shop: object) -> list[bytes]:
    """The rows of a shop, also the rows of withdrawn products. Costs: one scan, which fetches only keys."""
    table = products.table()
    columns = table.layout.cells.columns
    return [row for row, _cells in scan(table.rows, table.plan(shop=shop), filter=KEYS_ONLY, columns=columns)]


def delete_lines(erasures: Erasures, erasure: Erasure, on_kept: Callable[[InvalidRow], object]) -> int:
    """Deletes lines of an erased shop that lead to no product; returns how many other lines remain."""
    return erasures.delete_strays(lambda key: key.shop == erasure.name, erasure.at_ms, on_kept)


def after_store(product: Product, _stored: Product | None) -> Product:
    """The product as it is given: the last call wins."""
    return product


def after_change_price(product: Product, price: int, stored: Product | None) -> Product:
    """The stored product with another price."""
    if stored is None:
        raise unknown(product)
    return attrs.evolve(stored, price=price)


def unknown(product: Product) -> UnknownProduct:
    """Why a product that is not stored gets no other price."""
    return UnknownProduct(
        f"Product.product_id: {shown(product.shop)} offers no product {shown(product.product_id)} in region "
        f"{shown(product.region)}, category {shown(product.category)}"
    )
