"""Codes for the names in row keys: three dictionaries in one table, for shops, regions and categories.

A code is two bytes. A name's code is either chosen, such as `tb` for Taobao, or the next free number; a table should
hold codes of one sort. How a code is claimed or assigned, and why no code has two names, is in
`shared/writes/dictionaries.py`. The codes must be stored, copied and restored together with the products: without
them, nobody knows what the keys mean.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import (
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    TrailingBytes,
    TrailingText,
    part,
    row_key,
    shown,
    shown_bytes,
)
from shared.queries import scan_in_batches
from shared.records import check_text
from shared.tables import RAW, TEXT, BoundTable, Family, InvalidRow, ItemCells, TableLayout, put_if
from shared.writes import (
    COUNTER_ROW,
    ID_FAMILY,
    NAME_FAMILY,
    NOTHING_TOLD,
    Dictionary,
    Finding,
    IdTaken,
    Instructions,
    no_progress,
)

if TYPE_CHECKING:
    import happybase

KINDS = SHOP, REGION, CATEGORY = "shop", "region", "category"
"""The dictionaries, which name the qualifiers of their table."""
CODE_BYTES = 2
LAST_CODE = 256**CODE_BYTES - 1
"""The largest code, so the most names of a kind."""
NO_CODE = bytes(CODE_BYTES)
"""The code that no name has: what a question about an unknown name asks for."""
REREAD_S = 600.0
"""How long a process remembers codes before it reads all of them again."""


@row_key
class RowOfName:
    """The codes of one name, one for each kind. Also the counters, in the row of one zero byte.

    Order:  by name.
    Serves: the code of a name; all codes, when a repository is opened.
    Costs:  one get; one range.
    Fixed:  nothing
    Source: none
    """

    name: str = part(TrailingText, "the name, of a shop, a region or a category, or of several of them")


@row_key
class RowOfCode:
    """The names of one code, one for each kind.

    Order:  by code.
    Serves: the name of a code.
    Costs:  one get.
    Fixed:  the width of codes.
    Source: none
    """

    code: bytes = part(TrailingBytes, "the code, of a shop, a region or a category, or of several of them")


@row_key
class KindOfName:
    """The qualifier of a mapping.

    Order: by kind.
    """

    kind: str = part(TrailingText, "shop, region or category")


@attrs.frozen
class NameCode:
    """A name of one kind and its code."""

    kind: str
    name: str
    code: bytes


def names_tables(name: str) -> tuple[TableLayout[Any, NameCode], TableLayout[Any, NameCode]]:
    """The two layouts of a table of codes: the codes of names, and the names of codes, which `Dictionary` writes."""
    families = {ID_FAMILY: Family(), NAME_FAMILY: Family()}
    qualifier = KeyLayout(KindOfName)
    codes = ItemCells(NameCode, ID_FAMILY, qualifier, value="code", packing=RAW)
    names = ItemCells(NameCode, NAME_FAMILY, qualifier, value="name", packing=TEXT)
    return (
        TableLayout(name, "the codes of a name", KeyLayout(RowOfName), codes, families, is_recorded=False),
        TableLayout(name, "the names of a code", KeyLayout(RowOfCode), names, families, is_recorded=False),
    )


class Names:
    """The codes of shops, regions and categories, as the process that opened them knows them.

    Opening reads all codes, and so does the first call after ten minutes; a name or a code that others have stored
    since is looked up when it is first needed. So if another process erases a shop, and the shop comes back with
    another code, questions may find nothing of it for ten minutes. A write reads the code of its shop.
    `chosen` are codes by kind and name, which are claimed when their names are first stored; other names are refused
    until `claim` gives them a code. Without `chosen`, a new name gets the next number.

    A row that cannot be read stops only the questions and writes that need it: they raise InvalidRow.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    Costs of opening, and of reading again: three scans, a row for each name.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        table: TableLayout[Any, NameCode],
        chosen: Mapping[str, Mapping[str, bytes]] | None = None,
    ) -> None:
        self._dictionaries = {kind: Dictionary(connection, table.name, kind, CODE_BYTES) for kind in KINDS}
        self._table = table
        self._chosen = chosen
        self._read()

    def _read(self) -> None:
        for of_kind in self._dictionaries.values():
            of_kind.forget()
        self._code_of = {
            kind: dict(of_kind.starting_with("", LAST_CODE, _ignore)) for kind, of_kind in self._dictionaries.items()
        }
        self._name_of = {kind: _of_one_name(codes) for kind, codes in self._code_of.items()}
        self._read_s = time.monotonic()

    def _read_if_old(self) -> None:
        if time.monotonic() - self._read_s >= REREAD_S:
            self._read()

    def claim(self, kind: str, name: str, code: bytes) -> None:
        """Gives a name a code that was chosen: `claim("shop", "Taobao", b"tb")`. The same call again changes nothing.

        Raises `IdTaken` if the code has another name, `NameTaken` if the name has another code, whichever process was
        faster. Costs: 1 get, 2 checkAndPuts.
        """
        if kind not in KINDS:
            raise InvalidKey(f"kind: must be {', '.join(KINDS)} (got {shown(kind)})")
        if code == NO_CODE:
            raise InvalidKey(f"code: must not be {NO_CODE.hex()}, the code of unknown names")
        self._dictionaries[kind].claim(name, code)
        self._remember(kind, name, code)

    def code(self, kind: str, name: str) -> bytes:
        """The code of a name that is to be stored; an unknown one gets its chosen code, or the next number.

        The code of a shop is read each time, because another process may have erased the shop since.
        Raises InvalidKey for a name without a chosen code, and InvalidRow for one that has the code of another. Costs:
        1 get for a shop; nothing for another known name, otherwise 1 get, and those of `Dictionary.claim` or
        `Dictionary.assign`.
        """
        self._read_if_old()
        if kind == SHOP:
            self._forget(kind, name)
        code = self._stored_code(kind, name)
        if code is None and self._chosen is not None:
            code = self._chosen[kind].get(name)
            if code is None:
                raise InvalidKey(f"Product.{kind}: must be a name with a code: claim one first (got {shown(name)})")
            try:
                self._dictionaries[kind].claim(name, code)
            except IdTaken as error:  # because the name was erased
                raise InvalidKey(f"Product.{kind}: claim another code first: {error}") from None
        elif code is None:
            code = self._dictionaries[kind].assign(name)
        self._remember(kind, name, code)
        return code

    def stored_code(self, kind: str, name: str) -> bytes:
        """The code of a name as it is stored now, not as it is remembered; `NO_CODE` if it has none. Costs: 1 get."""
        self._forget(kind, name)
        return self._dictionaries[kind].id_of(name) or NO_CODE

    def remove(self, kind: str, name: str) -> None:
        """Gives the code of a name another name, `erased 0003`, so that nobody else gets the code.

        The same call again completes one that died. Costs: 1 get; if it has a code, 1 get, 2 checkAndPuts, 1 delete.
        """
        code = self.stored_code(kind, name)
        erased = _erased(code)
        if code != NO_CODE and name != erased:
            self._dictionaries[kind].rename(name, erased)
            self._remember(kind, erased, code)
        self._forget(kind, name)

    def known_code(self, kind: str, name: str) -> bytes:
        """The code of a name in a question; `NO_CODE` if it has none.

        Raises InvalidRow for a name that has the code of another one. Costs: 1 get for an unknown name; if it has a
        code, 1 more.
        """
        check_text(kind, name)
        if name == "":
            return NO_CODE
        self._read_if_old()
        try:
            return self._stored_code(kind, name) or NO_CODE
        except InvalidKey as error:
            raise InvalidQuestion(f"{kind}: {error}") from None

    def name(self, kind: str, code: bytes) -> str | None:
        """The name of a code; None if it has none. Costs: 1 get for an unknown code."""
        self._read_if_old()
        name = self._name_of[kind].get(code) or self._dictionaries[kind].name_of(code)
        if name is not None:
            self._remember(kind, name, code)
        return name

    def _stored_code(self, kind: str, name: str) -> bytes | None:
        """The code of a name, as it is remembered or stored, if its own name is not another one."""
        code = self._code_of[kind].get(name) or self._dictionaries[kind].id_of(name)
        other = None if code is None else self.name(kind, code)
        if code is not None and other not in (None, name, _erased(code)) and name != _erased(code):
            reason = f"{kind} {shown(name)} has code {code.hex()}, whose name is {shown(other)}"
            raise InvalidRow(self._table.name, self._table.row(RowOfName(name)), reason)
        return code

    def _forget(self, kind: str, name: str) -> None:
        self._code_of[kind].pop(name, None)
        self._dictionaries[kind].forget()

    def _remember(self, kind: str, name: str, code: bytes) -> None:
        self._code_of[kind][name] = code
        self._name_of[kind][code] = name


