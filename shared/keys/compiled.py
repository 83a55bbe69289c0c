r"""The fast path of a layout: functions generated from its parts, without a loop.

What `compile_encode` makes for the key class `OrderBySeller` of `layout.py`, as `inspect.getsource(layout.encode)`
shows it:

    def encode(key):
        try:
            value_seller_id = key.seller_id
            utf8_seller_id = value_seller_id.encode()
            if 0 in utf8_seller_id: utf8_seller_id = utf8_seller_id.replace(b'\x00', b'\x00\xff')
            value_placed_ms = key.placed_ms
            if type(key) is Key and type(value_seller_id) is str and type(value_placed_ms) is int:
                row = utf8_seller_id + pack_placed_ms(0, 1, 9223372036854775807 - value_placed_ms)
                if len(row) <= 32767:
                    return row
        except Exception:
            pass
        return reference(key)

`reference` is `ReferenceLayout.encode_reference`, the specification. A generated function returns what its reference
returns if the key or row is valid, and calls it otherwise, so that every error is explained in one place.

Adjacent integers are packed by one `struct.Struct`, `pack_placed_ms` here: `Descending` is a subtraction, and the 0 and
the 1 are the terminator of the text before them. `EscapedText` and `FixedBytes` are spelled out too; every other codec
is called.

Four functions are made: `encode` and `decode`; `row_of`, which encodes a record without making its key; and `copy`,
which makes a row of one layout from a row of another by copying the bytes of one part. `tables` makes two more from
`decoding`.
"""

import linecache
import struct
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from .codecs import INVERT_BITS, Codec, Descending, EscapedText, FixedBytes, Integer, unescape
from .limits import MAX_ROW_BYTES
from .parts import Part
from .prefixes import TimeBucket, sources
from .reference import ReferenceLayout
from .slice_codecs import Rest, Slice, share_codec

_STRUCT_CODE = {1: "B", 2: "H", 4: "I", 8: "Q"}
_serial = count(1)


# ---- a key to its row ----------------------------------------------------------------------------


