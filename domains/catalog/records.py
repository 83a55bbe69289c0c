"""The application's records: a product as a shop offers it in a region. Nothing here knows of storage."""

import attrs

from shared.records import LAST_MS, integer, text


@attrs.frozen
class Product:
    """One product that a shop offers in one region and category. Its title, price and time of listing change.

    The same product in another region or category is another record, with a title and a price of its own.
    """

    shop: str = attrs.field(validator=text())
    """Whose catalog it is: the tenant."""
    region: str = attrs.field(validator=text())
    category: str = attrs.field(validator=text())
    product_id: str = attrs.field(validator=text())
    """The shop's own id; two shops may use the same one."""
    listed_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When it was listed, milliseconds since 1970-01-01 UTC."""
    title: str = attrs.field(validator=text())
    price: int = attrs.field(validator=integer())
    """In the smallest unit of the currency; any integer."""
