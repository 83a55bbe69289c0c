"""The fast path of a layout: one generated function to encode, one to decode.

`KeyLayout.encode_plainly` and `decode_plainly` are the specification. The functions made here do the same for what is
right, and hand everything else to them, so that every error is explained in one place. What makes them fast: there is
no loop; adjacent integers become one `struct.Struct`, in which `Descending` is a subtraction; and `EscapedText`, the
usual text, is spelled out, its terminator packed with the integers after it. Every other codec is called. Two more
functions spare the key between a record and its row: `row_of` encodes a record's parts, `compile_record` makes of a row
and its cells the record.

`print(inspect.getsource(layout.encode))` shows what was made.
"""

import linecache
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from .codecs import MAX_ROW_BYTES, Descending, EscapedText, Integer
from .prefixes import sources

if TYPE_CHECKING:
    from .layout import KeyLayout, Part

_STRUCT_CODE = {1: "B", 2: "H", 4: "I", 8: "Q"}
_serial = count(1)


def compile_encode(layout: "KeyLayout[Any]") -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_plainly` does."""
    return _encoding("encode", layout, ["type(key) is Key"], layout.encode_plainly)


def compile_row_of(layout: "KeyLayout[Any]") -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_plainly` does, with the key of any object that has the parts."""
    return _encoding("row_of", layout, [], lambda record: layout.encode_plainly(layout.key_of(record)))


def _encoding(
    name: str, layout: "KeyLayout[Any]", checks: list[str], plainly: Callable[[Any], bytes]
) -> Callable[[Any], bytes]:
    scope: dict[str, Any] = {"Key": layout.key, "plainly": plainly, "prefix_of": layout.prefix_of}
    hashed = dict.fromkeys(name for prefix in layout.prefixes for name in sources(prefix))
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
        else:
            term = f"{_bind(scope, run, 'encode', first.codec.encode)}(v_{first.name})"
        if first.name in hashed:
            body.append(f"e_{first.name} = {term}")
            term = f"e_{first.name}"
        terms.append(term)
    values = ", ".join(f"{name!r}: v_{name}" for name in hashed)
    encoded = ", ".join(f"{name!r}: e_{name}" for name in hashed)
    for at, prefix in enumerate(layout.prefixes):
        scope[f"prefix_{at}"] = prefix
        terms.insert(at, f"prefix_of(prefix_{at}, {{{values}}}, {{{encoded}}})")
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
    scope: dict[str, Any] = {"plainly": layout.decode_plainly}
    body, checks, values = _decoding(layout, scope)
    if not layout.prefixes:
        body.append(f"key = Key({', '.join(values.values())})")
    lines = [
        "def decode(row):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks)}:",
        "            return key",
        "    except Exception:",
        "        pass",
        "    return plainly(row)",
    ]
    return _define("decode", lines, scope, layout)


def compile_record(
    layout: "KeyLayout[Any]",
    record: type[Any],
    fields: Iterable[str],
    of_cells: Mapping[str, tuple[bytes, Callable[[bytes], Any], Callable[[Any], bool]]],
    plainly: Callable[[bytes, Mapping[bytes, bytes]], Any],
) -> Callable[[bytes, Mapping[bytes, bytes]], Any]:
    """A function that does what `plainly` does: makes of a row and its cells the record that they hold.

    `fields` are its attributes in their order: parts of the key, and those `of_cells`, of which each has a column, what
    unpacks the cell, and what says that a value fits.
    """
    scope: dict[str, Any] = {"plainly": plainly, "Record": record}
    body, checks, values = _decoding(layout, scope)
    for at, (name, (column, unpack, fits)) in enumerate(of_cells.items()):
        scope |= {f"unpack_{at}": unpack, f"fits_{at}": fits}
        body.append(f"c_{at} = unpack_{at}(cells[{column!r}])")
        checks.append(f"fits_{at}(c_{at})")
        values[name] = f"c_{at}"
    lines = [
        "def record(row, cells):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        if {' and '.join(checks)}:",
        f"            return Record({', '.join(values[name] for name in fields)})",
        "    except Exception:",
        "        pass",
        "    return plainly(row, cells)",
    ]
    return _define("record", lines, scope, layout)


def _decoding(layout: "KeyLayout[Any]", scope: dict[str, Any]) -> tuple[list[str], list[str], dict[str, str]]:
    """Statements that take a row apart, conditions that must hold of it, and the value of each part."""
    body: list[str] = []
    checks = ["type(row) is bytes", f"len(row) <= {MAX_ROW_BYTES}"]
    values: dict[str, str] = {}
    rest = "row"
    scope["Key"] = layout.key
    if layout.prefixes:
        scope["encode"] = layout.encode
        body.append(f"rest = row[{layout.prefix_bytes}:]")
        checks.append("encode(key) == row")
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
            checks.append(f"end_{first.name} and 0 not in b_{first.name}")
            values[first.name] = f"b_{first.name}.decode()"
        else:
            body.append(f"v_{first.name}, rest = {_bind(scope, run, 'take', first.codec.take)}({rest})")
            values[first.name] = f"v_{first.name}"
        if last and not _integer(first):
            checks.append("not rest")
        rest = "rest"
    if len(layout.parts) == 1:
        checks.append("row")
    if layout.prefixes:
        body.append(f"key = Key({', '.join(values.values())})")
        values = {name: f"key.{name}" for name in values}
    return body, checks, values


def _integer(part: "Part") -> tuple[Integer, bool] | None:
    """The integer codec of a part that `struct` can pack, and whether it runs descending."""
    codec = part.codec
    descending = isinstance(codec, Descending)
    plain = codec.codec if isinstance(codec, Descending) else codec
    return (plain, descending) if isinstance(plain, Integer) and plain.width in _STRUCT_CODE else None


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
    return function
