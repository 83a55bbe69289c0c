"""Lists of a source, as `Source.list` and `Source.moving_list` declare them; what follows from the record is here."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..intents.times import KEEP_TOMBSTONES_MS
from ..keys import KeyLayout, split_points
from ..keys.errors import listed, shown
from ..tables import Column, Family, InvalidRecord, RecordCells, TableLayout
from ..tables.cells import families_of, record_fields
from ..tables.declared_types import includes_none, type_name
from .declaring import Columns, layout_of

if TYPE_CHECKING:
    from ..tables import OtherColumns

L = TypeVar("L")


@attrs.frozen(eq=False)
class ListOf(Generic[L]):
    """A list, and what a question of it returns: its lines, or the records of its source if it moves.

    `BoundSource.ask` takes it. A source that `Source.like` has made answers in its own table of the same list.
    """

    record: type[Any]
    """The record of its source."""
    columns: Columns
    """The columns of the source."""
    layout: TableLayout[Any, Any]
    """What is stored of a line."""
    asked: TableLayout[Any, Any]
    """What a question reads: less than `layout`, if the lines of a variant hold more."""
    moves: bool
    lines_of: Callable[[Any], Iterable[Any]]
    """The lines of a record of the source: objects with all parts of the list's key, and what its columns hold."""
    shows: type[L]
    """The class of what a question returns."""
    first: "ListOf[Any] | None" = None
    """The list of the first source, of which this one is the variant's; None for a list of a first source itself."""

    @property
    def origin(self) -> "ListOf[Any]":
        """What a question names the list by: the list of the first source."""
        return self.first or self

    def shown(self, records: Iterable[Any]) -> list[L]:
        """Records of the source as this list shows them, by the names of the attributes; for `Query.then`."""
        made: Any = self.shows
        names = [field.name for field in attrs.fields(made) if field.init]
        return [made(*[getattr(record, name) for name in names]) for record in records]

    def like(
        self, table: str, key: "type[Any] | KeyLayout[Any] | None" = None, line: type[Any] | None = None
    ) -> "ListOf[L]":
        """The same list in another table, maybe under another key; for `lists` of `Source.like`.

        With `line`, its lines hold more: all attributes of that class. A question still shows them as the first list.
        """
        asked = in_table(self.asked, table, key)
        layout = asked
        if line is not None:
            columns = line_columns(line, layout.key, self.record, self.columns)
            layout = attrs.evolve(asked, cells=RecordCells(line, columns))
        return attrs.evolve(self, layout=layout, asked=asked, first=self.origin)

    def __repr__(self) -> str:
        return f"ListOf({self.layout.name})"


def list_of_source(source: str, lists: Iterable[ListOf[Any]], of: ListOf[Any]) -> ListOf[Any]:
    """The one of a source's lists that another list stands for. Raises InvalidRecord if there is none."""
    for own in lists:
        if own.origin is of.origin:
            return own
    raise InvalidRecord(f"{of}: must be a list of source {source} (has {listed(map(repr, lists))})")


def in_table(layout: TableLayout[Any, L], table: str, key: "type[Any] | KeyLayout[Any] | None") -> TableLayout[Any, L]:
    """The same cells in another table; under another key, with the split points that this key has a reason for."""
    if key is None:
        return attrs.evolve(layout, name=table)
    key = layout_of(key)
    return attrs.evolve(layout, name=table, key=key, splits=split_points(key))


def words_of(name: str) -> str:
    """The words of a class's name: StoredMessage is a stored message."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()


def line_columns(
    line: type[Any], key: KeyLayout[Any], record: type[Any], columns: Columns
) -> dict[str, "str | Column | OtherColumns"]:
    """The columns of a line: those that its attributes have in the source, packed alike. Raises InvalidRecord."""
    declared, of_source = record_fields(line), record_fields(record)
    of_line: dict[str, str | Column | OtherColumns] = {}
    for name, field in declared.items():
        if name in key.part_named:
            continue
        if name not in columns:
            wanted = f"must be a part of {key.name}, or have a column in {record.__name__}"
            raise InvalidRecord(f"{line.__name__}.{name}: {wanted} (which has {listed(columns)})")
        if field.type != of_source[name].type:
            wanted = f"must be declared as in {record.__name__}, whose column it shares"
            got = f"got {type_name(field.type)} and {type_name(of_source[name].type)}"
            raise InvalidRecord(f"{line.__name__}.{name}: {wanted} ({got})")
        of_line[name] = columns[name]
    return of_line


def cells_of_list(
    key: KeyLayout[Any], line: type[Any] | None, columns: "Mapping[str, str | Column | OtherColumns]", marker: str
) -> RecordCells[Any]:
    """The cells of a list: the columns of its lines, or a marker, if its lines hold only their key."""
    if line is None:
        return RecordCells(key.key_class, {}, marker=marker)
    return RecordCells(line, columns)


def derived_families(
    cells: RecordCells[Any], families: Mapping[str, Family], table: str, *, moves: bool
) -> dict[str, Family]:
    """The families of a list, which keep their tombstones as long as the protocol needs. Raises InvalidRecord."""
    declared = {name: families.get(name, Family()) for name in {**dict.fromkeys(families_of(cells)), **families}}
    for name, family in declared.items():
        if 0 < family.keep_tombstones_ms < KEEP_TOMBSTONES_MS:
            wanted = f"must keep tombstones for {KEEP_TOMBSTONES_MS} ms or more"
            raise InvalidRecord(f"table {table}: family {name} {wanted} (got {family.keep_tombstones_ms})")
        if moves and family.lifetime_s is not None:
            wanted = "of a moving list must not have a TTL: the list would lack records that are stored"
            raise InvalidRecord(f"table {table}: family {name} {wanted} (got {family.lifetime_s} s)")
    return {
        name: attrs.evolve(family, keep_tombstones_ms=family.keep_tombstones_ms or KEEP_TOMBSTONES_MS)
        for name, family in declared.items()
    }


def lines_by_name(
    table: str, key: KeyLayout[Any], record: type[Any], when: Callable[[Any], bool] | None
) -> Callable[[Any], Iterable[Any]]:
    """The lines of a record that has every part of the list's key under its own name: the record, or none.

    A record has no line if a part that its class declares as optional is None. Raises InvalidRecord if it lacks a part.
    """
    fields = record_fields(record)
    for name in key.part_named:
        if name not in fields and not hasattr(record, name):
            wanted = f"must have the part {name} of {key.name}, or the list gives `lines`"
            raise InvalidRecord(f"table {table}: {record.__name__} {wanted} (has {listed(fields)})")
    optional = [name for name in key.part_named if name in fields and includes_none(fields[name].type)]

    def lines_of(line: Any) -> Iterable[Any]:
        if when is not None and not when(line):
            return ()
        if optional and any(getattr(line, name) is None for name in optional):
            return ()
        return (line,)

    return lines_of


def check_moves(table: str, line: object, columns: object) -> None:
    """Raises InvalidRecord for lines of a moving list that hold more than their key."""
    if line is not None or columns:
        got = shown(getattr(line, "__name__", columns))
        raise InvalidRecord(
            f"table {table}: a moving list holds only its key, so that its lines can be put before a write is decided: "
            f"leave out the line's record, or declare a list (got {got})"
        )
