"""The fast path of a layout: one generated function to encode, one to decode.

`KeyLayout.encode_plainly` and `decode_plainly` are the specification. The functions made here do the same for what is
right, and hand everything else to them, so that every error is explained in one place. What makes them fast: there is
no loop; adjacent integers become one `struct.Struct`, in which `Descending` is a subtraction; `FixedBytes` are a slice,
and `EscapedText`, the usual text, is spelled out, its terminator packed with the integers after it. Other codecs are
called. Two more functions spare the key between a record and its row: `row_of` encodes a record's parts, and what
`compile_record` makes decodes a row and its cells.

`print(inspect.getsource(layout.encode))` shows what was made.
"""

import inspect
import linecache
import struct
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import attrs

from .codecs import INVERT, Codec, Descending, EscapedText, FixedBytes, Integer, unescape
from .limits import MAX_ROW_BYTES
from .prefixes import TimeBucket, sources

if TYPE_CHECKING:
    from .layout import KeyLayout, Part

_STRUCT_CODE = {1: "B", 2: "H", 4: "I", 8: "Q"}
_serial = count(1)


def init_fields(cls: type[Any]) -> "list[attrs.Attribute[Any]]":
    """The attributes that attrs' `__init__` of a class takes, in its order: those that only have a name come last.

    Raises ValueError for a class with another `__init__`, because nobody knows which argument is which attribute.
    """
    taken = [field for field in attrs.fields(cls) if field.init]
    ordered = sorted(taken, key=lambda field: field.kw_only)
    code = getattr(cls.__init__, "__code__", None)
    _self, *arguments = inspect.signature(cls.__init__).parameters
    if not getattr(code, "co_filename", "").startswith("<attrs generated") or arguments != [f.alias for f in ordered]:
        raise ValueError(
            f"{cls.__name__}: must keep the __init__ that attrs makes, because rows are read with it; "
            "move its own to a classmethod, or to __attrs_post_init__"
        )
    return ordered


def compile_encode(layout: "KeyLayout[Any]") -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_plainly` does."""
    return _encoding("encode", layout, ["type(key) is Key"], layout.encode_plainly)


def compile_row_of(layout: "KeyLayout[Any]") -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_plainly` does, with the key of any object that has the parts."""
    return _encoding("row_of", layout, [], lambda record: layout.encode_plainly(layout.key_of(record)))


def _encoding(
    name: str, layout: "KeyLayout[Any]", checks: list[str], plainly: Callable[[Any], bytes]
) -> Callable[[Any], bytes]:
    scope: dict[str, Any] = {"Key": layout.key, "INVERT": INVERT, "plainly": plainly}
    hashed = _hashed(layout)
    body: list[str] = []
    terms: list[str] = []
    runs = list(_runs(layout, apart=hashed))
    marked = False  # whether the terminator of the text in front is packed with these integers
    for run, after in zip(runs, [*runs[1:], []], strict=True):
        first = run[0]
        body += [f"v_{part.name} = key.{part.name}" for part in run]
        if _integer(first):
            checks += [f"type(v_{part.name}) is int" for part in run]
            packed = [_shifted(part, f"v_{part.name}", back=False) for part in run]
            pack = _bind(scope, run, "pack", _struct(run, mark=marked).pack)
            term = f"{pack}({', '.join(['0', '1', *packed] if marked else packed)})"
            marked = False
        elif first.codec is EscapedText:
            checks.append(f"type(v_{first.name}) is str")
            body.append(f"t_{first.name} = v_{first.name}.encode()")
            body.append(rf"if 0 in t_{first.name}: t_{first.name} = t_{first.name}.replace(b'\x00', b'\x00\xff')")
            marked = first.name not in hashed and bool(after and _integer(after[0]) and after[0].name not in hashed)
            term = f"t_{first.name}" if marked else rf"t_{first.name} + b'\x00\x01'"
        elif found := _fixed_bytes(first):
            width, inverted = found
            checks.append(f"type(v_{first.name}) is bytes and len(v_{first.name}) == {width}")
            term = f"v_{first.name}{inverted}"
        else:
            term = f"{_bind(scope, run, 'encode', first.codec.encode)}(v_{first.name})"
        if first.name in hashed:
            body.append(f"e_{first.name} = {term}")
            term = f"e_{first.name}"
        terms.append(term)
    terms = _prefix_terms(layout, scope, {name: (f"v_{name}", f"e_{name}") for name in hashed}) + terms
    # Only a key of one part can be empty: with several, all but the last have a width or a terminator.
    least = "0 < " if len(terms) == 1 else ""
    lines = [
        f"def {name}(key):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks) or True}:",
        f"            row = {' + '.join(terms)}",
        f"            if {least}len(row) <= {MAX_ROW_BYTES}:",
        "                return row",
        "    except Exception:",
        "        pass",
        "    return plainly(key)",
    ]
    return _define(name, lines, scope, layout)


def compile_decode(layout: "KeyLayout[Any]") -> Callable[[bytes], Any]:
    """A function that does what `layout.decode_plainly` does."""
    scope: dict[str, Any] = {"Key": layout.key, "plainly": layout.decode_plainly}
    body, checks, values = _decoding(layout, scope)
    lines = [
        "def decode(row):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        key = Key({', '.join(values.values())})",
        f"        if {' and '.join(checks)}:",
        "            return key",
        "    except Exception:",
        "        pass",
        "    return plainly(row)",
    ]
    return _define("decode", lines, scope, layout)


@attrs.frozen
class FromCell:
    """How the value of an attribute is read from its cell."""

    column: bytes
    unpack: Callable[[bytes], Any]
    wanted: type[Any] | None
    """The class of all values; None if only `fits` can tell what fits."""
    values: tuple[Any, ...]
    """The only values there are, as of a `Literal`; none if all of the class fit."""
    fits: Callable[[Any], bool]
    is_optional: bool
    default: Any
    """What attrs' `__init__` is given if there is no cell and `is_optional`: `NOTHING` asks it to call the factory."""


