"""A number of two bytes for each name, assigned when a name is first stored: the keys hold numbers instead of names.

Any name gets one, without a release and without a choice. Rows sort by number: in the order in which names were first
stored. Keys cannot be read without the table of names: back it up with the products. Choose it if names are long and
new ones arrive by themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.intents import Erasure, Erasures, ErasuresTable, forget
from shared.keys import Descending, EscapedText, FixedBytes, Int64, TrailingText, between, part, row_key
from shared.queries import Query
from shared.records import check_text
from shared.sources import DELETED, Source
from shared.tables import BoundTable, InvalidRow, TableLayout
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock

from ...keys import PRODUCTS
from ...names import CATEGORY, CODE_BYTES, KINDS, REGION, SHOP, NameCode, Names, names_tables
from ...records import Product
from ...repository import rows_of_shop, unknown
from ...verifying import NamesUpkeep

if TYPE_CHECKING:
    import happybase

_CODE = FixedBytes(CODE_BYTES)


@attrs.frozen
class CodedProduct:
    """A product with codes instead of names."""

    shop: bytes
    region: bytes
    category: bytes
    product_id: str
    listed_ms: int
    title: str
    price: int


@row_key
class CodesOfProduct:
    """One product under the codes of its shop, region and category.

    Order:  by the codes of shop, region and category, then by product id.
    Serves: what `ProductInCategory` serves.
    Costs:  six bytes for three names. Opening a repository reads all names, a write the code of its shop; a new name
            costs five calls, once.
    Fixed:  the width of codes: 65,535 names of each kind.
    Source: S0.9, a name is replaced with a code
    """

    shop: bytes = part(_CODE, "the code of the tenant")
    region: bytes = part(_CODE, "the code of where it is offered")
    category: bytes = part(_CODE, "the code of what it is")
    product_id: str = part(TrailingText, "the shop's id of the product; any text")


@row_key
class CodesOfPlace:
    """One place where a shop offers a product.

    Order:  by the code of the shop, by product id, then by the codes of region and category.
    Serves: a product id alone.
    Costs:  as `PlaceOfProduct`.
    Fixed:  as `CodesOfProduct`.
    Source: none
    """

    shop: bytes = part(_CODE, "the code of the tenant")
    product_id: str = part(EscapedText, "the shop's id of the product; any text")
    region: bytes = part(_CODE, "the code of where it is offered")
    category: bytes = part(_CODE, "the last part of the product's key")


@row_key
class CodesOfListing:
    """One product in the list of what is new in its category.

    Order:  by the codes of shop, region and category, newest first, then by product id.
    Serves: the products of a category in a region that were listed in a period.
    Costs:  as `ProductByListing`.
    Fixed:  as `CodesOfProduct`, and the direction of time.
    Source: none
    """

    shop: bytes = part(_CODE, "the code of the tenant")
    region: bytes = part(_CODE, "the code of where it is offered")
    category: bytes = part(_CODE, "the code of what it is")
    listed_ms: int = part(Descending(Int64), "when listed, milliseconds since 1970 UTC, newest first")
    product_id: str = part(TrailingText, "distinguishes products of one millisecond")


NUMBERED = Source("catalog_numbered", CodesOfProduct, CodedProduct, PRODUCTS.columns, cell="p:product")
BY_ID = NUMBERED.moving_list("catalog_numbered_by_id", CodesOfPlace)
BY_LISTING = NUMBERED.moving_list("catalog_numbered_by_listing", CodesOfListing)
NAMES = names_tables("catalog_numbered_names")
ERASURES = ErasuresTable("catalog_numbered_erasures")
"""The erasures have a table of their own, because an erasure names rows of its source."""

TABLES = (*NUMBERED.tables, *NAMES, *ERASURES.tables)


class Repository:
    """A catalog whose keys hold codes: it replaces names by codes before each call, and codes by names after it.

    Every method costs what that of `CatalogRepository` costs, and what `Names` costs for names that this process does
    not know; a write also costs 1 get, which reads the code of its shop. A question about a name without a code reads
    nothing that is stored.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        products: Source[CodedProduct] = NUMBERED,
        names: Sequence[TableLayout[Any, NameCode]] = NAMES,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
        *,
        chosen: Mapping[str, Mapping[str, bytes]] | None = None,
    ) -> None:
        self._products = products.on(connection, clock)
        self.writer = self._products.writer
        codes, names_of_codes = names
        self.names = Names(connection, codes, chosen)
        self._erasures = Erasures(connection, erasures, (self.writer,), self._rows_of, self._delete_lines, "catalog")
        names_upkeep = NamesUpkeep(BoundTable(connection, names_of_codes))
        self.upkeep: Upkeep = CombinedUpkeep(self._products.upkeep, self._erasures, names_upkeep)

    # ---- writes

    def store(self, product: Product) -> None:
        """Stores a product, or its new values; new names get a code first."""
        coded = self._coded(product)
        self._products.write(coded, lambda _stored: coded)

    def change_price(self, product: Product, price: int) -> Product:
        """Stores a new price; returns the product with it. Raises `UnknownProduct` if it is not stored."""
        changed = self._products.write(self._coded(product), partial(after_change_price, product, price))
        return attrs.evolve(product, listed_ms=changed.listed_ms, title=changed.title, price=changed.price)

    def withdraw(self, product: Product) -> None:
        """Removes a product from its region and category."""
        self._products.write(self._coded(product), lambda _stored: DELETED)

    # ---- questions

    def product(self, shop: str, region: str, category: str, product_id: str) -> Product | None:
        """The product with this key, or None."""
        codes = self._known(shop=shop, region=region, category=category)
        return self._products.ask(**codes, product_id=product_id).then(self._named).first()

    def in_region(self, shop: str, region: str, category: str | None = None) -> Query[Product]:
        """The products of a region, or of one category there; by the code of the category, and product id."""
        of_category = {} if category is None else {"category": category}
        return self._products.ask(**self._known(shop=shop, region=region, **of_category)).then(self._named)

    def of_category(self, shop: str, category: str) -> Query[Product]:
        """The products of a category in all regions; by the code of the region, and product id."""
        return self._products.ask_more(**self._known(shop=shop, category=category)).then(self._named)

    def with_id(self, shop: str, product_id: str) -> Query[Product]:
        """The products of a shop with this id; by the codes of region and category."""
        return self._products.ask(BY_ID, **self._known(shop=shop), product_id=product_id).then(self._named)

    def new_in(
        self, shop: str, region: str, category: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Product]:
        """The products of a category that were listed in a period, newest first."""
        codes = self._known(shop=shop, region=region, category=category)
        products = self._products.ask(BY_LISTING, **codes, listed_ms=between(since_ms, until_ms))
        return products.newest_first().then(self._named)

    # ---- upkeep

    def forget_withdrawn(self, shop: str) -> int:
        """Deletes the cells that a shop's withdrawn products have left; returns how many are too young."""
        return forget(self.writer, rows_of_shop(self._products, self.names.known_code(SHOP, shop)))

    def erase(self, shop: str) -> int:
        """Removes every product of a shop, and its name from the codes; returns how many rows remain for now.

        The code keeps another name, `erased 0003`, so no shop ever gets it. The name goes once no row of the shop
        remains: here, or when `upkeep.recover` ends the erasure, but not if the shop has stored again by then. If the
        process dies while it removes the name, products that the shop stores again may be shown under the other name,
        until `recover` ends the erasure.

        Every write first reads the code of its shop, so no process uses the old code after that. But a `store` that is
        under way when the name goes may still use it: the call succeeds, and its product is one of `erased 0003`. A
        shop that comes back must store that product again; `erase("erased 0003")` removes the other one.
        Costs: also 5 gets, and a scan of the shop's keys; if the name goes, 2 checkAndPuts, 1 delete.
        """
        check_text("shop", shop, empty=False)
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(shop)

    def _rows_of(self, shop: str, _until_ms: int | None) -> Sequence[list[bytes]]:
        """All rows of a shop: no row says when its product was new, so none is spared for its time."""
        return (rows_of_shop(self._products, self.names.stored_code(SHOP, shop)),)

    def _delete_lines(self, erasures: Erasures, erasure: Erasure, on_kept: Callable[[InvalidRow], object]) -> int:
        """Deletes lines of an erased shop that lead to no product; returns how many other lines remain.

        If no row of the shop remains, its name goes, too.
        """
        code = self.names.stored_code(SHOP, erasure.name)
        remaining = erasures.delete_strays(lambda key: key.shop == code, erasure.at_ms, on_kept)
        if rows_of_shop(self._products, self.names.stored_code(SHOP, erasure.name)):
            self.names.restore(SHOP, erasure.name)
        elif not remaining:
            self.names.remove(SHOP, erasure.name)
        return remaining

    # ---- names and codes

    def _coded(self, product: Product) -> CodedProduct:
        shop, region, category = (self.names.code(kind, getattr(product, kind)) for kind in KINDS)
        return CodedProduct(shop, region, category, product.product_id, product.listed_ms, product.title, product.price)

    def _known(self, **names: str) -> dict[str, bytes]:
        return {kind: self.names.known_code(kind, name) for kind, name in names.items()}

    def _named(self, products: list[CodedProduct]) -> list[Product | InvalidRow]:
        return [self._product(coded) for coded in products]

    def _product(self, coded: CodedProduct) -> Product | InvalidRow:
        """A product with its names; an error if a code has none, because the dictionary has lost it."""
        names: dict[str, str] = {}
        for kind in KINDS:
            name = self.names.name(kind, getattr(coded, kind))
            if name is None:
                reason = f"{kind}: must be a code with a name (got {getattr(coded, kind).hex()})"
                table = self._products.table().layout
                return InvalidRow(table.name, table.row(coded), reason)
            names[kind] = name
        return Product(
            names[SHOP], names[REGION], names[CATEGORY], coded.product_id, coded.listed_ms, coded.title, coded.price
        )


def after_change_price(product: Product, price: int, stored: CodedProduct | None) -> CodedProduct:
    """The stored product with another price."""
    if stored is None:
        raise unknown(product)
    return attrs.evolve(stored, price=price)
