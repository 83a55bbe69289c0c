"""`rowbook explain`: the bytes of row keys, the names in them, and the contents of a cell."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
from rich.cells import cell_len
from rich.console import Console

from ...designs import CellContents, Design, Variant
from ...designs.cell_contents import column_of, shown_column
from ...designs.patterns import key_line
from ...designs.ruler import BYTES, VALUES, show_value
from ...exhibit.key_sizes import key_size_words
from ...keys.errors import message_of, shown, shown_bytes
from ...keys.parts import Segment
from ...tables import TableLayout
from ..named.designs import find_variants
from ..screen import text_tables
from ..screen.terminal import GUTTER, json_object, line, ruler, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .bytes_as_text import READ_AS, KeyForm, encoded, forms_of, read_bytes
from .given_rows import MissingKey, MissingKeys, TableKeys, decode_key, encode_keys, read_key, tables_of
from .key_rulers import key_ruler
from .likely_tables import doubts

if TYPE_CHECKING:
    from .places import Place

VALUE_CHARACTERS_SHOWN = 64
"""Characters of a value that are shown if the key is not complete; `shown_bytes` shows as many bytes."""


def explain(
    out: Console,
    name: str,
    fields: list[str],
    *,
    key: str | None,
    keys_file: str | None,
    form: KeyForm | None,
    column: str | None,
    value: str | None,
    store: str | None,
    everything: bool,
    as_json: bool,
) -> int:
    """Explains the keys that the fields make, a key, or those of a file, in the tables of the design itself.

    With `everything`, and as JSON, in those of all its variants; also if none of its own has such a key, or if one of
    another variant is likelier. Returns the exit code: 1 if a key of the file is none of the design.
    """
    design, variants = find_variants(name)
    if store is not None:
        from ..named.stores import stored_variants

        variants = stored_variants(design, variants, store)
    tables = tables_of(variants)
    own = {table.name for table in tables_of(variants if everything or as_json else variants[:1])}
    if [key is None, keys_file is None, not fields].count(False) != 1:
        wanted = "the fields of a key (FIELD=VALUE ...), --key KEY or --keys FILE"
        raise WrongUsage(f"explain {name}: give one of these: {wanted}")
    family, qualifier = read_column(column, value)
    if keys_file is not None:
        if column is not None:
            raise WrongUsage("--column: needs --key KEY or fields, not --keys FILE")
        from .many_rows import explain_file

        return explain_file(out, name, variants, own, keys_file, form, store, as_json=as_json)
    forms = forms_of([encoded(text) for text in (key, qualifier, value) if text is not None], form)
    readings = [_read(design, tables, fields, key, family, qualifier, value, of_texts) for of_texts in forms]
    possible = [reading for reading in readings if reading.explained]
    if not possible:
        readings = [reading.in_tables(own) for reading in readings]
        _refuse(out, name, design, readings, is_of_fields=key is None, is_form_given=form is not None, as_json=as_json)
    explained = [attrs.evolve(found, form=reading.form) for reading in possible for found in reading.explained]
    if store is not None:
        explained = _in_store(design, variants, explained, store)
    explained = _own_first(explained, own)
    if {found.form for found in explained} == {forms[0]}:  # nothing was guessed
        explained = [attrs.evolve(found, form=None) for found in explained]
    others = [*readings[0].refused, *readings[0].missing]
    if possible != readings[:1]:  # a table may have a key in the other form
        names = {found.table.name for found in explained}
        others = [missing for missing in others if missing.table.name not in names]
    _show(out, design, explained, [missing for missing in others if missing.table.name in own], as_json=as_json)
    return 0


def read_column(column: str | None, value: str | None) -> tuple[str | None, str | None]:
    """The family that a column names, maybe none, and its qualifier; None for both without column and value."""
    if column is None and value is None:
        return None, None
    if column is None or value is None:
        given, missing = ("--value", "--column") if column is None else ("--column", "--value")
        raise WrongUsage(f"{given}: needs {missing}, too")
    family, colon, qualifier = column.partition(":")
    if not column or (colon and not family):
        raise WrongUsage(f"--column: must be QUALIFIER or FAMILY:QUALIFIER (got {shown(column)})")
    return (family, qualifier) if colon else (None, column)


@attrs.frozen
class Cell:
    """A cell as the user gives it."""

    family: str | None
    """None for the only family of the table."""
    qualifier: bytes
    value: bytes


@attrs.frozen
class ExplainedKey:
    """A row key of a table, with the names and the cell that were asked for."""

    table: TableLayout[Any, Any]
    row: bytes
    names: Mapping[str, str] | None = None
    """The names of its parts in a store; None if no store was given."""
    column: bytes = b""
    contents: CellContents | None = None
    """The contents of the cell in this column; None if no cell was given."""
    doubts: Sequence[str] = ()
    """Why the table is unlikely to hold a row of this key."""
    place: "Place | None" = None
    """Where a store has the row; None if no store was given, or it lacks the table."""
    form: KeyForm | None = None
    """The form in which the given texts were read, if they have another one, too."""

    def named(self, design: Design, repository: Any) -> "ExplainedKey":
        """The same key with the names that the repository knows. Raises ValueError."""
        if design.names_in_key is None:
            return self
        return attrs.evolve(self, names=design.names_in_key(repository, self.table.key.decode(self.row)))


@attrs.frozen
class _Reading:
    """What the given key and cell are, if their texts have a form."""

    form: KeyForm
    explained: list[ExplainedKey]
    refused: MissingKeys
    """Why other tables that have such a key have no such cell."""
    missing: MissingKeys
    """Why other tables have no such key."""

    def in_tables(self, names: Collection[str]) -> "_Reading":
        """What is refused and missing in these tables; all of it if that is nothing."""
        refused, missing = (
            [one for one in of_tables if one.table.name in names] or of_tables
            for of_tables in (self.refused, self.missing)
        )
        return attrs.evolve(self, refused=refused, missing=missing)


def _own_first(explained: list[ExplainedKey], own: Collection[str]) -> list[ExplainedKey]:
    """The keys of the `own` tables, if one of these is as likely as any other, and is stored if any is; else all."""
    stored = [key for key in explained if key.place is not None and key.place.is_stored]
    of_own = [key for key in stored or explained if key.table.name in own]
    return of_own if any(not key.doubts for key in of_own) else explained


def _read(
    design: Design,
    tables: Sequence[TableLayout[Any, Any]],
    fields: list[str],
    key: str | None,
    family: str | None,
    qualifier: str | None,
    value: str | None,
    form: KeyForm,
) -> _Reading:
    cell = None
    if qualifier is not None and value is not None:
        cell = Cell(family, read_bytes("--column", qualifier, form), read_bytes("--value", value, form))
    keys, missing_keys = encode_keys(design, tables, fields) if key is None else decode_key(tables, read_key(key, form))
    explained, refused = _with_cell(design, keys, cell)
    return _Reading(form, explained if key is None else _with_doubts(explained), refused, missing_keys)


def _refuse(
    out: Console,
    name: str,
    design: Design,
    readings: Sequence[_Reading],
    *,
    is_of_fields: bool,
    is_form_given: bool,
    as_json: bool,
) -> NoReturn:
    """Fails because no table has such a key, or such a cell."""
    reading = next((reading for reading in readings if reading.refused), readings[0])
    is_guessed = not is_form_given and reading.form != "hex"
    read_as = f", read {READ_AS[reading.form]} (--form names another form)" if is_guessed else ""
    if reading.refused:
        reasons = "; ".join(f"{missing.table.name}: {missing.reason}" for missing in reading.refused)
        raise CommandFailed(f"not a cell of {name}{read_as}: {reasons}")
    nearest, names = next(iter(_with_same_lines(reading.missing).items()))
    _show(out, design, [], reading.missing, as_json=as_json, without_reason=nearest)
    nearest_words = f"the nearest is {', '.join(names)}: {reading.missing[0].reason}"
    if is_of_fields:
        raise WrongUsage(f"no key of {name} is complete; {nearest_words}")
    raise CommandFailed(f"not a key of {name}{read_as}; {nearest_words}")


def _with_cell(design: Design, keys: TableKeys, cell: Cell | None) -> tuple[list[ExplainedKey], MissingKeys]:
    """The keys with the contents of the cell, if there is one, and for each table that has no such cell the reason."""
    if cell is None:
        return [ExplainedKey(table, row) for table, row in _of_tables(keys)], []
    explained: list[ExplainedKey] = []
    refused: MissingKeys = []
    for table, row in keys:
        try:
            column = column_of(table, cell.family, cell.qualifier)
            contents = design.contents_of(table, table.key.decode(row), column, cell.value)
        except ValueError as error:
            refused.append(MissingKey(table, message_of(error)))
        else:
            explained.append(ExplainedKey(table, row, None, column, contents))
    return explained, refused


def _with_doubts(keys: list[ExplainedKey]) -> list[ExplainedKey]:
    """The keys with the doubts about tables that are less likely than the likeliest."""
    doubts_of = [doubts(key.table, key.row) for key in keys]
    fewest = min(map(len, doubts_of), default=0)
    return [
        attrs.evolve(key, doubts=of_key if len(of_key) > fewest else ())
        for key, of_key in zip(keys, doubts_of, strict=True)
    ]


def _of_tables(keys: TableKeys) -> TableKeys:
    """Each key once, even if several layouts of a table make it: they differ in their cells only."""
    return [*{(table.name, row): (table, row) for table, row in keys}.values()]


def _in_store(design: Design, variants: tuple[Variant, ...], keys: list[ExplainedKey], url: str) -> list[ExplainedKey]:
    """The keys with their places in a store, those of stored rows first, and the names that the store has for them.

    If some are of stored rows, those that were read in another form are left out.
    """
    from ..named.stores import check_tables, existing_store, missing_tables
    from .places import Places

    with existing_store(url) as connection:
        places = Places(connection)
        keys = [attrs.evolve(key, place=places.of(key.table, key.row)) for key in keys]
        stored = {key.form for key in keys if key.place is not None and key.place.is_stored}
        keys = [key for key in keys if not stored or key.form in stored]
        keys.sort(key=lambda key: 2 if key.place is None else not key.place.is_stored)
        if design.names_in_key is None and any(key.place for key in keys):
            return keys
        there = (other for other in variants if not missing_tables(connection, design, other, writes=False))
        variant = next(there, variants[0])
        check_tables(connection, url, design, variant, writes=False)
        repository = variant.open(connection)
        try:
            return [key.named(design, repository) for key in keys]
        except ValueError as error:
            raise CommandFailed(f"{url}: {message_of(error)}") from None


def _show(
    to: Console,
    design: Design,
    keys: Iterable[ExplainedKey],
    missing_keys: MissingKeys,
    *,
    as_json: bool,
    without_reason: tuple[str, ...] = (),
) -> None:
    """Writes the byte ruler of every key, its names and its cell; then the parts that other tables have and lack.

    The tables whose lines are `without_reason` lack the last one, because the message of the error says it.
    """
    if as_json:
        others = [
            {"table": missing.table.name, "reason": missing.reason, "parts": _parts(missing.parts)}
            for missing in missing_keys
        ]
        json_object(to, {"keys": [_explained(key) for key in keys], "others": others})
        return
    for key in keys:
        wrapped(to, f"{key.table.name}: {key_line(key.table.key)}", style="bold")
        key_ruler(to, design, key.table, key.row)
        ruler(to, "hex", [(BYTES, key.row.hex())])
        wrapped(to, f"  size   {key_size_words(key.table, key.row)}", GUTTER)
        if key.names:
            widest = max(map(cell_len, key.names))
            ruler(to, "names", [(VALUES, f"{part.ljust(widest)}  {name}") for part, name in key.names.items()])
        if key.place is not None:
            ruler(to, "store", [(VALUES, key.place.words)])
        if key.form is not None:
            ruler(to, "read", [(VALUES, f"{READ_AS[key.form]}, like --form {key.form}")])
        for doubt in key.doubts:
            wrapped(to, f"  but    unlikely: {doubt}", GUTTER)
        if key.contents is not None:
            ruler(to, "cell", [(BYTES, shown_column(key.column)), (VALUES, key.contents.holds)])
            _cell_values(to, key.contents.values)
        line(to)
    for lines, names in _with_same_lines(missing_keys).items():
        key_words, *parts, reason = lines
        wrapped(to, f"{', '.join(names)}: {key_words}", style="bold")
        for part in parts:
            wrapped(to, part, GUTTER)
        if lines != without_reason:
            wrapped(to, reason)


def _with_same_lines(missing_keys: MissingKeys) -> dict[tuple[str, ...], list[str]]:
    """The lines of each missing key, with the names of all tables that have the same ones."""
    names_of: dict[tuple[str, ...], dict[str, None]] = {}
    for missing in missing_keys:
        names_of.setdefault(_lines(missing), {})[missing.table.name] = None
    return {lines: [*names] for lines, names in names_of.items()}


def _lines(missing: MissingKey) -> tuple[str, ...]:
    """The table's key in words; each given part, with its value and bytes; why the key is missing."""
    shown_parts = [(part.name, _value_start(part), shown_bytes(part.data)) for part in missing.parts]
    name_width, value_width = (max((cell_len(part[column]) for part in shown_parts), default=0) for column in (0, 1))
    lines = [f"{name.ljust(name_width)}  {value.ljust(value_width)}  {data}" for name, value, data in shown_parts]
    titles = ["  has    ", *[" " * GUTTER] * len(lines)]
    return key_line(missing.table.key), *map("".join, zip(titles, lines, strict=False)), f"  {missing.reason}"


