"""Codes for the names in row keys: three dictionaries in one table, for shops, regions and categories.

A code is two bytes. A name's code is either chosen, such as `tb` for Taobao, or the next free number; a table should
hold codes of one sort. How a code is claimed or assigned, and why no code has two names, is in
`shared/writes/dictionaries.py`. The codes must be stored, copied and restored together with the products: without
them, nobody knows what the keys mean.
"""

import time
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import InvalidKey, InvalidQuestion, KeyLayout, TrailingBytes, TrailingText, part, row_key, shown
from shared.records import check_text
from shared.tables import RAW, TEXT, Family, InvalidRow, ItemCells, TableLayout
from shared.writes import Dictionary, IdTaken
from shared.writes.dictionaries import ID_FAMILY, NAME_FAMILY

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
        Raises InvalidKey for a name without a chosen code, and InvalidRow for one that has the code of another.
        Costs: 1 get for a shop or an unknown name, none for any other name; a name without a code also costs what
        `Dictionary.claim` or `Dictionary.assign` costs.
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
        """The code of a name as it is stored now, not as it is remembered; `NO_CODE` if it has none.

        Raises InvalidRow for a name that has the code of another one. Costs: 1 get; for an unknown code 1 more.
        """
        self._forget(kind, name)
        return self._stored_code(kind, name) or NO_CODE

    def remove(self, kind: str, name: str) -> None:
        """Gives the code of a name another name, `erased 0003`, so that nobody else gets the code.

        The same call again completes one that died. Costs: 1 get; if it has a code, 1 get, 2 checkAndPuts, 1 delete.
        """
        code = self.stored_code(kind, name)
        erased = erased_name(code)
        if code != NO_CODE and name != erased:
            self._dictionaries[kind].rename(name, erased)
            self._remember(kind, erased, code)
        self._forget(kind, name)

    def restore(self, kind: str, name: str) -> None:
        """Undoes a `remove` that died, because the name is in use again: its code shows the name again.

        Costs: 2 gets; after such a `remove` 1 get, 3 checkAndPuts, 1 delete more.
        """
        code = self.stored_code(kind, name)
        erased = erased_name(code)
        if name != erased and self._dictionaries[kind].id_of(erased) == code:
            self._dictionaries[kind].rename(erased, name)
            self._remember(kind, name, code)

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
        if code is not None and other not in (None, name, erased_name(code)) and name != erased_name(code):
            reason = f"{kind} {shown(name)} has code {code.hex()}, whose name is {shown(other)}"
            raise InvalidRow(self._table.name, self._table.row(RowOfName(name)), reason)
        return code

    def _forget(self, kind: str, name: str) -> None:
        self._code_of[kind].pop(name, None)
        self._dictionaries[kind].forget()

    def _remember(self, kind: str, name: str, code: bytes) -> None:
        self._code_of[kind][name] = code
        self._name_of[kind][code] = name


def _of_one_name(codes: Mapping[str, bytes]) -> dict[bytes, str]:
    """The name of each code that one name alone has; who asks for another code reads its name."""
    names_of = Counter(codes.values())
    return {code: name for name, code in codes.items() if names_of[code] == 1}


def erased_name(code: bytes) -> str:
    """The name of a code whose name was erased."""
    return f"erased {code.hex()}"


def _ignore(_invalid: InvalidRow) -> None:
    """Ignores a row that cannot be read, because the call that needs it raises, and `verify` reports it."""
