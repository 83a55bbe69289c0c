"""Published keys beside the keys of `catalog`, and published mistakes with what each of them returns."""

import hashlib
import struct
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import attrs

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import Outcome, PublishedKey, ScanTask, Trap
from shared.keys import EscapedText, HashPrefix, Int64, KeyLayout, between, part, row_key
from shared.queries import scan
from shared.records import show_time
from shared.writes import Dictionary, IdTaken

from ..keys import BY_ID, BY_LISTING, PRODUCTS, TABLES, PlaceOfProduct, ProductByListing, ProductInCategory
from ..names import CODE_BYTES, SHOP, names_tables
from ..records import Product
from ..repository import CatalogRepository
from .variants import chosen_codes, delimited, numbered_codes

# ---- the keys of S0.9, S3.3 and S3.4 byte for byte as published: names as text, the date as `Bytes.toBytes(long)`


LISTED_MS = 1_450_951_200_000  # 2015-12-24T10:00:00.000Z

IN_REGION = {"region": b"EU_", "category": b"lamps_", "product_id": b"p-1"}
SHOP_ADDED = "added: the tenant, so that no question leaves its rows"
TERMINATOR = "any text, with the terminator `00 01`; a name may contain a `_`"
MILLISECONDS = (
    "`Long.MAX_VALUE` minus milliseconds since 1970, in the same eight bytes: newest first, and periods can be "
    "computed; the digits of an hour cannot be added to"
)
LISTED_IN = "added: the list belongs to one shop, region and category"
OF_THE_INDEX = {
    "shop": "added: two tenants may use the same id",
    "product_id": "any text, with the terminator `00 01`, because parts follow it",
    "region": "added: with the category, the rest of the key of the product's row; the row holds nothing else",
    "category": "added: the end of the key of the product's row",
}

PUBLISHED = (
    PublishedKey(
        "S3.4",
        'region + "_" + categoryId + "_" + productId',
        PRODUCTS.layout,
        ProductInCategory("Taobao", "EU", "lamps", "p-1"),
        IN_REGION,
        {"shop": SHOP_ADDED, "region": TERMINATOR, "category": TERMINATOR},
    ),
    PublishedKey(
        "S3.4",
        'region + "_" + categoryId + "_" + productId',
        delimited.DELIMITED.layout,
        delimited.DelimitedProduct("Taobao", "EU", "lamps", "p-1"),
        IN_REGION,
        {"shop": SHOP_ADDED},
    ),
    PublishedKey(
        "S0.9",
        "Long(2015122410)",
        BY_LISTING.layout,
        ProductByListing("Taobao", "EU", "lamps", LISTED_MS, "p-1"),
        {"listed_ms": struct.pack(">q", 2015122410)},
        {
            "shop": LISTED_IN,
            "region": LISTED_IN,
            "category": LISTED_IN,
            "listed_ms": MILLISECONDS,
            "product_id": "added: distinguishes products of one millisecond",
        },
    ),
    PublishedKey(
        "S0.9",
        "tb",
        chosen_codes.CHOSEN.layout,
        numbered_codes.CodesOfProduct(b"tb", b"eu", b"la", "p-1"),
        {"shop": b"tb"},
        {
            "region": "added: published as the code of one name",
            "category": "added: published as the code of one name",
            "product_id": "added: published as the code of one name",
        },
    ),
    PublishedKey(
        "S3.3",
        "rowKey = orderId",
        BY_ID.layout,
        PlaceOfProduct("Taobao", "p-1", "EU", "lamps"),
        {"product_id": b"p-1"},
        OF_THE_INDEX,
    ),
    PublishedKey(
        "S0.13",
        "[order number]",
        BY_ID.layout,
        PlaceOfProduct("Taobao", "p-1", "EU", "lamps"),
        {"product_id": b"p-1"},
        OF_THE_INDEX,
    ),
)


# ---- eight mistakes about keys of products and codes, each as wrong code beside the right code, on the embedded store