def compile_encode(layout: ReferenceLayout[Any]) -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_reference` does."""
    return _compile_encoding("encode", layout, ["type(key) is Key"], layout.encode_reference, divides=False)


def compile_row_of(layout: ReferenceLayout[Any]) -> Callable[[Any], bytes]:
    """A function that does what `layout.encode_reference` does, with the key of any object that has the parts."""

    def reference(record: Any) -> bytes:
        return layout.encode_reference(layout.key_of(record))

    return _compile_encoding("row_of", layout, [], reference, divides=True)


def _compile_encoding(
    name: str, layout: ReferenceLayout[Any], checks: list[str], reference: Callable[[Any], bytes], *, divides: bool
) -> Callable[[Any], bytes]:
    """`divides`: whether the key holds whole values, of which a `Slice` or a `Rest` takes its share."""
    scope: dict[str, Any] = {"Key": layout.key_class, "INVERT_BITS": INVERT_BITS, "reference": reference}
    prefix_sources = _prefix_sources(layout)
    body: list[str] = []
    terms: list[str] = []
    runs = list(_runs(layout, alone=prefix_sources))
    packs_terminator = False  # whether these integers are packed with the terminator of the text before them
    for run, next_run in zip(runs, [*runs[1:], []], strict=True):
        first = run[0]
        for part in run:
            body.append(f"value_{part.name} = key.{part.name}")
            if divided := share_codec(part.codec):
                if divides:
                    checks.append(f"type(key.{part.name}) is int")
                    body.append(f"value_{part.name} = {_share(divided, f'value_{part.name}')}")
                else:
                    checks.append(_is_share(divided, f"value_{part.name}"))
        if _integer(first):
            checks += [f"type(value_{part.name}) is int" for part in run]
            numbers = [_to_unsigned(part, f"value_{part.name}") for part in run]
            pack = _bind(scope, "pack", first, _struct(run, terminator=packs_terminator).pack)
            term = f"{pack}({', '.join(['0', '1', *numbers] if packs_terminator else numbers)})"
            packs_terminator = False
        elif first.codec is EscapedText:
            text = f"utf8_{first.name}"
            checks.append(f"type(value_{first.name}) is str")
            body.append(f"{text} = value_{first.name}.encode()")
            body.append(rf"if 0 in {text}: {text} = {text}.replace(b'\x00', b'\x00\xff')")
            is_source = first.name in prefix_sources
            packs_terminator = (
                not is_source and bool(next_run and _integer(next_run[0])) and next_run[0].name not in prefix_sources
            )
            term = text if packs_terminator else rf"{text} + b'\x00\x01'"
        elif fixed := _fixed_bytes(first):
            width, inverted = fixed
            checks.append(f"type(value_{first.name}) is bytes and len(value_{first.name}) == {width}")
            term = f"value_{first.name}{inverted}"
        else:
            term = f"{_bind(scope, 'encode', first, first.codec.encode)}(value_{first.name})"
        if first.name in prefix_sources:
            body.append(f"encoded_{first.name} = {term}")
            term = f"encoded_{first.name}"
        terms.append(term)
    expressions = {name: (f"value_{name}", f"encoded_{name}") for name in prefix_sources}
    terms = _prefix_terms(layout, scope, expressions) + terms
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
        "    return reference(key)",
    ]
    return define_function(name, lines, scope, layout)


# ---- a row to its key ----------------------------------------------------------------------------


def compile_decode(layout: ReferenceLayout[Any]) -> Callable[[bytes], Any]:
    """A function that does what `layout.decode_reference` does."""
    scope: dict[str, Any] = {"Key": layout.key_class, "reference": layout.decode_reference}
    body, checks, values = decoding(layout, scope)
    lines = [
        "def decode(row):",
        "    try:",
        *(f"        {line}" for line in body),
        f"        key = Key({', '.join(values.values())})",
        f"        if {' and '.join(checks)}:",
        "            return key",
        "    except Exception:",
        "        pass",
        "    return reference(row)",
    ]
    return define_function("decode", lines, scope, layout)


def decoding(layout: ReferenceLayout[Any], scope: dict[str, Any]) -> tuple[list[str], list[str], dict[str, str]]:
    """Statements that decode a row, conditions that a valid row meets, and an expression for the value of each part."""
    body: list[str] = []
    checks = ["type(row) is bytes", f"len(row) <= {MAX_ROW_BYTES}"]
    values: dict[str, str] = {}
    rest = "row"
    scope |= {"INVERT_BITS": INVERT_BITS, "unescape": unescape}
    if layout.prefixes:
        body.append(f"rest = row[{layout.prefix_bytes}:]")
        rest = "rest"
    runs = list(_runs(layout, alone=()))
    for run in runs:
        first, is_last = run[0], run is runs[-1]
        if _integer(first):
            numbers = _struct(run)
            unpack = _bind(scope, "unpack", first, numbers.unpack if is_last else numbers.unpack_from)
            body.append(f"{''.join(f'value_{part.name}, ' for part in run)}= {unpack}({rest})")
            if not is_last:  # the last run needs no check: unpack wants exactly its bytes
                body.append(f"rest = {rest}[{numbers.size}:]")
            values |= {part.name: _from_unsigned(part, f"value_{part.name}") for part in run}
            checks += [_is_share(divided, values[part.name]) for part in run if (divided := share_codec(part.codec))]
        elif first.codec is EscapedText:
            value, escaped, terminator = f"value_{first.name}", f"escaped_{first.name}", f"terminator_{first.name}"
            body.append(rf"{escaped}, {terminator}, rest = {rest}.partition(b'\x00\x01')")
            body.append(f"if 0 in {escaped}: {value} = unescape({escaped}).decode()")
            body.append(f"else: {value} = {escaped}.decode()")
            checks.append(terminator)
            values[first.name] = value
        elif fixed := _fixed_bytes(first):
            width, inverted = fixed
            body.append(f"value_{first.name}, rest = {rest}[:{width}]{inverted}, {rest}[{width}:]")
            checks.append(f"len(value_{first.name}) == {width}")
            values[first.name] = f"value_{first.name}"
        else:
            decode = _bind(scope, "decode", first, first.codec.decode_first)
            body.append(f"value_{first.name}, rest = {decode}({rest})")
            values[first.name] = f"value_{first.name}"
        if is_last and not _integer(first):
            checks.append("not rest")
        rest = "rest"
    if len(layout.parts) == 1:
        checks.append("row")
    if layout.prefixes:
        parts = [layout.part_named[name] for name in _prefix_sources(layout)]
        expressions = {part.name: (values[part.name], _encoded_again(part, scope, values[part.name])) for part in parts}
        checks.append(f"row[:{layout.prefix_bytes}] == {' + '.join(_prefix_terms(layout, scope, expressions))}")
    return body, checks, values


def _encoded_again(part: Part, scope: dict[str, Any], value: str) -> str:
    """An expression for the bytes of a decoded part; each value has one encoding only."""
    if part.codec is EscapedText:
        return rf"escaped_{part.name} + b'\x00\x01'"
    return f"{_bind(scope, 'encode', part, part.codec.encode)}({value})"


# ---- a row to a row of another layout ------------------------------------------------------------


def compile_copy(
    source: ReferenceLayout[Any], part: Part
) -> Callable[[bytes, bytes, Callable[[bytes], bytes]], Callable[[bytes], bytes]]:
    """A function of `before`, `after` and `reference`, which returns a fast version of `reference`.

    The fast version checks a row of `source` as `decode` does, and puts the bytes of the part between `before` and
    `after`.
    """
    scope: dict[str, Any] = {}
    body, checks, values = decoding(source, scope)
    lines = [
        "def copying(before, after, reference):",
        "    def copy(row):",
        "        try:",
        *(f"            {line}" for line in body),
        f"            if {' and '.join(checks)}:",
        f"                made = before + {_encoded_again(part, scope, values[part.name])} + after",
        f"                if 0 < len(made) <= {MAX_ROW_BYTES}:",
        "                    return made",
        "        except Exception:",
        "            pass",
        "        return reference(row)",
        "    return copy",
    ]
    return define_function("copying", lines, scope, source)


# ---- prefixes ------------------------------------------------------------------------------------


def _prefix_sources(layout: ReferenceLayout[Any]) -> list[str]:
    """The names of the parts that prefixes are computed from."""
    return list(dict.fromkeys(name for prefix in layout.prefixes for name in sources(prefix)))


def _prefix_terms(
    layout: ReferenceLayout[Any], scope: dict[str, Any], expressions: Mapping[str, tuple[str, str]]
) -> list[str]:
    """An expression for each prefix, built from the expressions for the values and bytes of its parts."""
    terms: list[str] = []
    for number, prefix in enumerate(layout.prefixes):
        values, encoded = zip(*(expressions[name] for name in sources(prefix)), strict=True)
        encode = partial(_time_slice, layout, prefix) if isinstance(prefix, TimeBucket) else prefix.encode
        scope[f"prefix_{number}"] = encode
        terms.append(f"prefix_{number}(({', '.join(values)},), ({', '.join(encoded)},))")
    return terms


def _time_slice(layout: ReferenceLayout[Any], bucket: TimeBucket, values: Sequence[Any], _: Sequence[bytes]) -> bytes:
    return layout.encode_time_slice(bucket.number(values[0]))


# ---- parts ---------------------------------------------------------------------------------------


def _runs(layout: ReferenceLayout[Any], alone: Collection[str]) -> Iterator[list[Part]]:
    """The parts in order, with adjacent integers grouped; the parts named in `alone` are not grouped."""
    run: list[Part] = []
    for part in layout.parts:
        if _integer(part) and part.name not in alone:
            run.append(part)
            continue
        if run:
            yield run
        run = []
        yield [part]
    if run:
        yield run


def _integer(part: Part) -> tuple[Integer, bool] | None:
    """The integer codec of a part that `struct` can pack, and whether it is descending; None for other parts."""
    codec, descending = _without_direction(part)
    if isinstance(codec, Slice | Rest):
        codec = codec.codec
    return (codec, descending) if isinstance(codec, Integer) and codec.width in _STRUCT_CODE else None


def _share(divided: Slice | Rest, value: str) -> str:
    """An expression for the share of a whole value."""
    rest = f"{value} % {divided.every}"
    return f"{value} - {rest}" if isinstance(divided, Slice) else rest


def _is_share(divided: Slice | Rest, value: str) -> str:
    """An expression that tells whether a value is a share."""
    return f"not ({value}) % {divided.every}" if isinstance(divided, Slice) else f"0 <= {value} < {divided.every}"


def _fixed_bytes(part: Part) -> tuple[int, str] | None:
    """The width of a part of `FixedBytes`, and the call that inverts it if it is descending; None for other parts."""
    codec, descending = _without_direction(part)
    return (codec.width, ".translate(INVERT_BITS)" if descending else "") if type(codec) is FixedBytes else None


def _without_direction(part: Part) -> tuple[Codec[Any], bool]:
    """The ascending codec of a part, and whether the part is descending."""
    codec = part.codec
    return (codec.codec, True) if isinstance(codec, Descending) else (codec, False)


def _struct(run: list[Part], *, terminator: bool = False) -> struct.Struct:
    """The format of adjacent integers, after the two bytes of a terminator if it is packed with them."""
    codes = "".join(_STRUCT_CODE[codec.width] for codec, _ in filter(None, map(_integer, run)))
    return struct.Struct((">BB" if terminator else ">") + codes)


def _to_unsigned(part: Part, value: str) -> str:
    """An expression for the unsigned int that has the bytes of a value."""
    codec, descending = _known_integer(part)
    if descending:
        return f"{codec.last} - {value}"
    return f"{value} - {codec.first}" if codec.first else value


def _from_unsigned(part: Part, number: str) -> str:
    """An expression for the value that has the bytes of an unsigned int."""
    codec, descending = _known_integer(part)
    if descending:
        return f"{codec.last} - {number}"
    return f"{number} + {codec.first}" if codec.first else number


def _known_integer(part: Part) -> tuple[Integer, bool]:
    if (integer := _integer(part)) is None:
        raise TypeError(f"{part.codec} is not an integer")
    return integer


# ---- functions -----------------------------------------------------------------------------------


def _bind(scope: dict[str, Any], verb: str, part: Part, function: Callable[..., Any]) -> str:
    """Gives the generated function a name for `function`, and returns it."""
    name = f"{verb}_{part.name}"
    scope[name] = function
    return name


def define_function(
    name: str, lines: list[str], scope: dict[str, Any], layout: ReferenceLayout[Any]
) -> Callable[..., Any]:
    """Compiles the lines, and registers them so that a traceback and `inspect` can show them."""
    source = "\n".join(lines) + "\n"
    filename = f"<{name} of {layout.name}, {next(_serial)}>"
    exec(compile(source, filename, "exec"), scope)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    function: Callable[..., Any] = scope[name]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function