def compile_record(
    layout: "KeyLayout[Any]",
    record: type[Any],
    from_cells: Mapping[str, FromCell],
    plainly: Callable[[bytes, Mapping[bytes, bytes]], Any],
) -> Callable[[bytes, Mapping[bytes, bytes]], Any]:
    """A function that does what `plainly` does: makes of a row and its cells the record that they hold.

    The attributes of the record that are not `from_cells` are parts of the key.
    """
    scope: dict[str, Any] = {"plainly": plainly, "Record": record}
    body, checks, values = _decoding(layout, scope)
    body += _optional_cells(from_cells)
    for at, (name, cell) in enumerate(from_cells.items()):
        scope |= {f"unpack_{at}": cell.unpack, f"wanted_{at}": cell.wanted, f"fits_{at}": cell.fits}
        scope |= {f"values_{at}": cell.values, f"default_{at}": cell.default}
        check = f"fits_{at}(c_{at})" if cell.wanted is None else f"type(c_{at}) is wanted_{at}"
        if cell.values:
            check += f" and c_{at} in values_{at}"
        if cell.is_optional:
            body.append(f"c_{at} = default_{at} if cell_{at} is None else unpack_{at}(cell_{at})")
            check = f"(cell_{at} is None or {check})"
        else:
            body.append(f"c_{at} = unpack_{at}(cells[{cell.column!r}])")
        checks.append(check)
        values[name] = f"c_{at}"
    arguments = [
        f"{field.alias}={values[field.name]}" if field.kw_only else values[field.name] for field in init_fields(record)
    ]
    lines = [
        "def record(row, cells):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks)}:",
        f"            return Record({', '.join(arguments)})",
        "    except Exception:",
        "        pass",
        "    return plainly(row, cells)",
    ]
    return _define("record", lines, scope, layout)


def _optional_cells(from_cells: Mapping[str, FromCell]) -> list[str]:
    """Statements that look up the cells which a row may lack; None is a missing one.

    One `try` for all costs a whole row next to nothing, and a row that lacks any one exception.
    """
    optional = [(f"cell_{at}", cell.column) for at, cell in enumerate(from_cells.values()) if cell.is_optional]
    if not optional:
        return []
    lines = ["try:", *(f"    {variable} = cells[{column!r}]" for variable, column in optional)]
    lines += ["except KeyError:", *(f"    {variable} = cells.get({column!r})" for variable, column in optional)]
    if len(optional) == len(from_cells):  # a row without any cell of the record does not hold one
        lines.append(f"    if {' is '.join(variable for variable, _ in optional)} is None: return plainly(row, cells)")
    return lines


def _decoding(layout: "KeyLayout[Any]", scope: dict[str, Any]) -> tuple[list[str], list[str], dict[str, str]]:
    """Statements that take a row apart, conditions that must hold of it, and the value of each part."""
    body: list[str] = []
    checks = ["type(row) is bytes", f"len(row) <= {MAX_ROW_BYTES}"]
    values: dict[str, str] = {}
    rest = "row"
    scope |= {"INVERT": INVERT, "unescape": unescape}
    if layout.prefixes:
        body.append(f"rest = row[{layout.prefix_bytes}:]")
        rest = "rest"
    runs = list(_runs(layout, apart=()))
    for run in runs:
        first, last = run[0], run is runs[-1]
        if _integer(first):
            fixed = _struct(run)
            unpack = _bind(scope, run, "unpack", fixed.unpack if last else fixed.unpack_from)
            body.append(f"{''.join(f'v_{part.name}, ' for part in run)}= {unpack}({rest})")
            if not last:  # the last run needs no check: unpack wants exactly its bytes
                body.append(f"rest = {rest}[{fixed.size}:]")
            values |= {part.name: _shifted(part, f"v_{part.name}", back=True) for part in run}
        elif first.codec is EscapedText:
            body.append(rf"b_{first.name}, end_{first.name}, rest = {rest}.partition(b'\x00\x01')")
            body.append(f"if 0 in b_{first.name}: v_{first.name} = unescape(b_{first.name}).decode()")
            body.append(f"else: v_{first.name} = b_{first.name}.decode()")
            checks.append(f"end_{first.name}")
            values[first.name] = f"v_{first.name}"
        elif found := _fixed_bytes(first):
            width, inverted = found
            body.append(f"v_{first.name}, rest = {rest}[:{width}]{inverted}, {rest}[{width}:]")
            checks.append(f"len(v_{first.name}) == {width}")
            values[first.name] = f"v_{first.name}"
        else:
            body.append(f"v_{first.name}, rest = {_bind(scope, run, 'take', first.codec.take)}({rest})")
            values[first.name] = f"v_{first.name}"
        if last and not _integer(first):
            checks.append("not rest")
        rest = "rest"
    if len(layout.parts) == 1:
        checks.append("row")
    if layout.prefixes:
        parts = [layout.part_named[name] for name in _hashed(layout)]
        taken = {part.name: (values[part.name], _encoded_again(part, scope, values[part.name])) for part in parts}
        checks.append(f"row[:{layout.prefix_bytes}] == {' + '.join(_prefix_terms(layout, scope, taken))}")
    return body, checks, values