HOUR_MS = 3_600_000
START_MS = 1_450_951_200_000  # 2015-12-24T10:00:00.000Z
BUSY = "Taobao"


def _joined(product: Product) -> bytes:
    """`region_categoryId_productId`, as published."""
    return f"{product.region}_{product.category}_{product.product_id}".encode()


def _samples(design: Design) -> list[Product]:
    """The samples of one shop, with a `_` in some regions."""
    products: list[Product] = [*design.loads[0].sample_records()]
    of_shop = [product for product in products if product.shop == BUSY]
    return [attrs.evolve(product, region=product.region.replace("-", "_")) for product in of_shop]


@row_key
class TimeOfRegion:
    """A time of a region."""

    region: str = part(EscapedText, "a region")
    time_ms: int = part(Int64, "milliseconds since 1970 UTC")


def delimiter_inside_a_name(design: Design) -> Outcome:
    """The rows of region EU_north start with `EU_` too, so a scan of region EU finds them."""
    in_region = ScanTask(_samples(design), lambda product: product.region == "EU", lambda product: product.region)
    wrong = in_region.run(_joined, lambda table: table.scan(row_prefix=b"EU_"))
    right = in_region.run(PRODUCTS.layout.row, lambda table: scan(table, PRODUCTS.layout.plan(shop=BUSY, region="EU")))
    return Outcome.of_scans(f"the {in_region.wanted} products of region EU", wrong, right)


def delimiter_that_moves(_design: Design) -> Outcome:
    """Region EU with category north_lamps, and region EU_north with category lamps, are joined to the same text."""
    places = [("EU", "north_lamps"), ("EU_north", "lamps")]
    products = [
        Product(BUSY, region, category, f"p-{number}", START_MS, "a lamp", 4_900)
        for region, category in places
        for number in range(1, 11)
    ]
    in_region = ScanTask(products, lambda product: product.region == "EU", lambda product: product.region)
    wrong = in_region.run(_joined, lambda table: table.scan(row_prefix=b"EU_north_lamps_"))
    right = in_region.run(
        PRODUCTS.layout.row,
        lambda table: scan(table, PRODUCTS.layout.plan(shop=BUSY, region="EU", category="north_lamps")),
    )
    return Outcome(
        f"the {in_region.wanted} products of category north_lamps in region EU, of {len(products)} put",
        f"{wrong.words}; {wrong.stored} rows are stored",
        f"{right.words}; {right.stored} rows are stored",
    )


def tenant_as_prefix(design: Design) -> Outcome:
    """The bare name of a shop as the prefix of a scan: Tao gets the products of Taobao."""
    products: list[Product] = [*design.loads[0].sample_records()]
    of_shop = ScanTask(products, lambda product: product.shop == "Tao", lambda product: product.shop)
    wrong = of_shop.run(
        lambda product: product.shop.encode() + _joined(product), lambda table: table.scan(row_prefix=b"Tao")
    )
    right = of_shop.run(PRODUCTS.layout.row, lambda table: scan(table, PRODUCTS.layout.plan(shop="Tao")))
    return Outcome.of_scans(f"the {of_shop.wanted} products of shop Tao", wrong, right)


def first_letters_as_code(design: Design) -> Outcome:
    """The first two letters as the code of a shop: Tao and Taobao share one, so each sees the products of the other."""
    products: list[Product] = [*design.loads[0].sample_records()]
    of_shop = ScanTask(products, lambda product: product.shop == BUSY, lambda product: product.shop)
    wrong = of_shop.run(
        lambda product: product.shop[:2].lower().encode() + _joined(product), lambda table: table.scan(row_prefix=b"ta")
    )
    codes = chosen_codes.CODES[SHOP]
    right = of_shop.run(
        lambda product: codes[product.shop] + _joined(product), lambda table: table.scan(row_prefix=codes[BUSY])
    )
    return Outcome.of_scans(f"the {of_shop.wanted} products of shop {BUSY}", wrong, right)


