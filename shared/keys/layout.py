"""A record laid out as a row key.

A key is one frozen class whose attributes, top to bottom, are the bytes from left to right:

    @row_key
    class OrderBySeller:
        seller_id: str = part(EscapedText, "who sold")
        placed_ms: int = part(Descending(Int64), "milliseconds since 1970, newest first")

The law, for every layout and all keys a, b:

    decode(encode(a)) == a
    encode(decode(k)) == k      where decode(k) succeeds
    a prefix of whole parts matches exactly the keys with those values
    a sorts before b  <=>  encode(a) < encode(b)     ordered codecs, within one bucket of the spreading prefixes
"""

import inspect
import keyword
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, dataclass_transform

import attrs

from .codecs import Codec
from .compiled import compile_decode, compile_encode, compile_row_of, init_fields
from .errors import InvalidKey, shown, shown_bytes
from .limits import MAX_ROW_BYTES
from .prefixes import Modulo, Prefix, Spread, TimeBucket, sources
from .questions import Narrowed, Plan, narrow, plan, whole_table

K = TypeVar("K")
V = TypeVar("V")


def part(codec: Codec[V], meaning: str) -> V:
    """One part of a key: its wire format, and what it means, with unit and epoch.

    Typed as the codec's value, so that a type checker refuses `seller_id: int = part(EscapedText, ...)`.
    """
    value: V = attrs.field(metadata={"codec": codec, "meaning": meaning})
    return value


@dataclass_transform(frozen_default=True, field_specifiers=(part,))
def row_key(cls: type[K]) -> type[K]:
    """A class of keys: attrs' `frozen`, every attribute a `part`."""
    for name in [*vars(cls), *inspect.get_annotations(cls)]:
        if name == "self" or keyword.iskeyword(name) or not name.isidentifier():
            raise InvalidKey(f"{cls.__name__}.{name}: a part cannot have this name, because __init__ takes it by name")
    declared = [name for name, value in vars(cls).items() if "codec" in getattr(value, "metadata", ())]
    for name in [*declared, *inspect.get_annotations(cls)]:
        if name.startswith("_"):  # attrs takes it without its underscores, which may leave no name at all
            raise InvalidKey(f"{cls.__name__}.{name}: a part is public, so its name starts with a letter")
    frozen: type[K] = attrs.frozen(cls)
    codecs = {field.name: isinstance(field.metadata.get("codec"), Codec) for field in attrs.fields(frozen)}  # type: ignore[arg-type]
    for name in [*codecs, *inspect.get_annotations(cls)]:
        if not codecs.get(name):
            raise InvalidKey(f"{cls.__name__}.{name}: must be a part(codec, meaning)")
    return frozen


@attrs.frozen
class Part:
    """One part as a layout sees it."""

    name: str
    codec: Codec[Any]
    meaning: str


@attrs.frozen
class Segment:
    """A stretch of an encoded key: a prefix or a part, its bytes and what they say."""

    name: str
    data: bytes
    value: Any
    meaning: str


