"""Each list of each design as a new list: a process that reads it before `repair` has filled it is refused."""

import pytest

from shared.designs import measure
from shared.intents.source_cells import SourceCells
from shared.intents.writer import writers_of
from shared.tables import UnfilledList, create_tables
from shared.tables.recorded_layouts import (
    MARK,
    RECORDS,
    UNFILLED,
    check_filled,
    forget_compared,
    read_record,
    record_row,
)
from shared.testing.contracts import samples_of
from tests.designs import all_designs
from tests.engines import Embedded

VARIANTS = {
    f"{design.name}:{variant.name}": (design, variant)
    for design in all_designs()
    for variant in design.variants
    if any(isinstance(table.cells, SourceCells) for table in variant.tables)
}


FAST = {"documents:documents", "messages:messages", "feeds:feeds"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.long) for name in VARIANTS]
)
def test_a_new_list_is_refused_until_repair_has_filled_it(name):
    design, variant = VARIANTS[name]
    patterns = [pattern for pattern in design.patterns if pattern.answer == "page"]
    number = count = 0
    while number <= count:
        with Embedded().stocked_store(samples_of(design, variant), *variant.tables) as connection:
            writers = writers_of(variant.open(connection))
            lists = [(writer, table) for writer in writers for table in writer.lists]
            if not lists:
                return
            writer, table = lists[number]
            number, count = number + 1, len(lists) - 1
            wanted = answers(variant.open(connection), connection, patterns)
            if table.name == writer.source.name:  # computed columns: a mark is all that a reader sees
                connection.table(RECORDS.name).put(record_row(connection, table.name), {UNFILLED: MARK})
            else:
                connection.delete_table(table.name, disable=True)
            forget_compared(connection, table.name)
            create_tables(connection, variant.tables)
            repository = variant.open(connection)
            with pytest.raises(UnfilledList):
                check_filled(connection, table)
            for pattern, records in zip(patterns, wanted, strict=True):
                try:
                    assert answers(repository, connection, [pattern]) == [records]
                except UnfilledList:
                    continue
            for _finding in repository.upkeep.verify():
                pass
            repository.upkeep.recover()
            assert all(is_mended for _finding, is_mended in repository.upkeep.repair())
            assert read_record(connection, table.name).unfilled_ms is None
            assert answers(repository, connection, patterns) == wanted


def answers(repository, connection, patterns):
    return [measured.records for measured in measure(connection, repository, patterns)]
