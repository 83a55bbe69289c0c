"""What is stored of a design's samples: round trips, loading twice, golden keys, and layouts that are recorded."""

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any

import happybase
import pytest

from ...designs import Variant, load_samples, scratch_store
from ...designs.layout_text import layout_texts
from ...intents import Erasure
from ...intents.writer import writers_of
from ...keys import KeyLayout, Salt
from ...tables import LayoutMismatch, TableLayout
from ...upkeep import Instructions, Upkeep
from ...writes import NotAllStored
from ..damaged_rows import put_damaged_rows
from ..engines import Embedded
from ..golden_keys import check_golden_keys, stored_keys, write_golden_keys
from ..stored_samples import check_every_table_has_rows, check_loading_twice, check_round_trip, stored_cells
from .of_design import ContractOfDesign, samples_of

REFUSALS = (LayoutMismatch, NotAllStored)
AGAIN_EACH = 11
"""Each eleventh sample is stored again."""


class SamplesContract(ContractOfDesign):
    """Tests of what is stored."""

    def test_to_write_into_a_table_of_another_layout_is_refused(self, variant: Variant) -> None:
        """If all tables have another one, nothing is stored; a writer without intents may store into other tables."""
        recorded = [table for table in variant.tables if table.is_recorded]
        for changed in (recorded, *([table] for table in recorded if table not in variant.unfilled)):
            names = {table.name for table in changed}
            tables = [with_another_salt(table) if table.name in names else table for table in variant.tables]
            with Embedded().store(*tables) as connection:
                with pytest.raises(REFUSALS):
                    load_samples(connection, self.design, variant)
                assert not any(stored_cells(connection, changed).values())

    def test_the_samples_fill_every_table_but_those_declared_unfilled(
        self, variant: Variant, connection: happybase.Connection
    ) -> None:
        check_every_table_has_rows(connection, filled(variant))

    def test_every_row_is_a_record_that_makes_the_same_row_and_cells(
        self, variant: Variant, connection: happybase.Connection
    ) -> None:
        check_round_trip(connection, variant.tables)

    def test_loading_the_same_records_twice_changes_nothing_unless_exempt(
        self, variant: Variant, connection: happybase.Connection, repository: Any
    ) -> None:
        exemptions = (*self.design.exemptions, *variant.exemptions)
        if all(exemption.fact != "loading" for exemption in exemptions):
            for load in self.design.loads:
                again = islice(load.sample_records(), 0, None, AGAIN_EACH)
                check_loading_twice(connection, variant.tables, partial(load.store_in, repository), again)

    def test_rows_that_cannot_be_read_stop_no_upkeep_and_are_found_and_removed_if_told(self, variant: Variant) -> None:
        """In each table one row has a key that cannot be decoded, and one a damaged cell."""
        with Embedded().store(*variant.tables) as connection:
            upkeep: Upkeep | None = getattr(variant.open(connection), "upkeep", None)
            if upkeep is not None:
                damaged = put_damaged_rows(connection, variant.tables)
                upkeep.recover(older_than_ms=0)
                assert damaged - {(finding.table, finding.row) for finding in upkeep.verify()} == set()
                told = Instructions(discards_orphaned=True, discards_undecodable=True, discards_rows=frozenset(damaged))
                repaired = {
                    (found.table, found.row) for found, is_mended in upkeep.repair(instructions=told) if is_mended
                }
                assert damaged - repaired == set()
                assert [str(finding) for finding in upkeep.verify()] == []

    def test_golden_keys_are_those_of_every_table(self, pytestconfig: pytest.Config) -> None:
        """They are beside the samples; `--rowbook-golden-keys` writes those of tables that have none there."""
        path = self.design.loads[0].samples.with_name("keys.json")
        golden: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if pytestconfig.getoption("rowbook_golden_keys"):
            write_golden_keys(path, [keys for keys in self._stored_keys() if keys[0].name not in golden], **golden)
            golden = json.loads(path.read_text(encoding="utf-8"))
        assert path.exists(), f"{path}: must exist (pytest --rowbook-golden-keys writes it; then commit it)"
        layouts = {table.name: table.key for variant in self.design.variants for table in variant.tables}
        may_lack = {table.name for variant in self.design.variants for table in variant.unfilled}
        layouts = {name: key for name, key in layouts.items() if name in golden or name not in may_lack}
        check_golden_keys(layouts, {name: examples for name, examples in golden.items() if name in layouts})

    def test_what_the_declarations_store_is_what_layout_txt_says(self, pytestconfig: pytest.Config) -> None:
        """`--rowbook-golden-keys` writes it, beside the repository. A change of it is one of what is stored."""
        for path, text in layout_texts(self.design).items():
            if pytestconfig.getoption("rowbook_golden_keys"):
                path.write_text(text, encoding="utf-8")
            assert path.exists(), f"{path}: must exist (pytest --rowbook-golden-keys writes it; then commit it)"
            assert path.read_text(encoding="utf-8") == text

    def _stored_keys(self) -> list[tuple[TableLayout[Any, Any], list[Any]]]:
        keys: dict[str, tuple[TableLayout[Any, Any], list[Any]]] = {}
        for variant in self.design.variants:
            with Embedded().stocked_store(samples_of(self.design, variant), *variant.tables) as connection:
                keys |= {table.name: (table, stored_keys(connection, table)) for table in filled(variant)}
        return [*keys.values()]

    def test_the_variants_that_share_intents_or_erasures_share_their_sources(self) -> None:
        """They name rows of their sources, so `recover` of another source would end them, and complete nothing."""
        sources: defaultdict[str, set[object]] = defaultdict(set)
        for variant in self.design.variants:
            with closing(scratch_store(variant.tables)) as connection:
                writers = writers_of(variant.open(connection))
                for writer in writers:
                    sources[writer.intents.name].add(writer.source.name)
                for table in variant.tables:
                    if table.cells.record is Erasure:
                        sources[table.name].add(tuple(writer.source.name for writer in writers))
        assert {name: names for name, names in sources.items() if len(names) > 1} == {}


def filled(variant: Variant) -> Sequence[TableLayout[Any, Any]]:
    """The tables that the samples fill."""
    return [table for table in variant.tables if table not in variant.unfilled]


def with_another_salt(table: TableLayout[Any, Any]) -> TableLayout[Any, Any]:
    """A table of the same name with another layout."""
    key = KeyLayout(table.key.key_class, Salt(of=table.key.parts[0].name, buckets=3))
    return TableLayout(table.name, table.holds, key, table.cells, table.families)