def _encoded_again(part: "Part", scope: dict[str, Any], value: str) -> str:
    """The bytes of a part that was taken from a row; another key's bytes would not have decoded to its value."""
    if part.codec is EscapedText:
        return rf"b_{part.name} + b'\x00\x01'"
    return f"{_bind(scope, [part], 'encode', part.codec.encode)}({value})"


def _hashed(layout: "KeyLayout[Any]") -> list[str]:
    """The parts that prefixes are computed from."""
    return list(dict.fromkeys(name for prefix in layout.prefixes for name in sources(prefix)))


def _prefix_terms(layout: "KeyLayout[Any]", scope: dict[str, Any], hashed: Mapping[str, tuple[str, str]]) -> list[str]:
    """The prefixes as expressions, of those of the value and of the bytes of each part that they are computed from."""
    terms: list[str] = []
    for at, prefix in enumerate(layout.prefixes):
        of = [hashed[name] for name in sources(prefix)]
        values, encoded = (f"({', '.join(each)},)" for each in zip(*of, strict=True))
        scope[f"prefix_{at}"] = partial(_slice, layout, prefix) if isinstance(prefix, TimeBucket) else prefix.encode
        terms.append(f"prefix_{at}({values}, {encoded})")
    return terms


def _slice(layout: "KeyLayout[Any]", bucket: TimeBucket, values: Sequence[Any], _: Sequence[bytes]) -> bytes:
    return layout.time_slice(bucket.number(values[0]))


def _integer(part: "Part") -> tuple[Integer, bool] | None:
    """The integer codec of a part that `struct` can pack, and whether it runs descending."""
    plain, descending = _plain(part)
    return (plain, descending) if isinstance(plain, Integer) and plain.width in _STRUCT_CODE else None


def _fixed_bytes(part: "Part") -> tuple[int, str] | None:
    """The width of a part that is bytes as they are, and what inverts them where they run descending."""
    plain, descending = _plain(part)
    return (plain.width, ".translate(INVERT)" if descending else "") if type(plain) is FixedBytes else None


def _plain(part: "Part") -> tuple[Codec[Any], bool]:
    """The codec of a part without the direction, and whether that is descending."""
    codec = part.codec
    return (codec.codec, True) if isinstance(codec, Descending) else (codec, False)


def _runs(layout: "KeyLayout[Any]", apart: Iterable[str]) -> Iterator[list["Part"]]:
    """The parts in order, adjacent integers together; those named in `apart` stay alone."""
    run: list[Part] = []
    for part in layout.parts:
        if _integer(part) and part.name not in apart:
            run.append(part)
            continue
        if run:
            yield run
        run = []
        yield [part]
    if run:
        yield run


def _struct(run: list["Part"], *, mark: bool = False) -> struct.Struct:
    codes = "".join(_STRUCT_CODE[codec.width] for codec, _ in filter(None, map(_integer, run)))
    return struct.Struct((">BB" if mark else ">") + codes)


def _shifted(part: "Part", variable: str, *, back: bool) -> str:
    """The expression that makes of a value the unsigned int of its bytes, or of that the value."""
    found = _integer(part)
    if found is None:
        raise TypeError(f"{part.codec} is no integer")
    codec, descending = found
    if descending:  # last - (last - value) is value again, so both ways are the same
        return f"{codec.last} - {variable}"
    return variable if codec.first == 0 else f"{variable} {'+' if back else '-'} {codec.first}"


def _bind(scope: dict[str, Any], run: list["Part"], verb: str, function: Callable[..., Any]) -> str:
    """Gives the generated function a name for `function`."""
    name = f"{verb}_{run[0].name}"
    scope[name] = function
    return name


def _define(name: str, lines: list[str], scope: dict[str, Any], layout: "KeyLayout[Any]") -> Callable[..., Any]:
    """Compiles the lines, and registers them so that a traceback and `inspect` can show them."""
    source = "\n".join(lines) + "\n"
    filename = f"<{name} of {layout.name}, {next(_serial)}>"
    exec(compile(source, filename, "exec"), scope)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    function: Callable[..., Any] = scope[name]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function
