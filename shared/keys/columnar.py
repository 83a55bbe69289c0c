"""Many keys at once: columns of numpy arrays in, an array of rows out, the same bytes as `KeyLayout.encode` gives.

    layout = KeyLayout(SensorHour, Salt(of="sensor", buckets=16))
    rows = encode_many(layout, {"sensor": sensors, "hour_ms": hours_ms})    # an array of dtype V13
    rows.tolist()                                                           # the same as a list of bytes

Every part must have a fixed width, and be of a codec that numpy can compute:

    codec                                        column
    UInt8 .. UInt64, Int8 .. Int64               ints of any width
    Slice(...), Rest(...) of these               ints: the shares, as the parts of a key hold them
    Float64                                      float64
    FixedBytes(3)                                V3; S3 if no value ends in NUL bytes, which numpy strips
    Descending(...), Prefixed(label, ...)        that of the codec inside

Its prefixes may be `Salt`, `Modulo` and `TimeBucket`. numpy is needed here only: `shared.keys` does not import this
module.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .codecs import Codec, Descending, FixedBytes, Float64, Integer, Prefixed
from .errors import InvalidKey, listed, shown
from .layout import KeyLayout
from .limits import MAX_ROW_BYTES
from .prefixes import Modulo, Prefix, Salt, TimeBucket
from .slice_codecs import Rest, Slice

Bytes = NDArray[np.uint8]
"""The bytes of one part of all rows: a row of the array for each row key."""


def encode_many(layout: KeyLayout[Any], columns: Mapping[str, NDArray[Any]]) -> NDArray[np.void]:
    """The rows of keys whose parts have these values, in the order of the columns; `tolist` makes them bytes.

    Raises InvalidKey, which names the part, the value wanted, the value given and its index.
    """
    widths = {part.name: _width(layout, part.name, part.codec) for part in layout.parts}
    count = _count(layout, columns)
    width = layout.prefix_bytes + sum(widths.values())
    if width > MAX_ROW_BYTES:
        raise InvalidKey(f"{layout.name}: a {layout.key_noun} has 1..{MAX_ROW_BYTES} bytes (got {width})")
    rows = np.empty((count, width), np.uint8)
    encoded: dict[str, Bytes] = {}
    at = layout.prefix_bytes
    for part in layout.parts:
        encoded[part.name] = rows[:, at : at + widths[part.name]]
        _put(f"{layout.name}.{part.name}", part.codec, columns[part.name], encoded[part.name])
        at += widths[part.name]
    at = 0
    for prefix in layout.prefixes:
        _put_prefix(layout, prefix, columns, encoded, rows[:, at : at + prefix.width_bytes])
        at += prefix.width_bytes
    return rows.view(f"V{width}")[:, 0]


def _width(layout: KeyLayout[Any], name: str, codec: Codec[Any]) -> int:
    inner = codec
    while isinstance(inner, Descending | Prefixed | Slice | Rest):
        inner = inner.codec
    if codec.width_bytes is None or not (isinstance(inner, Integer) or type(inner) is FixedBytes or inner is Float64):
        wanted = "a codec of fixed width: ints, Float64 or FixedBytes"
        raise InvalidKey(f"{layout.name}.{name}: encode_many needs {wanted} (got {codec})")
    return codec.width_bytes


def _count(layout: KeyLayout[Any], columns: Mapping[str, NDArray[Any]]) -> int:
    """The number of values of each column."""
    names = [part.name for part in layout.parts]
    if set(columns) != set(names):
        raise InvalidKey(f"{layout.name}: needs the columns {listed(names)} (got {', '.join(columns) or 'none'})")
    for name in names:
        column: Any = columns[name]
        dimensions = getattr(column, "ndim", None)
        if dimensions != 1:
            got = shown(column) if dimensions is None else f"{dimensions} dimensions"
            raise InvalidKey(f"{layout.name}.{name}: must be an array of one dimension (got {got})")
        if len(column) != len(columns[names[0]]):
            got = f"{len(column)}, and {len(columns[names[0]])} of {names[0]}"
            raise InvalidKey(f"{layout.name}.{name}: all columns must be of one length (got {got})")
    return len(columns[names[0]])


# ---- parts ---------------------------------------------------------------------------------------


def _put(where: str, codec: Codec[Any], column: NDArray[Any], target: Bytes, *, inverted: bool = False) -> None:
    """Writes the bytes of a column into `target`; every bit inverted if the part is descending."""
    if isinstance(codec, Descending):
        _put(where, codec.codec, column, target, inverted=True)
    elif isinstance(codec, Prefixed):
        label = len(codec.label)
        target[:, :label] = np.frombuffer(codec.label, np.uint8)
        _put(where, codec.codec, column, target[:, label:], inverted=inverted)
    elif isinstance(codec, Slice | Rest):
        _check_type(where, column, "iu", "ints")
        every = codec.every
        fits = column % every == 0 if isinstance(codec, Slice) else (column >= 0) & (column < every)
        _check(where, codec, column, fits)
        _put(where, codec.codec, column, target, inverted=inverted)
    elif isinstance(codec, Integer):
        _put_ints(where, codec, column, target, inverted=inverted)
    elif isinstance(codec, FixedBytes):
        _put_bytes(where, codec, column, target, inverted=inverted)
    else:
        _put_floats(where, column, target, inverted=inverted)


def _put_ints(where: str, codec: Integer, column: NDArray[Any], target: Bytes, *, inverted: bool) -> None:
    _check_type(where, column, "iu", "ints")
    limits = np.iinfo(column.dtype)
    may_not_fit = len(column) and not codec.first <= limits.min <= limits.max <= codec.last
    if may_not_fit and not codec.first <= int(column.min()) <= int(column.max()) <= codec.last:
        _check(where, codec, column, (column >= codec.first) & (column <= codec.last))
    # The sign bit of signed ints is flipped, and every bit of descending ones.
    flipped = (-codec.first) ^ (codec.last - codec.first if inverted else 0)
    width = 4 if codec.width == 3 else codec.width
    bits = column.astype(f"u{width}", copy=False) ^ np.dtype(f"u{width}").type(flipped)
    if codec.width == width:
        target.view(f">u{width}")[:, 0] = bits
    else:
        target[:] = bits.astype(f">u{width}").view(np.uint8).reshape(-1, width)[:, width - codec.width :]


def _put_floats(where: str, column: NDArray[Any], target: Bytes, *, inverted: bool) -> None:
    if column.dtype != np.float64:
        raise InvalidKey(f"{where}: must be an array of float64 (got one of {column.dtype})")
    bits = column.view(np.uint64) if column.flags.c_contiguous else column.copy().view(np.uint64)
    sign = np.uint64(1 << 63)
    _check(where, Float64, column, (column == column) & (bits != sign))
    mask = (bits.view(np.int64) >> 63).view(np.uint64) | sign
    target.view(">u8")[:, 0] = ~(bits ^ mask) if inverted else bits ^ mask


def _put_bytes(where: str, codec: FixedBytes, column: NDArray[Any], target: Bytes, *, inverted: bool) -> None:
    width = column.dtype.itemsize
    if column.dtype.kind not in "SV" or column.dtype.names is not None or width != codec.width:
        raise InvalidKey(f"{where}: must be an array of V{codec.width} or S{codec.width} (got one of {column.dtype})")
    if column.dtype.kind == "S":
        _check(where, codec, column, np.strings.str_len(column) == width)
    values = np.ascontiguousarray(column).view(np.uint8).reshape(-1, width)
    target[:] = ~values if inverted else values


def _check_type(where: str, column: NDArray[Any], kinds: str, wanted: str) -> None:
    if column.dtype.kind not in kinds:
        raise InvalidKey(f"{where}: must be an array of {wanted} (got one of {column.dtype})")


def _check(where: str, codec: Codec[Any], column: NDArray[Any], fits: NDArray[np.bool_]) -> None:
    """Refuses the first value that does not fit, in the words of its codec."""
    if not fits.all():
        index = int(np.argmin(fits))
        try:
            codec.encode(column[index].item())
        except InvalidKey as error:
            raise InvalidKey(f"{where}: {error}, at index {index}") from None


# ---- prefixes ------------------------------------------------------------------------------------


def _put_prefix(
    layout: KeyLayout[Any],
    prefix: Prefix,
    columns: Mapping[str, NDArray[Any]],
    encoded: Mapping[str, Bytes],
    target: Bytes,
) -> None:
    if type(prefix) is Salt:
        target[:, 0] = _crc32([encoded[name] for name in prefix.of]) % np.uint32(prefix.buckets)
    elif isinstance(prefix, Modulo):
        target[:, 0] = columns[prefix.of[0]] % prefix.by
    elif isinstance(prefix, TimeBucket):
        descending = layout.part_named[prefix.of].codec.descending
        numbers = columns[prefix.of] // prefix.every_ms
        codec = Descending(prefix.codec) if descending else prefix.codec
        _put(f"{layout.name}: {prefix}", codec, numbers, target)
    else:
        raise InvalidKey(f"{layout.name}: encode_many needs a Salt, Modulo or TimeBucket as prefix (got {prefix})")


def _crc32(parts: list[Bytes]) -> NDArray[np.uint32]:
    """The crc32 of the bytes of each row, as `zlib.crc32` computes it."""
    crc = np.full(len(parts[0]), 0xFFFFFFFF, np.uint32)
    for part in parts:
        for place in range(part.shape[1]):
            crc = _CRC_TABLE[(crc ^ part[:, place]) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return ~crc


def _crc_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & np.uint32(1), np.uint32(0xEDB88320), np.uint32(0)) ^ (table >> np.uint32(1))
    return table


_CRC_TABLE = _crc_table()
