"""Blocks of the pages of `catalog` only: the bytes of names and of dates in each of their forms."""

import struct
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from statistics import mean
from typing import Any

import attrs

from shared.designs import Design, Variant, load_samples, scratch_store
from shared.exhibit import filled, markdown_table, stored_bytes, stored_cells
from shared.keys import DecimalText, Int64, UInt32
from shared.tables import TableLayout
from shared.tables.layouts import physical_tables

FORMS = {
    "catalog": "text",
    "delimited": "text and a `_`",
    "closed-codes": "`Code({...})`, in the program",
    "chosen-codes": "chosen letters, in a table",
    "numbered-codes": "numbers, in a table",
}
"""The form of names in each variant with the same three tables."""
TIME_MS = 1_450_951_200_000  # 2015-12-24T10:00:00.000Z
DIGITS = 2015122410


def own_blocks(design: Design) -> dict[str, str]:
    """What names and dates need in row keys, measured on the samples."""
    return {"names": _names(design), "dates": _dates()}


@attrs.frozen
class _Bytes:
    """Bytes of the rows of one variant."""

    key: float
    """The average bytes of a product's row key."""
    rows: list[float]
    """The average bytes of a row, of each of the three tables."""
    codes: int
    """The bytes of all codes and their names."""


def _names(design: Design) -> str:
    rows: list[list[str]] = []
    for variant in design.variants:
        if variant.name in FORMS:
            measured = _measured(design, variant)
            rows.append(
                [
                    variant.name,
                    FORMS[variant.name],
                    *(f"{size:.1f}" for size in (measured.key, *measured.rows)),
                    f"{measured.codes:,}" if measured.codes else "-",
                ]
            )
    table = markdown_table(
        ("variant", "names are", "key of a product", "its row", "by id", "by time", "codes, once"), rows
    )
    caption = (
        "Bytes, on average of the samples: a product's row key, and its row in each of the three tables, with the "
        f"{stored_bytes(b'', b':', b'')} bytes that HBase stores with each cell; then all codes with their names, once "
        "for the whole catalog. Before compression."
    )
    return "\n\n".join([filled(caption), table])


def _measured(design: Design, variant: Variant) -> _Bytes:
    with closing(scratch_store(variant.tables)) as connection:
        load_samples(connection, design, variant)

        physical = {table.name: table for table in physical_tables(variant.tables)}

        def sizes_of(table: TableLayout[Any, Any]) -> Counter[bytes]:
            sizes = Counter[bytes]()
            for row, size in stored_cells(connection, physical[table.name]):
                sizes[row] += size
            return sizes

        stored = [sizes_of(table) for table in variant.tables[:3]]
        names = next((table for table in variant.tables if table.name.endswith("_names")), None)
        codes = Counter[bytes]() if names is None else sizes_of(names)
        return _Bytes(mean(map(len, stored[0])), [mean(sizes.values()) for sizes in stored], codes.total())


def _dates() -> str:
    forms: list[tuple[str, Callable[[], bytes], str]] = [
        ("text `'2015122410'`", lambda: DecimalText(10).encode(DIGITS), "yes, until the year 9999"),
        (
            "`Long(2015122410)`, as published",
            lambda: struct.pack(">q", DIGITS),
            "yes; adding to it does not give an hour",
        ),
        ("`UInt32(2015122410)`", lambda: UInt32.encode(DIGITS), "yes, until the year 4294; adding as above"),
        ("`Int64` of milliseconds, as here", lambda: Int64.encode(TIME_MS), "yes; a period is a subtraction"),
    ]
    rows = [[form, f"{len(encode())}", encode().hex(), remark] for form, encode, remark in forms]
    return markdown_table(("the hour 10 of 2015-12-24", "bytes", "in hex", "sorts by time"), rows)