def look_then_put(_design: Design) -> Outcome:
    """Two writers see that the code tb is free, and both put it: then it has two names, and keys two meanings."""
    codes = names_tables("codes")
    connection: Any = scratch_store(codes[:1])
    rows = connection.table("codes")
    wanted = ("Taobao", "Tbilisi Store")
    is_free = [not rows.row(b"tb") for _name in wanted]  # both look before either puts
    for name, free in zip(wanted, is_free, strict=True):
        if free:
            rows.put(b"tb", {b"name:shop": name.encode()})
            rows.put(name.encode(), {b"id:shop": b"tb"})
    wrong = [name for name in wanted if rows.row(name.encode()).get(b"id:shop") == b"tb"]

    connection = scratch_store(codes[:1])
    writers = [Dictionary(connection, "codes", SHOP, CODE_BYTES) for _name in wanted]
    assert [writer.name_of(b"tb") for writer in writers] == [None, None]
    for writer, name in zip(writers, wanted, strict=True):
        with suppress(IdTaken):
            writer.claim(name, b"tb")
    reader = Dictionary(connection, "codes", SHOP, CODE_BYTES)
    right = [name for name in wanted if reader.id_of(name) == b"tb"]
    return Outcome(
        f"the code tb, which {' and '.join(wanted)} want at the same moment",
        f"{len(wrong)} names have it: {', '.join(wrong)}",
        f"{len(right)} name has it: {', '.join(right)}; the other claim is refused",
    )


def digits_of_an_hour(_design: Design) -> Outcome:
    """Long(2015122410) + 24 is not an hour: the next day is Long(2015122510)."""
    since_ms, until_ms = START_MS, START_MS + 24 * HOUR_MS
    products = [
        Product(BUSY, "EU", "lamps", f"p-{hour}", START_MS + hour * HOUR_MS, "a lamp", 4_900) for hour in range(72)
    ]
    of_day = ScanTask(
        products, lambda product: since_ms <= product.listed_ms < until_ms, lambda product: show_time(product.listed_ms)
    )

    def digits(time_ms: int) -> int:
        shown = show_time(time_ms)  # 2015-12-24T10:00:00.000Z
        return int(shown[0:4] + shown[5:7] + shown[8:10] + shown[11:13])

    start = digits(START_MS)
    wrong = of_day.run(
        lambda product: struct.pack(">q", digits(product.listed_ms)),
        lambda table: table.scan(struct.pack(">q", start), struct.pack(">q", start + 24)),
    )
    plan = BY_LISTING.layout.plan(shop=BUSY, region="EU", category="lamps", listed_ms=between(since_ms, until_ms))
    row: Any = BY_LISTING.layout.row  # of a product, which has all parts of the key
    right = of_day.run(row, lambda table: scan(table, plan))
    sizes = [str(start).encode(), *(struct.pack(form, start) for form in (">q", ">i"))]
    text, long, int_ = (len(size) for size in sizes)
    return Outcome(
        f"the {of_day.wanted} products listed in 24 hours from {show_time(since_ms)}",
        f"{long} bytes as a long, {int_} as an int, {text} as text; {wrong.words}",
        f"{len(Int64.encode(since_ms))} bytes; {right.words}",
        (wrong, right),
    )


class _PowerCut(Exception):
    """The writer is dead."""


def _cut_the_power(*_arguments: object) -> None:
    raise _PowerCut


def row_before_its_index(_design: Design) -> Outcome:
    """A writer dies after its first put. If that was the product's row, the index lacks the product for ever."""
    product = Product(BUSY, "EU", "lamps", "p-1", START_MS, "a lamp", 4_900)
    products, index = scratch_table([_joined(product)]), scratch_table()  # the put of the index is what did not happen

    def found(in_region: bool, by_id: bool) -> str:
        return f"{'found' if in_region else 'not found'} by region, {'found' if by_id else 'not found'} by id"

    wrong = found(any(products.scan(row_prefix=b"EU_")), any(index.scan(row_prefix=b"p-1")))
    connection = scratch_store(TABLES)
    catalog: Any = CatalogRepository(connection)
    catalog.writer.check_and_put = _cut_the_power
    with suppress(_PowerCut):
        catalog.store(product)
    reader = CatalogRepository(connection)
    rows = sum(1 for _row in connection.table(BY_ID.layout.name).scan())
    right = found(reader.in_region(BUSY, "EU").first() is not None, reader.with_id(BUSY, "p-1").first() is not None)
    return Outcome(
        "a product whose writer died after one put, by region and by id",
        f"row first: {wrong}",
        f"index first: {right}; {rows} index row leads nowhere",
    )