def _value_start(part: Segment) -> str:
    value = show_value(part.name, part.value)
    return value if len(value) <= VALUE_CHARACTERS_SHOWN else f"{value[:VALUE_CHARACTERS_SHOWN]}..."


def _cell_values(to: Console, values: Sequence[Mapping[str, Any]]) -> None:
    if values:
        rows = [[show_value(name, value) for name, value in of_one.items()] for of_one in values]
        text_tables.table(to, [*values[0]], rows)


def _explained(key: ExplainedKey) -> dict[str, Any]:
    explained: dict[str, Any] = {
        "table": key.table.name,
        "row": key.row,
        "row_bytes": len(key.row),
        "parts": _parts(key.table.key.segments(key.row)),
    }
    if key.names is not None:
        explained["names"] = key.names
    if key.form is not None:
        explained["form"] = key.form
    if key.doubts:
        explained["unlikely"] = key.doubts
    if key.place is not None:
        explained["place"] = key.place.as_json
    if key.contents is not None:
        explained["cell"] = {
            "column": shown_column(key.column),
            "holds": key.contents.holds,
            "values": key.contents.values,
        }
    return explained


def _parts(segments: Iterable[Segment]) -> list[dict[str, Any]]:
    return [{"name": segment.name, "bytes": segment.data, "value": segment.value} for segment in segments]
