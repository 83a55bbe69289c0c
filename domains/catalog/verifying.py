"""Comparing the codes of names with the names of codes."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import attrs

from shared.keys import shown
from shared.keys.errors import shown_bytes
from shared.queries.scanning import scan_in_batches
from shared.tables import BoundTable, put_if
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.writes.dictionaries import COUNTER_ROW, ID_FAMILY, NAME_FAMILY

from .names import CODE_BYTES, NameCode, erased_name

_Put: TypeAlias = tuple[bytes, bytes, bytes | None, bytes]
"""A mapping that follows from the opposite one, for `put_if`: row, column, what is stored in its place, and value."""


@attrs.frozen
class _Wrong:
    """A finding, the column of its mapping, and the one that mends it; None if that is not clear."""

    finding: Finding
    column: bytes
    put: _Put | None


class NamesUpkeep(Upkeep):
    """Compares the codes of names with the names of codes: a part of the upkeep.

    undecodable  a name or a code cannot be read, such as a code of three bytes
    missing      the code of a name has no name
    differing    the code of a name has another name: products are shown under a wrong name

    `repair` puts the code of a name again if one code alone has the name, and the stored code cannot be read or is that
    of another name. It puts the name of a code again if one name alone has the code, and no other code has the name:
    that one may be leaked, or the right one. Others are kept; a mapping that cannot be read is removed if told. A code
    to which no name leads is leaked, and not reported.
    """

    def __init__(self, names: BoundTable[Any, NameCode]) -> None:
        self._rows = names.rows
        self._layout = names.layout

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """The mappings that the opposite ones contradict. Costs: one scan, or two if some do; all names in memory."""
        for wrong in self._wrong(progress):
            if wrong.put is not None:
                yield Mendable(wrong.finding, partial(put_if, self._rows, *wrong.put))
            else:
                yield Mendable(wrong.finding, discard=partial(self._discard, wrong))

    def _discard(self, wrong: _Wrong) -> bool:
        """Deletes one mapping, because its row may have others, and spares what is put later."""
        row, columns = wrong.finding.row, [wrong.column]
        for _, put_ms in self._rows.row(row, columns=columns, include_timestamp=True).values():
            self._rows.delete(row, columns, timestamp=put_ms)
        return not self._rows.row(row, columns=columns)

    def _wrong(self, progress: Callable[[], object]) -> list[_Wrong]:
        """What is wrong in each of two scans: a name may be stored meanwhile."""
        found = [*self._compared(progress)]
        again = [*self._compared(progress)] if found else []
        return [wrong for wrong in again if wrong in found]

    def _compared(self, progress: Callable[[], object]) -> Iterator[_Wrong]:
        stored: defaultdict[bytes, dict[bytes, bytes]] = defaultdict(dict)
        (range_,) = self._layout.whole_table().ranges
        for batch in scan_in_batches(self._rows, range_):
            for row, cells in batch:
                for column, value in cells.items() if row != COUNTER_ROW else ():
                    stored[column][row] = value
            progress()
        for kind in sorted({column.partition(b":")[2] for column in stored}):
            of_codes, of_names = (b"%b:%b" % (family.encode(), kind) for family in (ID_FAMILY, NAME_FAMILY))
            word = kind.decode(errors="backslashreplace")
            yield from self._of_kind(word, of_codes, stored[of_codes], of_names, stored[of_names])

    def _of_kind(
        self, kind: str, id_column: bytes, codes: dict[bytes, bytes], name_column: bytes, names: dict[bytes, bytes]
    ) -> Iterator[_Wrong]:
        """The wrong mappings of one kind: `codes` has the code of each name, `names` the name of each code."""
        codes_of, names_of = _inverted(names), _inverted(codes)
        for code, name in names.items():
            if damage := _damage(name, code):
                owners = names_of.get(code, [])
                is_clear = len(owners) == 1 and len(code) == CODE_BYTES and owners[0] not in codes_of
                put: _Put | None = (code, name_column, name, owners[0]) if is_clear else None
                yield _Wrong(Finding("undecodable", self._layout.name, code, None, damage), name_column, put)
        for name, code in codes.items():
            of_name, other = codes_of.get(name, []), names.get(code)
            if other == name or (other is not None and _damage(other, code)):
                continue
            if len(code) == CODE_BYTES and erased_name(code).encode() in (name, other):
                continue  # `remove` has not ended
            is_of_other = len(code) != CODE_BYTES or (other is not None and codes.get(other) == code)
            put = None
            if is_of_other and len(of_name) == 1 and not _damage(name, of_name[0]):
                put = (name, id_column, code, of_name[0])
            elif not of_name and names_of[code] == [name] and not _damage(name, code):
                put = (code, name_column, other, name)
            if damage := _damage(name, code):
                finding = Finding("undecodable", self._layout.name, name, None, damage)
            elif other is None:
                reason = f"{kind} {shown(name.decode())} has this code"
                finding = Finding("missing", self._layout.name, code, name, reason)
            else:
                reason = f"{kind} {shown(name.decode())} has code {code.hex()}, whose name is {shown(other.decode())}"
                finding = Finding("differing", self._layout.name, name, None, reason)
            yield _Wrong(finding, id_column, put)


def _inverted(mappings: dict[bytes, bytes]) -> dict[bytes, list[bytes]]:
    """The rows of each value."""
    rows: dict[bytes, list[bytes]] = {}
    for row, value in mappings.items():
        rows.setdefault(value, []).append(row)
    return rows


def _damage(name: bytes, code: bytes) -> str:
    """Why a mapping cannot be read; empty text if it can."""
    if len(code) != CODE_BYTES:
        return f"must be a code of {CODE_BYTES} bytes (got {shown_bytes(code) or 'none'})"
    with suppress(UnicodeDecodeError):
        return "" if name.decode() else "must be a name (got none)"
    return f"must be a name in UTF-8 (got {shown_bytes(name)})"
