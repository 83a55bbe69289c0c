"""The keys that a reader makes of a declared one: another order of its parts, other codecs and directions, a prefix.

    {"order": ["placed_ms", "seller_id"], "codecs": {"placed_ms": "Int64"}, "descending": {"placed_ms": false},
     "prefix": {"kind": "Salt", "of": "seller_id", "number": 8}}

Each of these changes may be left out. A `prefix` of None removes the declared ones.
"""

import re
from collections.abc import Mapping
from typing import Any

import attrs

from shared import keys
from shared.command_line.named.typed_values import field_types
from shared.command_line.screen.wrong_usage import check_name
from shared.keys import Descending, InvalidKey, KeyLayout, part, row_key, split_points
from shared.keys.codecs import Codec
from shared.keys.parts import Part
from shared.keys.prefixes import Prefix
from shared.keys.slice_codecs import share_codec
from shared.tables import TableLayout

Changes = Mapping[str, Any]
Table = TableLayout[Any, Any]


class JoinedText(Codec[str]):
    """Text, then a delimiter that the text may contain, too, as in many published keys: rows get lost.

    JoinedText("_"): "s_17" -> "s_17_", which is read back as "s"
    """

    def __init__(self, delimiter: str) -> None:
        super().__init__(f"JoinedText({delimiter!r})", ordered=False, legible=True)
        self.delimiter = delimiter.encode()

    def encode(self, value: str) -> bytes:
        return keys.TrailingText.encode(value) + self.delimiter

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        text, _, rest = data.partition(self.delimiter)
        return keys.TrailingText.decode(text), rest


CODECS: Mapping[type, tuple[Codec[Any], ...]] = {
    str: (
        keys.EscapedText,
        keys.TrailingText,
        keys.DelimitedText("_"),
        keys.DelimitedText("|"),
        keys.DelimitedText("\0"),
        keys.FixedText(20, "\0"),
        JoinedText("_"),
    ),
    int: (
        keys.Int64,
        keys.UInt64,
        keys.Int32,
        keys.UInt32,
        keys.DecimalText(13),
        keys.ReversedDigits(13),
        keys.LongMaxMinus,
    ),
    bytes: (keys.EscapedBytes, keys.TrailingBytes),
}
"""The codecs that a reader may choose, by the type of the part; its declared one is always among them."""
PREFIXES: Mapping[str, tuple[str, int]] = {
    "Salt": ("buckets", 8),
    "Modulo": ("by", 8),
    "HashPrefix": ("bytes", 1),
    "TimeBucket": ("every_ms", 900_000),
}
"""The prefixes that a reader may choose: the name of the number of each, and the number that it begins with."""
CHANGED = "MyKey"
"""The name of a key class whose parts a reader has changed."""


def with_changes(table: Table, changes: Changes) -> Table:
    """The table with a changed layout. Raises InvalidKey or InvalidRecord if it cannot be changed so."""
    declared = table.key
    order = changes.get("order") or [*declared.part_named]
    if sorted(order) != sorted(declared.part_named):
        raise InvalidKey(f"order: must have each of {', '.join(declared.part_named)} once (got {', '.join(order)})")
    prefixes = declared.prefixes
    if "prefix" in changes:
        prefixes = () if changes["prefix"] is None else (_prefix(**changes["prefix"]),)
    if order == [*declared.part_named] and not {"codecs", "descending"} & {*changes}:
        key_class = declared.key_class
    else:
        codecs = {name: _codec(table, name, changes) for name in order}
        parts = {name: part(codec, _meaning(declared.part_named[name], codec)) for name, codec in codecs.items()}
        types = {name: field_types(declared.key_class)[name] for name in order}
        key_class = row_key(type(CHANGED, (), {"__annotations__": types, "__module__": __name__, **parts}))
    layout = KeyLayout(key_class, *prefixes)
    return attrs.evolve(table, key=layout, splits=split_points(layout))


def _prefix(kind: str, of: str, number: int) -> Prefix:
    name, _ = PREFIXES[check_name("prefix", kind, PREFIXES)]
    return getattr(keys, kind)(of=of, **{name: number})


def _codec(table: Table, name: str, changes: Changes) -> Codec[Any]:
    declared = table.key.part_named[name].codec
    choices = {str(codec): codec for codec in codecs_of(table, name)}
    text = changes.get("codecs", {}).get(name, str(ascending(declared)))
    codec = choices[check_name(f"codec of {name}", text, choices)]
    is_descending = changes.get("descending", {}).get(name, isinstance(declared, Descending))
    return Descending(codec) if is_descending else codec


def _meaning(declared: Part, codec: Codec[Any]) -> str:
    """The meaning of a part without what it says of another codec."""
    if codec == declared.codec:
        return declared.meaning
    return re.split(r"[,;] (?=\w+ first|any |descending)", declared.meaning)[0]


def ascending(codec: Codec[Any]) -> Codec[Any]:
    """The codec without its direction."""
    return codec.codec if isinstance(codec, Descending) else codec


def codecs_of(table: Table, name: str) -> list[Codec[Any]]:
    """The codecs that a part may have: the declared one first, and the only one if the part holds a slice."""
    declared = ascending(table.key.part_named[name].codec)
    others = () if share_codec(declared) else CODECS.get(field_types(table.key.key_class)[name], ())
    return [declared, *(codec for codec in others if str(codec) != str(declared))]


def joined_parts(layout: KeyLayout[Any]) -> list[str]:
    """The parts that are not told from what follows them."""
    return [one.name for one in layout.parts if isinstance(ascending(one.codec), JoinedText)]
