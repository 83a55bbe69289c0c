"""A file of sales as products: the last sale of each item, its price band, and lines that are refused."""

from collections import Counter

import pytest

from domains.catalog import Product
from domains.catalog.formats import FORMATS
from shared.loading import UnreadableFile, read_lines
from shared.records import parse_time
from tests.domains.test_real_files import REAL

HEADER = "timestamp, id, price (in eth), price (in wei), from, to, block, tx"
FILE = REAL / "orders" / "punks_sales_first5000.csv"
BANDS = {"under 0.1 ETH": 242, "0.1 to 1 ETH": 2_065, "1 to 10 ETH": 907, "10 ETH and more": 46}
"""The real items by category."""


def sale(day, item, wei):
    return f"2020-09-{day:02} 08:00:00 UTC, {item}, 0.1, {wei}, 0xa, 0xb, 1, 0xc"


@pytest.fixture
def read(tmp_path):
    def lines(*rows):
        path = tmp_path / "sales.csv"
        path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
        found = read_lines(path, Product, formats=FORMATS)
        assert found.format == "sales"
        return [(line.number, line.record or line.reason) for line in found]

    return lines


def test_an_item_is_a_product_at_the_price_and_time_of_its_last_sale(read):
    rows = read(sale(1, 7, 10**17), sale(2, 70, 10**17 - 1), sale(3, 7, 10**21 + 1))
    assert [(number, product.product_id, product.category) for number, product in rows] == [
        (3, "70", "under 0.1 ETH"),
        (4, "7", "10 ETH and more"),
    ]
    assert rows[1][1] == Product(
        "CryptoPunks", "ethereum", "10 ETH and more", "7", parse_time("2020-09-03T08:00"), "item 7", 10**21 + 1
    )


@pytest.mark.parametrize(
    ("wei", "band"),
    [
        *((0, "under 0.1 ETH"), (10**17, "0.1 to 1 ETH"), (10**18 - 1, "0.1 to 1 ETH")),
        *((10**18, "1 to 10 ETH"), (10**19, "10 ETH and more")),
    ],
)
def test_a_price_band_begins_with_its_first_price(read, wei, band):
    ((_number, product),) = read(sale(1, 1, wei))
    assert product.category == band


def test_a_price_that_is_no_number_and_a_line_without_all_columns_are_refused(read):
    rows = read(sale(1, 1, "1.5"), "2020-09-01 08:00:00 UTC, 2", sale(2, 3, 5))
    assert [number for number, _product in rows] == [3, 2, 4]
    assert rows[1][1] == "Product.price: must be a number (got '1.5')"


def test_a_header_without_a_column_that_a_product_needs_is_refused(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("timestamp, price (in wei)\n2020-09-01 08:00:00 UTC, 5\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match=r"sales\.csv: the header in line 1 has no column id"):
        list(read_lines(path, Product, format="sales", formats=FORMATS))


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_the_real_file_has_an_item_for_each_id_and_most_of_them_below_one_ether():
    products = [line.record for line in read_lines(FILE, Product, formats=FORMATS)]
    assert len({product.product_id for product in products}) == len(products) == 3_260
    assert Counter(product.category for product in products) == BANDS
