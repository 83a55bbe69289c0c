"""Two letters for each name, chosen by people: `tb` for Taobao, as published. Each code is claimed in a table.

A person can read the keys. `repository.names.claim("shop", "Amazon", b"am")` adds a name at any time, from any
process: of two claims of one code, or of one name, the first wins, and the other is refused. Rows sort by code. Choose
it if people choose the codes and read them in keys. Back up the table of names with the products.
"""

from functools import partial

from .numbered_codes import Repository as CodedRepository
from .numbered_codes import coded_tables

CODES = {
    "shop": {"Taobao": b"tb", "Tao": b"to", "Tmall": b"tm", "JD": b"jd", "Äpfel & Birnen": b"ab", "店": b"di"},
    "region": {"EU": b"eu", "EU-north": b"en", "CN": b"cn", "US": b"us", "São Paulo": b"sp"},
    "category": {
        "lamps": b"la",
        "lamps2": b"l2",
        "books": b"bo",
        "shoes": b"sh",
        "shoes for children": b"sc",
        "茶": b"te",
    },
}
"""The codes that this release brings. A code is claimed when its name is first stored."""

TABLES = coded_tables("catalog_chosen")

Repository = partial(CodedRepository, tables=TABLES, chosen=CODES)
