"""The fast path of a table: functions generated from its layout and cells, without a loop.

`record` decodes a row and its cells without making the key, and `item` one cell of a row whose key is known. Each calls
its reference if anything does not fit, as the functions of `keys/compiled.py` do.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs

from ..keys.compiled import decoding, define_function
from ..keys.parts import init_fields
from ..keys.reference import ReferenceLayout


@attrs.frozen
class FromCell:
    """How the value of an attribute is read from its cell."""

    column: bytes
    unpack: Callable[[bytes], Any]
    of_item: Callable[[Any], Any] | None
    """What makes the value of an item of an array; None if the item is the value."""
    wanted: type[Any] | None
    """The class of all values; None if only `fits` can tell which values fit."""
    values: tuple[Any, ...]
    """The only values that fit, as of a `Literal`; empty if all values of the class fit."""
    fits: Callable[[Any], bool]
    is_optional: bool
    default: Any
    """The argument for attrs' `__init__` if there is no cell and `is_optional`: `NOTHING` makes it call the factory."""


@attrs.frozen
class FromFamily:
    """How an attribute that is a mapping is read from the cells of a family."""

    start: bytes
    """What its columns start with: the family and a colon."""
    taken: frozenset[bytes]
    """The columns of the family that other attributes have."""
    value: FromCell
    """How each value is read from its cell."""


def compile_record(
    layout: ReferenceLayout[Any],
    record: type[Any],
    part_of: Mapping[str, str],
    from_cells: Mapping[str, FromCell],
    from_families: Mapping[str, FromFamily],
    reference: Callable[[bytes, Mapping[bytes, bytes]], Any],
) -> Callable[[bytes, Mapping[bytes, bytes]], Any]:
    """A function that does what `reference` does: returns the record of a row and its cells.

    The attributes that are neither `from_cells` nor `from_families` are parts of the key: `part_of` names the part of
    each.
    """
    scope: dict[str, Any] = {"reference": reference, "Record": record}
    body, checks, parts = decoding(layout, scope)
    values = {name: parts[part] for name, part in part_of.items() if part in parts}
    body += _optional_cells(from_cells, may_lack_all=bool(from_families))
    for number, (name, cell) in enumerate(from_cells.items()):
        value = f"cell_value_{number}"
        check = _value_check(scope, number, value, cell)
        if cell.is_optional:
            scope[f"default_{number}"] = cell.default
            body.append(f"{value} = default_{number} if cell_{number} is None else unpack_{number}(cell_{number})")
            check = f"(cell_{number} is None or {check})"
        else:
            body.append(f"{value} = unpack_{number}(cells[{cell.column!r}])")
        checks.append(check)
        values[name] = value
    for number, (name, family) in enumerate(from_families.items()):
        values[name] = mapping = f"mapping_{number}"
        body.append(_mapping(scope, number, mapping, family))
        checks.append(_values_check(scope, number, mapping, family.value))
    if from_families and all(cell.is_optional for cell in from_cells.values()):
        any_cell = [f"cell_{number} is not None" for number in range(len(from_cells))]
        checks.append(f"({' or '.join([*any_cell, *(values[name] for name in from_families)])})")
    arguments = _arguments(record, values)
    lines = [
        "def record(row, cells):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks)}:",
        f"            return Record({', '.join(arguments)})",
        "    except Exception:",
        "        pass",
        "    return reference(row, cells)",
    ]
    return define_function("record", lines, scope, layout)


def _value_check(scope: dict[str, Any], number: int, value: str, cell: FromCell) -> str:
    """An expression that tells whether the value of a cell fits its attribute; also binds `unpack_<number>`."""
    scope |= {f"unpack_{number}": cell.unpack, f"wanted_{number}": cell.wanted, f"fits_{number}": cell.fits}
    scope[f"values_{number}"] = cell.values
    check = f"fits_{number}({value})" if cell.wanted is None else f"type({value}) is wanted_{number}"
    return f"{check} and {value} in values_{number}" if cell.values else check


