"""The designs whose keys are explored, each with an empty store and the rows of its samples."""

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from shared.command_line.named.typed_values import arguments, field_types, values_of
from shared.command_line.rows.given_rows import tables_of
from shared.command_line.screen.wrong_usage import check_name
from shared.designs import AccessPattern, Design, Variant
from shared.designs.metering import Measurement, measure_pattern
from shared.designs.scratch import scratch_store
from shared.keys import InvalidKey, KeyLayout

from .changed_keys import Table
from .in_browser import without_numpy

SAMPLES = Path(__file__).with_name("samples")

Texts = Mapping[str, str]
"""Values as a reader types them, by the names of parts or arguments."""


@attrs.frozen(eq=False, slots=False)
class OpenDesign:
    """A design with an empty store, and what `sample_rows` returns for it."""

    design: Design
    connection: Any
    repository: Any
    rows: Mapping[str, Mapping[str, list[str]]]

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables of the design itself that have rows, by name; of several layouts of a table, the first."""
        tables: dict[str, Table] = {}
        for table in tables_of([self.design.main]):
            tables.setdefault(table.name, table)
        return {name: table for name, table in tables.items() if self.keys(table, "stored")}

    @cached_property
    def variants(self) -> Sequence[Variant]:
        """The variants of the design that the suite shows."""
        place = f"domains.{self.design.name}.shown"
        if find_spec(place) is None:
            return ()
        with without_numpy():
            shown: Design = import_module(f"{place}.design").DESIGN
        return [variant for variant in shown.variants if variant.name != shown.name]

    def variant_of(self, layout: KeyLayout[Any]) -> str:
        """The variant that has this key in one of its tables, such as `logs:salted`; empty if none has."""
        for variant in self.variants:
            if any(_bytes_of(table.key) == _bytes_of(layout) for table in variant.record_tables):
                return f"{self.design.name}:{variant.name}"
        return ""

    def table(self, name: str) -> Table:
        """A table of the design by its name."""
        return self.tables[check_name("table", name, self.tables)]

    def keys(self, table: Table, kind: str) -> list[Any]:
        """The keys of the samples' rows that the declared layout of the table decodes."""
        found: list[Any] = []
        for row in self.rows.get(table.name, {}).get(kind, ()):
            try:
                found.append(table.key.decode(bytes.fromhex(row)))
            except InvalidKey:  # another layout of the same table has it
                continue
        return found

    def all_keys(self, table: Table, rows: Sequence[Texts]) -> list[Any]:
        """The keys of the samples, and the keys that a reader adds."""
        types = field_types(table.key.key_class)
        added = (values_of([f"{name}={text}" for name, text in row.items()], types, "part") for row in rows)
        return [*self.keys(table, "stored"), *(table.key.key_class(**values) for values in added)]

    def measure(self, pattern: AccessPattern, words: list[str] | None = None) -> Measurement:
        """What a question asks of the empty store: its explanation, or its reads."""
        values = pattern.sample if words is None else arguments(pattern, words)
        return measure_pattern(self.connection, self.repository, pattern, values, pattern.limit)


def _bytes_of(layout: KeyLayout[Any]) -> tuple[str, ...]:
    """What decides the bytes of a layout: its prefixes, and its parts with their codecs."""
    return (*map(str, layout.prefixes), *(f"{one.name} {one.codec}" for one in layout.parts))


@cache
def open_design(name: str) -> OpenDesign:
    """The design of that name, opened once."""
    with without_numpy():
        design: Design = import_module(f"domains.{name}.design").DESIGN
    connection = scratch_store(design.main.tables)
    return OpenDesign(design, connection, design.main.open(connection), read_rows(name))


def read_rows(name: str) -> Mapping[str, Mapping[str, list[str]]]:
    """The rows of the samples of a design, which the build has put beside this module."""
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
