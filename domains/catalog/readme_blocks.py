"""Blocks of the pages of `catalog` only: the bytes of names and of dates in each of their forms."""

import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import attrs

from shared.designs import Design, Variant, load_samples, scratch_store, stored_bytes
from shared.designs.pages import filled, markdown_table
from shared.keys import DecimalText, Int64, UInt32
from shared.tables import TableLayout

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

    keys: list[float]
    """Of a row key of the products, on average."""
    rows: list[float]
    """Of one row of each of the three tables, on average."""
    codes: int
    """Of all codes and their names."""


def _names(design: Design) -> str:
    rows: list[list[str]] = []
    for variant in design.variants:
        if variant.name in FORMS:
            measured = _measured(design, variant)
            rows.append(
                [
                    variant.name,
                    FORMS[variant.name],
                    *(f"{size:.1f}" for size in (*measured.keys, *measured.rows)),
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

        def rows_of(table: TableLayout[Any, Any]) -> Iterator[tuple[bytes, int]]:
            for row, cells in connection.table(table.name).scan():
                yield row, sum(stored_bytes(row, column, value) for column, value in cells.items())

        stored = [[*rows_of(table)] for table in variant.tables[:3]]
        codes = [*rows_of(variant.tables[3])] if hasattr(variant.tables, "codes") else []
        return _Bytes(
            [_average(len(row) for row, _size in stored[0])],
            [_average(size for _row, size in of_table) for of_table in stored],
            sum(size for _row, size in codes),
        )


def _average(sizes: Iterator[int]) -> float:
    listed = [*sizes]
    return sum(listed) / len(listed)


def _dates() -> str:
    forms: list[tuple[str, Callable[[], bytes], str]] = [
        ("text `'2015122410'`", lambda: DecimalText(10).encode(DIGITS), "yes, until the year 9999"),
        ("`Long(2015122410)`, as published", lambda: struct.pack(">q", DIGITS), "yes; adding to it gives no hour"),
        ("`UInt32(2015122410)`", lambda: UInt32.encode(DIGITS), "yes, until the year 4294; adding as above"),
        ("`Int64` of milliseconds, as here", lambda: Int64.encode(TIME_MS), "yes; a period is a subtraction"),
    ]
    rows = [[form, f"{len(encode())}", encode().hex(), remark] for form, encode, remark in forms]
    return markdown_table(("the hour 10 of 2015-12-24", "bytes", "in hex", "sorts by time"), rows)
