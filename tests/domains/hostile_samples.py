"""The samples of each design with hostile values: what breaks keys, cells, files and terminals, for tests alone.

Samples that people read hold plain names, items and amounts. Some of these stand for a hostile value here, each at its
place in the order of keys, so every design stores as many records of as many owners as with its samples.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from shared.designs import Design, Load
from tests.designs import all_designs

HOSTILE: Mapping[object, object] = {
    "éric": "店-1",
    "özlem": "店-1",
    "örebro-1": "店-1",
    "ülm-36": "店-1",
    "øst": "駐車場",
    "île-1": "旅館",
    "île": "短い",
    "ümit99": "🐘",
    "žarko": "🐘",
    "örebro-3": "🐘",
    "ö-1": "🚗",
    "öz-buyer": "Ω-buyer",
    "nadine": "nul\0l",
    "abel": "a\0b",
    "tea": "茶",
    "tray": "t\x1b[31m\x07ray",
    "Zhu": "王",
    "Bergen": "北京\u202e",
    "nice": "😀",
    "two lines of text": "two lines\nof text",
    "see you at noon": "see you at noon\r\n",
    "coffee or tea?": "茶はいかが",
    "line 1, line 2": "line 1\nline 2\x00",
    24_900: 10**21 + 288,
}
"""What each plain value stands for."""
WITHIN_64_BITS = {"OrderSummary": {24_900: 2**40}}
"""What plain values stand for in records whose integers have at most 64 bits."""
CLOSED = ("shop", "category")
"""Fields of `catalog` with codes for a closed set of names, which stay as they are."""


@attrs.frozen
class HostileLoad(Load):
    """A load with hostile values in its samples."""

    def sample_records(self) -> Iterator[Any]:
        """The samples, with a hostile value for each that stands for one."""
        return map(_hostile_record, super().sample_records())


def hostile_designs() -> dict[str, Design]:
    """By name, the designs whose samples have values that stand for hostile ones, with these."""
    return {design.name: _hostile(design) for design in all_designs() if hostile_count(design)}


def hostile_count(design: Design) -> int:
    """The number of records that differ from the samples."""
    return sum(_hostile_record(record) != record for load in design.loads for record in load.sample_records())


def _hostile(design: Design) -> Design:
    loads = tuple(HostileLoad(**attrs.asdict(load, recurse=False)) for load in design.loads)
    # Stores with samples are known by their variant, so the variants are copies.
    return attrs.evolve(design, loads=loads, variants=tuple(attrs.evolve(variant) for variant in design.variants))


def _hostile_record(record: Any) -> Any:
    values = attrs.asdict(record, recurse=False)
    changed = {name: _hostile_value(value) for name, value in values.items() if name not in CLOSED}
    small = WITHIN_64_BITS.get(type(record).__name__, {})
    changed |= {name: small[value] for name, value in values.items() if isinstance(value, int) and value in small}
    return attrs.evolve(record, **changed)


def _hostile_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _hostile_value(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_hostile_value, value))
    return HOSTILE.get(value, value)