@attrs.frozen
class _Put:
    """A mapping that follows from the opposite one, and what is stored in its place."""

    row: bytes
    column: bytes
    stored: bytes | None
    value: bytes


@attrs.frozen
class _Wrong:
    """A finding, the column of its mapping, and what mends it; None if that is not clear."""

    finding: Finding
    column: bytes
    mend: _Put | None


class NamesUpkeep:
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

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """The mappings that the opposite ones contradict. Costs: one scan, or two if some do; all names in memory."""
        return (wrong.finding for wrong in self._wrong(progress))

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Mends what `verify` finds, or removes it if told; with each finding, whether it was."""
        for wrong in self._wrong(progress):
            if wrong.mend is not None:
                yield wrong.finding, put_if(self._rows, *attrs.astuple(wrong.mend))
            else:
                yield wrong.finding, instructions.discards(wrong.finding) and self._discard(wrong)

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
        """The wrong mappings of one kind: `codes` are those of names, `names` those of codes."""
        codes_of, names_of = _inverted(names), _inverted(codes)
        for code, name in names.items():
            if damage := _damage(name, code):
                owners = names_of.get(code, [])
                is_clear = len(owners) == 1 and len(code) == CODE_BYTES and owners[0] not in codes_of
                mend = _Put(code, name_column, name, owners[0]) if is_clear else None
                yield _Wrong(Finding("undecodable", self._layout.name, code, None, damage), name_column, mend)
        for name, code in codes.items():
            of_name, other = codes_of.get(name, []), names.get(code)
            if other == name or (other is not None and _damage(other, code)):
                continue
            if len(code) == CODE_BYTES and _erased(code).encode() in (name, other):
                continue  # `remove` has not ended
            is_of_other = len(code) != CODE_BYTES or (other is not None and codes.get(other) == code)
            mend = None
            if is_of_other and len(of_name) == 1 and not _damage(name, of_name[0]):
                mend = _Put(name, id_column, code, of_name[0])
            elif not of_name and names_of[code] == [name] and not _damage(name, code):
                mend = _Put(code, name_column, other, name)
            if damage := _damage(name, code):
                finding = Finding("undecodable", self._layout.name, name, None, damage)
            elif other is None:
                reason = f"{kind} {shown(name.decode())} has this code"
                finding = Finding("missing", self._layout.name, code, name, reason)
            else:
                reason = f"{kind} {shown(name.decode())} has code {code.hex()}, whose name is {shown(other.decode())}"
                finding = Finding("differing", self._layout.name, name, None, reason)
            yield _Wrong(finding, id_column, mend)


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


def _of_one_name(codes: Mapping[str, bytes]) -> dict[bytes, str]:
    """The name of each code that one name alone has; who asks for another code reads its name."""
    names_of = Counter(codes.values())
    return {code: name for name, code in codes.items() if names_of[code] == 1}


def _erased(code: bytes) -> str:
    """The name of a code whose name was erased."""
    return f"erased {code.hex()}"


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores a row that cannot be read, because the call that needs it raises, and `verify` reports it."""
