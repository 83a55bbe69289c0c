"""The bytes of a table's keys as text: the same text in every process, Python version and release.

    row Salt(of=part 1, buckets=8), EscapedText, Descending(Int64)
    row EscapedText, Code, Slice(Int64, 3600000); qualifier Rest(UInt32, 3600000)

The text holds no name of a class, part or table, so these can be renamed. Two layouts of one format make the same bytes
of the same values.
"""

from typing import Any

import attrs

from ..keys import Code, KeyLayout
from ..keys.codecs import Codec
from ..keys.prefixes import Prefix, sources

Codes = tuple[tuple[int, str], ...]
"""The bytes of a `Code` with their names, in the order of the bytes."""


@attrs.frozen(cache_hash=True)
class KeyFormat:
    """The format of row keys, and of qualifiers if these are keys of their own."""

    text: str
    """All prefixes and parts; a `Code` is without its names."""
    codes: tuple[Codes, ...] = ()
    """The names of each `Code`, in the order of the text."""

    def joined(self, other: "KeyFormat") -> "KeyFormat | None":
        """The format with the names that each `Code` has in either; None if a byte or a name means two things.

        A release may know fewer names than another one: it refuses to decode the bytes that it does not know.
        """
        if self.text != other.text:
            return None
        joined = tuple(tuple(sorted({*own, *others})) for own, others in zip(self.codes, other.codes, strict=True))
        is_unambiguous = all(len(dict(codes)) == len({name for _, name in codes}) == len(codes) for codes in joined)
        return KeyFormat(self.text, joined) if is_unambiguous else None

    def __str__(self) -> str:
        names = "; ".join(", ".join(f"{byte:02x} {name}" for byte, name in codes) for codes in self.codes)
        return f"{self.text} of {names}" if names else self.text


def key_format(layout: KeyLayout[Any], qualifier: KeyLayout[Any] | None) -> KeyFormat:
    """The format of a table's row keys and qualifiers."""
    codes: list[Codes] = []
    text = f"row {_keys_text(layout, codes)}"
    if qualifier is not None:
        text += f"; qualifier {_keys_text(qualifier, codes)}"
    return KeyFormat(text, tuple(codes))


def _keys_text(layout: KeyLayout[Any], codes: list[Codes]) -> str:
    prefixes = [_prefix_text(prefix, [*layout.part_named]) for prefix in layout.prefixes]
    return ", ".join([*prefixes, *(_codec_text(part.codec, codes) for part in layout.parts)])


def _prefix_text(prefix: Prefix, names: list[str]) -> str:
    """A prefix with the numbers of its parts instead of their names."""
    of = sources(prefix)
    numbers = f"part{'s' * (len(of) > 1)} {' and '.join(str(names.index(name) + 1) for name in of)}"
    return _ascii(str(prefix).replace(repr(of[0] if len(of) == 1 else of), numbers, 1))


def _codec_text(codec: Codec[Any], codes: list[Codes]) -> str:
    inner: Codec[Any] = codec
    while not isinstance(inner, Code):
        within = getattr(inner, "codec", None)
        if not isinstance(within, Codec):
            return _ascii(str(codec))
        inner = within  # pyright: ignore[reportUnknownVariableType]  # of any value
    names: dict[int, str] = inner.name_of
    codes.append(tuple(sorted(names.items())))
    return _ascii(str(codec).replace(str(inner), "Code"))


def _ascii(text: str) -> str:
    """The text with all non-ASCII characters escaped: which ones `repr` escapes depends on the Python version."""
    return text.encode("ascii", "backslashreplace").decode()
