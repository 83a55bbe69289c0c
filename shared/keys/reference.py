"""Row keys as plain loops over their parts: the specification of `KeyLayout`, which adds the fast path."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import attrs

from .codecs import holds
from .errors import InvalidKey, UnknownCode, listed, shown, shown_bytes
from .limits import MAX_ROW_BYTES
from .parts import Part, Segment, init_fields
from .prefixes import Modulo, Prefix, Spread, TimeBucket, sources
from .slice_codecs import Slice, share_codec, share_of

K = TypeVar("K")


class ReferenceLayout(Generic[K]):
    """A key class and the prefixes before it; encodes and decodes one part after the other.

    The row is all prefixes, then all parts, each as its codec encodes it.
    """

    key_noun, row_noun = "row key", "row"
    """What error messages call a key and its encoded bytes."""

    def __init__(self, key: type[K], *prefixes: Prefix) -> None:
        fields: tuple[attrs.Attribute[Any], ...] = getattr(key, "__attrs_attrs__", ())
        if not fields or not all("codec" in field.metadata for field in fields):
            raise InvalidKey(f"KeyLayout: needs a row_key class with at least one part first (got {shown(key)})")
        try:
            arguments = init_fields(key)
        except ValueError as error:
            raise InvalidKey(str(error)) from None
        if len(arguments) < len(fields) or any(field.kw_only for field in fields):
            raise InvalidKey(f"{key.__name__}: must have parts only, each a part(codec, meaning)")
        self.key_class = key
        self.name = key.__name__
        self.parts = tuple(Part(field.name, field.metadata["codec"], field.metadata["meaning"]) for field in fields)
        self.part_named = {part.name: part for part in self.parts}
        divided = {part.name: share_codec(part.codec) for part in self.parts}
        self.slices = {name: codec for name, codec in divided.items() if isinstance(codec, Slice)}
        """The parts that hold only the start of a slice of their value."""
        self.prefixes = prefixes
        self.spread: tuple[Spread, ...] = tuple(prefix for prefix in prefixes if not isinstance(prefix, TimeBucket))
        self.time_bucket = next((prefix for prefix in prefixes if isinstance(prefix, TimeBucket)), None)
        self._check()
        self.spread_bytes = sum(prefix.width_bytes for prefix in self.spread)
        self.prefix_bytes = sum(prefix.width_bytes for prefix in prefixes)

    def _check(self) -> None:
        for part in self.parts[:-1]:
            if part.codec.trailing:
                raise InvalidKey(
                    f"{self.name}.{part.name}: {part.codec} has no terminator, so it must be the last part"
                )
        if any(isinstance(prefix, TimeBucket) for prefix in self.prefixes[:-1]):
            raise InvalidKey(
                f"{self.name}: must have at most one TimeBucket, after the spreading prefixes (got {self.prefixes})"
            )
        for prefix in self.prefixes:
            for name in sources(prefix):
                if name not in self.part_named:
                    raise InvalidKey(
                        f"{self.name}: {prefix} needs a part {name}; the parts are {listed(self.part_named)}"
                    )
                codec = self.part_named[name].codec
                holds_ints = any(holds(codec, value) for value in range(3))  # a delimiter may be one of the digits
                if isinstance(prefix, TimeBucket | Modulo) and not holds_ints:
                    raise InvalidKey(f"{self.name}.{name}: {prefix} needs an int part (got {codec})")
        if self.time_bucket is not None and self.part_named[self.time_bucket.of].codec.descending:
            self.time_bucket.codec.invert_order(b"")  # refuses a codec that cannot be inverted

    def key_of(self, record: object) -> K:
        """The key of any object that has the parts as attributes, such as the record to store.

        A value that is divided into slices gives each part its share (`Slice`, `Rest`).
        """
        try:
            values = {part.name: getattr(record, part.name) for part in self.parts}
        except AttributeError as error:
            raise InvalidKey(
                f"{self.name}: must be one, or have its parts (got a {type(record).__name__}: {error})"
            ) from None
        return self.key_class(*(self.share(part, values[part.name]) for part in self.parts))

    def share(self, part: Part, value: Any) -> Any:
        """The share of a value that a part holds: the value itself, unless the part is a `Slice` or a `Rest`."""
        try:
            return share_of(part.codec, value)
        except InvalidKey as error:
            raise InvalidKey(f"{self.name}.{part.name}: {error}") from None

    def encode_reference(self, key: K) -> bytes:
        """The row of a key; `InvalidKey` names the part that does not fit."""
        if type(key) is not self.key_class:
            raise InvalidKey(f"{self.name}: must be a {self.name} (got {shown(key)})")
        values: dict[str, Any] = {}
        encoded: dict[str, bytes] = {}
        for part in self.parts:
            values[part.name] = getattr(key, part.name)
            encoded[part.name] = self.encode_part(part, values[part.name])
        prefixes = [self.computed_prefix(prefix, values, encoded) for prefix in self.prefixes]
        row = b"".join([*prefixes, *encoded.values()])
        if not 1 <= len(row) <= MAX_ROW_BYTES:
            longest = max(encoded, key=lambda name: len(encoded[name]))
            raise InvalidKey(f"{self.name}.{longest}: a {self.key_noun} has 1..{MAX_ROW_BYTES} bytes (got {len(row)})")
        return row

    def encode_part(self, part: Part, value: Any) -> bytes:
        """The bytes of one part; `InvalidKey` names the part."""
        try:
            return part.codec.encode(value)
        except InvalidKey as error:
            raise InvalidKey(f"{self.name}.{part.name}: {error}") from None

    def decode_reference(self, row: bytes) -> K:
        """The key of a row; `InvalidKey` names the part and its offset, as `segments` does."""
        return self.key_class(*(segment.value for segment in self.segments(row)[len(self.prefixes) :]))

    def segments(self, row: bytes) -> list[Segment]:
        """The prefixes and parts of a row, in its order; `InvalidKey` if it is not a key of this layout.

        `UnknownCode` if a `Code` with more names would make it one.
        """
        if type(row) is not bytes or not 1 <= len(row) <= MAX_ROW_BYTES:
            raise InvalidKey(f"{self.name}: a {self.key_noun} is 1..{MAX_ROW_BYTES} bytes (got {shown(row)})")
        parts: list[Segment] = []
        unknown: dict[str, UnknownCode] = {}
        rest = row[self.prefix_bytes :]
        for part in self.parts:
            offset = len(row) - len(rest)
            try:
                value, after = part.codec.decode_first(rest)
            except InvalidKey as error:
                where = f"at offset {offset} of {self.row_noun} {shown_bytes(row)}"
                located = type(error)(f"{self.name}.{part.name}: {error}, {where}")
                if not isinstance(located, UnknownCode):
                    raise located from None
                unknown[part.name] = located
                value, after = None, rest[part.codec.width_bytes :]  # a Code has one byte, with or without a label
            parts.append(Segment(part.name, rest[: len(rest) - len(after)], value, part.meaning))
            rest = after
        if rest:
            raise InvalidKey(
                f"{self.name}: {len(rest)} bytes too many, "
                f"at offset {len(row) - len(rest)} of {self.row_noun} {shown_bytes(row)}"
            )
        values = {segment.name: segment.value for segment in parts}
        encoded = {segment.name: segment.data for segment in parts}
        prefixes: list[Segment] = []
        offset = 0
        for prefix in self.prefixes:
            data = row[offset : offset + prefix.width_bytes]
            is_known = unknown.keys().isdisjoint(sources(prefix))
            wanted = self.computed_prefix(prefix, values, encoded) if is_known else data
            if data != wanted:
                raise InvalidKey(
                    f"{self.name}: {prefix} of these parts is {wanted.hex(' ')} (got {data.hex(' ')}), "
                    f"at offset {offset} of {self.row_noun} {shown_bytes(row)}"
                )
            prefixes.append(Segment(type(prefix).__name__, data, None, f"computed from {prefix}"))
            offset += prefix.width_bytes
        if unknown:
            raise next(iter(unknown.values()))
        return prefixes + parts

    def computed_prefix(self, prefix: Prefix, values: Mapping[str, Any], encoded: Mapping[str, bytes]) -> bytes:
        """The bytes of `prefix`, computed from the values and the bytes of its parts."""
        try:
            if isinstance(prefix, TimeBucket):
                return self.encode_time_slice(prefix.number(values[prefix.of]))
            return prefix.encode([values[name] for name in prefix.of], [encoded[name] for name in prefix.of])
        except InvalidKey as error:
            raise InvalidKey(f"{self.name}: {prefix}: {error}") from None

    def encode_time_slice(self, number: int) -> bytes:
        """The bytes of a slice of the `TimeBucket`, in the direction of its part."""
        if self.time_bucket is None:
            raise InvalidKey(f"{self.name}: has no TimeBucket")
        codec = self.time_bucket.codec
        data = codec.encode(number)
        return codec.invert_order(data) if self.part_named[self.time_bucket.of].codec.descending else data

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy make a layout anew, because generated functions cannot be pickled."""
        return type(self), (self.key_class, *self.prefixes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([self.name, *map(str, self.prefixes)])})"
