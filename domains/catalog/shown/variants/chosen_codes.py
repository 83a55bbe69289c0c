"""Two letters for each name, chosen by people: `tb` for Taobao, as published. Each code is claimed in a table.

A person can read the keys. `repository.names.claim("shop", "Amazon", b"am")` adds a name at any time, from any
process: of two claims of one code, or of one name, the first wins, and the other is refused. Rows sort by code. Choose
it if people choose the codes and read them in keys. Back up the table of names with the products.
"""

from functools import partial

from shared.intents import ErasuresTable

from ...names import names_tables
from .numbered_codes import BY_ID, BY_LISTING, NUMBERED
from .numbered_codes import Repository as CodedRepository

CODES = {
    "shop": {"Taobao": b"tb", "Tao": b"to", "Tmall": b"tm", "JD": b"jd", "Äpfel & Birnen": b"ab", "Öko": b"ek"},
    "region": {"EU": b"eu", "EU-north": b"en", "CN": b"cn", "US": b"us", "São Paulo": b"sp"},
    "category": {
        "lamps": b"la",
        "lamps2": b"l2",
        "books": b"bo",
        "shoes": b"sh",
        "shoes for children": b"sc",
        "tea": b"te",
    },
}
"""The codes that this release brings. A code is claimed when its name is first stored."""

CHOSEN = NUMBERED.like(
    "catalog_chosen",
    lists={BY_ID: BY_ID.like("catalog_chosen_by_id"), BY_LISTING: BY_LISTING.like("catalog_chosen_by_listing")},
)
NAMES = names_tables("catalog_chosen_names")
ERASURES = ErasuresTable("catalog_chosen_erasures")

TABLES = (*CHOSEN.tables, *NAMES, *ERASURES.tables)
Repository = partial(CodedRepository, products=CHOSEN, names=NAMES, erasures=ERASURES, chosen=CODES)