REGIONS = 1_000


def hash_of_the_next_region(_design: Design) -> Outcome:
    """The hash of region + 1 is any hash: often a smaller one, and otherwise with other regions in between."""
    regions = [str(number) for number in range(1, REGIONS + 1)]

    def rows_of_all(row: Callable[[str], bytes]) -> list[tuple[bytes, str]]:
        table = scratch_table(map(row, regions))
        region_of = {row(region): region for region in regions}
        return [(key, region_of[key]) for key, _cells in table.scan()]

    def verdicts(rows: list[tuple[bytes, str]], range_of: Callable[[str], tuple[bytes, bytes]]) -> str:
        keys = [key for key, _region in rows]
        found = [
            [region for _key, region in rows[slice(*(bisect_left(keys, end) for end in range_of(wanted)))]]
            for wanted in regions
        ]
        exact = sum(answer == [wanted] for answer, wanted in zip(found, regions, strict=True))
        with_others = sum(
            any(region != wanted for region in answer) for answer, wanted in zip(found, regions, strict=True)
        )
        return f"{sum(not answer for answer in found)} empty, {with_others} with other regions, {exact} exact"

    def hashed(region: int) -> str:
        return hashlib.md5(str(region).encode()).hexdigest()

    def as_published(region: str) -> tuple[bytes, bytes]:
        following = int(region) + 1
        return f"{hashed(int(region))}_{region}_000000".encode(), f"{hashed(following)}_{following}_*".encode()

    def cut_as_the_key(region: str) -> tuple[bytes, bytes]:
        following = int(region) + 1
        start, stop = hashed(int(region))[:4], hashed(following)[:4]
        return f"{start}_{region}_000000".encode(), f"{stop}_{following}_*".encode()

    layout = KeyLayout(TimeOfRegion, HashPrefix(of="region", bytes=4, hex=True, separator="_"))

    def planned(region: str) -> tuple[bytes, bytes]:
        (range_,) = layout.plan(region=region).ranges
        assert range_.stop is not None
        return range_.start, range_.stop

    published = rows_of_all(lambda region: f"{hashed(int(region))[:4]}_{region}_{START_MS}".encode())
    right = rows_of_all(lambda region: layout.encode(TimeOfRegion(region, START_MS)))
    return Outcome(
        f"{REGIONS:,} scans, one for each region",
        f"{verdicts(published, as_published)}; with a hash of four digits, as in the key: "
        f"{verdicts(published, cut_as_the_key)}",
        verdicts(right, planned),
    )


TRAPS = (
    Trap(
        "a delimiter inside a name",
        'region + "_" + categoryId + "_" + productId, scanned with region + "_"',
        delimiter_inside_a_name,
    ),
    Trap("a delimiter that moves", 'region + "_" + categoryId + "_" + productId', delimiter_that_moves),
    Trap("a tenant as prefix", "startkey => 'host1', endkey => 'host2'", tenant_as_prefix),
    Trap("the first letters as a code", "a name is replaced with code", first_letters_as_code),
    Trap("look, then put", "'Taobao' is replaced with tb", look_then_put),
    Trap("the digits of an hour", "Long(2015122410)", digits_of_an_hour),
    Trap("the row before its index", "a seller table and an index table [order number]", row_before_its_index),
    Trap(
        "the hash of the next region as stop row",
        "StartRow: MD5(region)_region_000000, StopRow: MD5(region+1)_region+1_*",
        hash_of_the_next_region,
    ),
)