def _mapping(scope: dict[str, Any], number: int, mapping: str, family: FromFamily) -> str:
    """A statement that reads a mapping: all cells of a family that are not taken, in the order of their qualifiers."""
    scope |= {f"unpack_of_{number}": family.value.unpack, f"taken_{number}": family.taken}
    start, length = repr(family.start), len(family.start)
    return (
        f"{mapping} = {{column[{length}:].decode(): unpack_of_{number}(cell) for column, cell in sorted(cells.items())"
        f" if column.startswith({start}) and column not in taken_{number}}}"
    )


def _values_check(scope: dict[str, Any], number: int, mapping: str, cell: FromCell) -> str:
    """An expression that tells whether all values of a mapping fit."""
    scope |= {f"types_of_{number}": {cell.wanted}, f"fits_of_{number}": cell.fits}
    if cell.wanted is None or cell.values:
        return f"all(map(fits_of_{number}, {mapping}.values()))"
    return f"types_of_{number}.issuperset(map(type, {mapping}.values()))"


def _arguments(record: type[Any], values: Mapping[str, str]) -> list[str]:
    """The arguments of a record's `__init__`, from an expression for each attribute."""
    return [
        f"{field.alias}={values[field.name]}" if field.kw_only else values[field.name] for field in init_fields(record)
    ]


def compile_item(
    qualifier: ReferenceLayout[Any],
    record: type[Any],
    key_attributes: Collection[str],
    from_value: Mapping[str, FromCell],
    unpack_all: Callable[[bytes], Any] | None,
    reference: Callable[[Any, bytes, bytes], Any],
) -> Callable[[Any, bytes, bytes], Any]:
    """A function that does what `reference` does: returns the record of one cell, from row key, qualifier and value.

    An attribute that is in the row key and in the qualifier is the sum of both: the start of its slice, and the rest.
    `unpack_all` makes a list of the values of several attributes; if it is None, the value is that of one attribute.
    """
    scope: dict[str, Any] = {"reference": reference, "Record": record, "unpack_all": unpack_all}
    body, checks, values = decoding(qualifier, scope)
    for name in key_attributes:
        values[name] = f"key.{name} + {values[name]}" if name in values else f"key.{name}"
    names = [f"cell_value_{number}" for number in range(len(from_value))]
    if unpack_all is not None:
        checks.append("type(cell_values) is list")
        body += ["cell_values = unpack_all(value)", f"[{', '.join(names)}] = cell_values"]
    for number, (name, cell) in enumerate(from_value.items()):
        checks.append(_value_check(scope, number, names[number], cell))
        if unpack_all is None:
            body.append(f"{names[number]} = unpack_{number}(value)")
        elif cell.of_item is not None:
            scope[f"of_item_{number}"] = cell.of_item
            body.append(f"{names[number]} = of_item_{number}({names[number]})")
        values[name] = names[number]
    lines = [
        "def item(key, row, value):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks)}:",
        f"            return Record({', '.join(_arguments(record, values))})",
        "    except Exception:",
        "        pass",
        "    return reference(key, row, value)",
    ]
    return define_function("item", lines, scope, qualifier)


def _optional_cells(from_cells: Mapping[str, FromCell], *, may_lack_all: bool) -> list[str]:
    """Statements that look up the cells which a row may lack; a missing cell is None.

    A row that lacks all of them is not one of the record's rows, unless it `may_lack_all`.

    One `try` for all of them costs next to nothing for a row with every cell, and an exception for any other row.
    """
    optional = [(f"cell_{number}", cell.column) for number, cell in enumerate(from_cells.values()) if cell.is_optional]
    if not optional:
        return []
    lines = ["try:", *(f"    {variable} = cells[{column!r}]" for variable, column in optional)]
    lines += ["except KeyError:", *(f"    {variable} = cells.get({column!r})" for variable, column in optional)]
    if len(optional) == len(from_cells) and not may_lack_all:
        lines.append(
            f"    if {' is '.join(variable for variable, _ in optional)} is None: return reference(row, cells)"
        )
    return lines
