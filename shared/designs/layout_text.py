"""What is stored, as text: the tables of a design, which its declarations make, for `layout.txt` beside them."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from ..intents import Erasure
from ..intents.erasures_table import ErasedSource
from ..intents.slots import holds_intents
from ..intents.source_cells import SourceCells
from ..intents.writer import writers_of
from ..keys import KeyLayout
from ..tables import Column, Family, ItemCells, OtherColumns, Packing, RecordCells, TableLayout
from ..tables.packing import MSGPACK
from .design import Design, Variant
from .scratch import scratch_store

FILE = "layout.txt"
SOURCE_CELL = "[revision, time in ms, ids of the latest writes, record], where the record is"
"""What the cell of a source holds: its columns follow."""


def layout_texts(design: Design) -> dict[Path, str]:
    """The tables of a design, each with the parts of its key, its families, and its columns; by the file that has them.

    Those of the design itself are in `layout.txt` beside its repository. Those of each other variant that no earlier
    one has follow; they are in `shown/`, if the design has that folder. A review of this text shows what changes of
    tables, keys, families with options, and columns; not how cells are dated.
    """
    repository: Any = getattr(design.repository, "func", design.repository)  # of a partial
    folder = Path(inspect.getfile(repository)).parent
    own, *others = _of_each_variant(design)
    apart = others if (folder / "shown").is_dir() else []
    texts = {folder / FILE: [own, *(others if not apart else [])], folder / "shown" / FILE: apart}
    return {file: "\n\n".join(blocks) + "\n" for file, blocks in texts.items() if blocks}


def _of_each_variant(design: Design) -> Iterator[str]:
    """The tables of the design itself, then those of each variant that no earlier one has."""
    printed: set[tuple[str, ...]] = set()
    for variant in design.variants:
        own = {stored: text for stored, text in _blocks(variant).items() if stored not in printed}
        printed.update(own)
        heading = [] if variant is design.main else [f"---- {variant.name}"]
        if own:
            yield "\n\n".join([*heading, *own.values()])


def _blocks(variant: Variant) -> dict[tuple[str, ...], str]:
    """The text of each table of a variant, by what it stores: two variants may have one list of two sources."""
    roles = _roles(variant)
    blocks: dict[tuple[str, ...], str] = {}
    for table in variant.tables:
        lines: list[str] = []
        if holds_intents(table):
            role = "the writes under way"
        elif table.cells.record in (Erasure, ErasedSource):
            role = "the erasures under way"
        else:
            role = roles.get((table.name, table.cells.columns), "a table")
            lines = [*_lines(table)]
        blocks.setdefault((table.name, *lines), "\n".join([f"{table.name}: {role}", *lines]))
    return blocks


def _roles(variant: Variant) -> dict[tuple[str, tuple[bytes, ...]], str]:
    """What a writer knows its tables as, by name and columns: a source, a list of it or a moving list of it."""
    roles: dict[tuple[str, tuple[bytes, ...]], str] = {}
    with closing(scratch_store(variant.tables)) as connection:
        for writer in writers_of(variant.open(connection)):
            source = writer.source
            roles[source.name, source.cells.columns] = "a source"
            for of in writer.lists:
                kind = "a moving list" if of.name in writer.moving else "a list"
                roles[of.name, of.cells.columns] = f"{kind} of {source.name}"
    return roles


def _lines(table: TableLayout[Any, Any]) -> Iterator[str]:
    yield from _named("row", _key_lines(table.key))
    for name, family in table.families.items():
        if options := [*_options(family)]:
            yield from _named(f"family {name}", [", ".join(options)])
    if isinstance(table.cells, SourceCells):
        cell = _text(table.cells.columns[0])
        yield from _named(cell, [SOURCE_CELL])
        yield from _columns(table.cells.cells, cell)
    elif isinstance(table.cells, RecordCells):
        yield from _columns(table.cells)
    elif isinstance(table.cells, ItemCells):
        packed = "marker" if not table.cells.value else ", ".join(_value_names(table.cells))
        qualifier = ", ".join(_key_lines(table.cells.qualifier))
        yield from _named(f"{table.cells.family}:*", [f"[{qualifier}] -> {packed}"])
    else:
        yield from _named(", ".join(map(_text, table.cells.columns)), [f"{type(table.cells).__name__}"])


def _key_lines(key: KeyLayout[Any]) -> list[str]:
    return [*map(str, key.prefixes), *(f"{part.name}: {part.codec}" for part in key.parts)]


def _value_names(cells: ItemCells[Any]) -> Iterable[str]:
    if isinstance(cells.value, str):
        return [cells.value + _packing(cells.packing)]
    return ["[" + ", ".join(cells.value) + "]"]


def _options(family: Family) -> Iterator[str]:
    """The options of a family that are not HBase's defaults."""
    default = Family()
    if family.max_versions != default.max_versions:
        yield f"keeps {family.max_versions} versions"
    if family.lifetime_s is not None:
        yield f"TTL {family.lifetime_s} s"
    if family.keep_tombstones_ms:
        yield f"keeps tombstones for {family.keep_tombstones_ms / 60_000:g} minutes"
    for name in ("bloom", "compression", "block_size_bytes"):
        if getattr(family, name) != getattr(default, name):
            yield f"{name} {getattr(family, name)}"


def _columns(cells: RecordCells[Any], within: str = "") -> Iterator[str]:
    """The columns of a record; within the cell of a source, if one is given."""
    if cells.marker is not None:
        yield from _named(cells.marker, ["marker"])
    attributes: Mapping[str, Column | OtherColumns] = cells.attributes
    for name, column in attributes.items():
        place = f"{within} {column.name.partition(':')[2]}" if within else column.name
        yield from _named(place, [name + _packing(column.packing)])


def _packing(packing: Packing) -> str:
    return "" if packing == MSGPACK else f" ({packing.name})"


def _named(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {name}  {line}" for line in lines)


def _text(column: bytes) -> str:
    return column.decode(errors="backslashreplace")
