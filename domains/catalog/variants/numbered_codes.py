"""A number of two bytes for each name, assigned when a name is first stored: the keys hold numbers instead of names.

Any name gets one, without a release and without a choice. Rows sort by number: in the order in which names were first
stored. Keys cannot be read without the table of names: back it up with the products. Choose it if names are long and
new ones arrive by themselves.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from shared.keys import Descending, EscapedText, FixedBytes, Int64, KeyLayout, TrailingText, part, row_key
from shared.queries import Query
from shared.tables import BoundTable, InvalidRow, RecordCells, TableLayout
from shared.writes import (
    CLOCK,
    CombinedUpkeep,
    ErasedName,
    ErasedSource,
    Erasure,
    Intent,
    SourceCells,
    WriterClock,
    erasures_tables,
    intents_table,
)

from ..keys import PRODUCT_CELLS, PRODUCTS, CatalogTables, index_tables
from ..names import CATEGORY, CODE_BYTES, KINDS, REGION, SHOP, NameCode, Names, names_tables
from ..records import Product
from ..repository import CatalogRepository
from ..verifying import NamesUpkeep

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


CODED_CELLS = RecordCells(CodedProduct, PRODUCT_CELLS.attributes)


class CodedTables(NamedTuple):
    """The products and their indexes, the codes of names and the names of codes, erasures, and writes under way."""

    products: TableLayout[Any, CodedProduct]
    by_id: TableLayout[Any, Any]
    by_listing: TableLayout[Any, Any]
    codes: TableLayout[Any, NameCode]
    names: TableLayout[Any, NameCode]
    erasures: TableLayout[ErasedName, Erasure]
    erased_products: TableLayout[ErasedName, ErasedSource]
    intents: TableLayout[Any, Intent]


def coded_tables(name: str) -> CodedTables:
    """The tables of a catalog whose keys hold codes: `name`, and names that start with it."""
    erasures, (erased_products,) = erasures_tables(f"{name}_erasures", writers=1)
    return CodedTables(
        TableLayout(name, PRODUCTS.holds, KeyLayout(CodesOfProduct), SourceCells(CODED_CELLS, "p:product")),
        *index_tables(name, CodesOfPlace, CodesOfListing),
        *names_tables(f"{name}_names"),
        erasures,
        erased_products,
        intents_table(f"{name}_intents"),  # an intent names a row of this source, and so does an erasure
    )


TABLES = coded_tables("catalog_numbered")


class _CodedCatalog(CatalogRepository):
    """A catalog of coded products, which knows only that erasing a shop also removes its name from the codes."""

    def __init__(
        self, connection: "happybase.Connection", tables: CodedTables, clock: WriterClock, names: Names
    ) -> None:
        self._names = names
        of_catalog: dict[str, Any] = {name: getattr(tables, name) for name in CatalogTables._fields}
        super().__init__(connection, CatalogTables(**of_catalog), clock)

    def _in_keys(self, shop: str) -> bytes:
        return self._names.stored_code(SHOP, shop)

    def _delete_lines(self, erasure: Erasure, on_kept: Callable[[InvalidRow], Any]) -> int:
        remaining = super()._delete_lines(erasure, on_kept)
        if self._rows_in_keys(self._in_keys(erasure.name)):
            self._names.restore(SHOP, erasure.name)
        elif not remaining:
            self._names.remove(SHOP, erasure.name)
        return remaining


class Repository:
    """A catalog whose keys hold codes: it replaces names by codes before each call, and codes by names after it.

    Every method costs what that of `CatalogRepository` costs, and what `Names` costs for names that this process does
    not know; a write also costs 1 get, which reads the code of its shop. A question about a name without a code reads
    nothing that is stored.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        tables: CodedTables = TABLES,
        clock: WriterClock = CLOCK,
        *,
        chosen: Mapping[str, Mapping[str, bytes]] | None = None,
    ) -> None:
        self._table = tables.products
        self.names = Names(connection, tables.codes, chosen)
        self._catalog: Any = _CodedCatalog(connection, tables, clock, self.names)
        self.writer = self._catalog.writer
        self.upkeep = CombinedUpkeep(self._catalog.upkeep, NamesUpkeep(BoundTable(connection, tables.names)))

    # ---- writes

    def store(self, product: Product) -> None:
        """Stores a product, or its new values; new names get a code first."""
        self._catalog.store(self._coded(product))

    def change_price(self, product: Product, price: int) -> Product:
        """Stores a new price; returns the product with it. Raises `UnknownProduct` if it is not stored."""
        changed = self._catalog.change_price(self._coded(product), price)
        return attrs.evolve(product, listed_ms=changed.listed_ms, title=changed.title, price=changed.price)

    def withdraw(self, product: Product) -> None:
        """Removes a product from its region and category."""
        self._catalog.withdraw(self._coded(product))

    # ---- questions

    def product(self, shop: str, region: str, category: str, product_id: str) -> Product | None:
        """The product with this key, or None."""
        codes = self._known(shop=shop, region=region, category=category)
        found = self._catalog.product(**codes, product_id=product_id)
        return None if found is None else self._raised(self._named([found])[0])

    def in_region(self, shop: str, region: str, category: str | None = None) -> Query[Product]:
        """The products of a region, or of one category there; by the code of the category, and product id."""
        of_category = {} if category is None else {"category": category}
        found: Query[Any] = self._catalog.in_region(**self._known(shop=shop, region=region, **of_category))
        return found.then(self._named)

    def of_category(self, shop: str, category: str) -> Query[Product]:
        """The products of a category in all regions; by the code of the region, and product id."""
        found: Query[Any] = self._catalog.of_category(**self._known(shop=shop, category=category))
        return found.then(self._named)

    def with_id(self, shop: str, product_id: str) -> Query[Product]:
        """The products of a shop with this id; by the codes of region and category."""
        found: Query[Any] = self._catalog.with_id(**self._known(shop=shop), product_id=product_id)
        return found.then(self._named)

    def new_in(
        self, shop: str, region: str, category: str, since_ms: int | None = None, until_ms: int | None = None
    ) -> Query[Product]:
        """The products of a category that were listed in a period, newest first."""
        codes = self._known(shop=shop, region=region, category=category)
        found: Query[Any] = self._catalog.new_in(**codes, since_ms=since_ms, until_ms=until_ms)
        return found.then(self._named)

    # ---- upkeep

    def forget_withdrawn(self, shop: str) -> int:
        """Deletes the cells that a shop's withdrawn products have left; returns how many are too young."""
        remaining: int = self._catalog.forget_withdrawn(**self._known(shop=shop))
        return remaining

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
        remaining: int = self._catalog.erase(shop)
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
                return InvalidRow(self._table.name, self._table.row(coded), reason)
            names[kind] = name
        return Product(
            names[SHOP], names[REGION], names[CATEGORY], coded.product_id, coded.listed_ms, coded.title, coded.price
        )

    def _raised(self, product: Product | InvalidRow) -> Product:
        if isinstance(product, InvalidRow):
            raise product
        return product