class KeyLayout(Generic[K]):
    """A key class with the prefixes in front of it; two layouts of one class are how a table grows.

    KeyLayout(OrderBySeller)
    KeyLayout(OrderBySeller, Salt(of="seller_id", buckets=16))

    `encode(key)` gives the row, `decode(row)` the key. Both are generated functions (`compiled.py`); where one
    fails, `encode_plainly` and `decode_plainly`, which specify them, run and raise the `InvalidKey` that says why.
    """

    encode: Callable[[K], bytes]
    decode: Callable[[bytes], K]
    row_of: Callable[[object], bytes]
    """The row of any object that has the parts as attributes: what `encode` gives for its `key_of`."""

    def __init__(self, key: type[K], *prefixes: Prefix) -> None:
        fields: tuple[attrs.Attribute[Any], ...] = getattr(key, "__attrs_attrs__", ())
        if not fields or not all("codec" in field.metadata for field in fields):
            raise InvalidKey(f"KeyLayout: must first be given a row_key class of at least one part (got {shown(key)})")
        try:
            arguments = init_fields(key)
        except ValueError as error:
            raise InvalidKey(str(error)) from None
        if len(arguments) < len(fields) or any(field.kw_only for field in fields):
            raise InvalidKey(f"{key.__name__}: must have parts only, each a part(codec, meaning)")
        self.key = key
        self.name = key.__name__
        self.parts = tuple(Part(field.name, field.metadata["codec"], field.metadata["meaning"]) for field in fields)
        self.part_named = {part.name: part for part in self.parts}
        self.prefixes = prefixes
        self.spread: tuple[Spread, ...] = tuple(each for each in prefixes if not isinstance(each, TimeBucket))
        self.time_bucket = next((each for each in prefixes if isinstance(each, TimeBucket)), None)
        self._check()
        self.spread_bytes = sum(prefix.width_bytes for prefix in self.spread)
        self.prefix_bytes = sum(prefix.width_bytes for prefix in prefixes)
        self.encode = compile_encode(self)
        self.decode = compile_decode(self)
        self.row_of = compile_row_of(self)

    def _check(self) -> None:
        for each in self.parts[:-1]:
            if each.codec.trailing:
                raise InvalidKey(
                    f"{self.name}.{each.name}: {each.codec} has no terminator, so it must be the last part"
                )
        if any(isinstance(each, TimeBucket) for each in self.prefixes[:-1]):
            raise InvalidKey(f"{self.name}: one TimeBucket at most, after the spreading prefixes (got {self.prefixes})")
        for prefix in self.prefixes:
            for name in sources(prefix):
                if name not in self.part_named:
                    raise InvalidKey(f"{self.name}: {prefix} is of {name}, no such part ({', '.join(self.part_named)})")
                if isinstance(prefix, TimeBucket | Modulo) and not _holds_ints(self.part_named[name].codec):
                    raise InvalidKey(f"{self.name}.{name}: {prefix} needs an int part")
        if self.time_bucket is not None and self.part_named[self.time_bucket.of].codec.descending:
            self.time_bucket.codec.complement(b"")  # refuses a format that cannot follow its part

    def key_of(self, record: object) -> K:
        """The key of any object that has the parts as attributes, such as the record that is to be stored."""
        try:
            return self.key(*(getattr(record, part.name) for part in self.parts))
        except AttributeError as error:
            raise InvalidKey(f"{self.name}: cannot be made of a {type(record).__name__}: {error}") from None

    def encode_plainly(self, key: K) -> bytes:
        """What `encode` does, part by part."""
        if type(key) is not self.key:
            raise InvalidKey(f"{self.name}: must be a {self.name} (got {shown(key)})")
        values: dict[str, Any] = {}
        encoded: dict[str, bytes] = {}
        for part in self.parts:
            values[part.name] = getattr(key, part.name)
            try:
                encoded[part.name] = part.codec.encode(values[part.name])
            except InvalidKey as error:
                raise InvalidKey(f"{self.name}.{part.name}: {error}") from None
        row = b"".join(self.prefix_of(prefix, values, encoded) for prefix in self.prefixes) + b"".join(encoded.values())
        if not 1 <= len(row) <= MAX_ROW_BYTES:
            raise InvalidKey(f"{self.name}: a row key has 1..{MAX_ROW_BYTES} bytes (got {len(row)})")
        return row

    def decode_plainly(self, row: bytes) -> K:
        """What `decode` does, part by part."""
        return self.key(*(segment.value for segment in self.segments(row)[len(self.prefixes) :]))

    def segments(self, row: bytes) -> list[Segment]:
        """The row cut at its borders, prefixes first; `InvalidKey` where it is no key of this layout."""
        if type(row) is not bytes or not 1 <= len(row) <= MAX_ROW_BYTES:
            raise InvalidKey(f"{self.name}: a row key is 1..{MAX_ROW_BYTES} bytes (got {shown(row)})")
        parts: list[Segment] = []
        rest = row[self.prefix_bytes :]
        for part in self.parts:
            offset = len(row) - len(rest)
            try:
                value, after = part.codec.take(rest)
            except InvalidKey as error:
                raise InvalidKey(
                    f"{self.name}.{part.name}: {error}, at offset {offset} of row {shown_bytes(row)}"
                ) from None
            parts.append(Segment(part.name, rest[: len(rest) - len(after)], value, part.meaning))
            rest = after
        if rest:
            raise InvalidKey(
                f"{self.name}: {len(rest)} bytes too many, at offset {len(row) - len(rest)} of row {shown_bytes(row)}"
            )
        values = {field.name: field.value for field in parts}
        encoded = {field.name: field.data for field in parts}
        prefixes: list[Segment] = []
        offset = 0
        for prefix in self.prefixes:
            data = row[offset : offset + prefix.width_bytes]
            wanted = self.prefix_of(prefix, values, encoded)
            if data != wanted:
                raise InvalidKey(
                    f"{self.name}: {prefix} of these parts is {wanted.hex(' ')} (got {data.hex(' ')}), "
                    f"at offset {offset} of row {shown_bytes(row)}"
                )
            prefixes.append(Segment(type(prefix).__name__, data, None, f"computed from {prefix}"))
            offset += prefix.width_bytes
        return prefixes + parts

    def prefix_of(self, prefix: Prefix, values: Mapping[str, Any], encoded: Mapping[str, bytes]) -> bytes:
        """The bytes of `prefix` in front of parts with these values and bytes."""
        try:
            if isinstance(prefix, TimeBucket):
                return self.time_slice(prefix.number(values[prefix.of]))
            return prefix.encode([values[name] for name in prefix.of], [encoded[name] for name in prefix.of])
        except InvalidKey as error:
            raise InvalidKey(f"{self.name}: {prefix}: {error}") from None

    def time_slice(self, number: int) -> bytes:
        """The bytes of a slice of the `TimeBucket`, in the direction of its part."""
        if self.time_bucket is None:
            raise InvalidKey(f"{self.name}: has no TimeBucket")
        codec = self.time_bucket.codec
        data = codec.encode(number)
        return codec.complement(data) if self.part_named[self.time_bucket.of].codec.descending else data

    def plan(self, /, **question: Any) -> Plan:
        """The ranges that hold exactly the keys that match the question.

        Equality on leading parts (`seller_id="s-17"`), then at most one `between(since, until)` or
        `starting_with(text)`, then nothing. `InvalidQuestion` names the part that stands in the way.
        """
        return plan(self, question)

    def narrow(self, /, **question: Any) -> Narrowed:
        """The ranges of as much of the question as the key can bind; the rest is left to whoever reads them.

        Where `plan` answers, nothing is left. Where it refuses, the question is cut: equality on the leading parts that
        it names, then at most one interval; parts behind them are left, but still choose the bucket of a spreading
        prefix. A question that binds no leading part and no time slice is refused as `plan` refuses it.
        """
        return narrow(self, question)

    def whole_table(self) -> Plan:
        """All rows, which is a question too, and the most expensive one."""
        return whole_table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy ask for: the functions are generated anew."""
        return type(self), (self.key, *self.prefixes)

    def __repr__(self) -> str:
        return f"KeyLayout({', '.join([self.name, *map(str, self.prefixes)])})"


def _holds_ints(codec: Codec[Any]) -> bool:
    for value in range(3):  # one may hold a delimiter
        try:
            codec.encode(value)
        except InvalidKey:
            continue
        return True
    return False
