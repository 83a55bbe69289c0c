"""No question of one tenant, such as a shop, reads a row of another one."""

from contextlib import suppress

import pytest

from domains.catalog.shown.design import DESIGN as CATALOG
from domains.documents import DocumentConflict
from domains.documents.shown.design import DESIGN as DOCUMENTS
from shared.designs import measure

TENANTS = {"shop": CATALOG, "owner": DOCUMENTS}
CASES = [
    pytest.param(design, variant, tenant, marks=() if variant is design.main else pytest.mark.long)
    for tenant, design in TENANTS.items()
    for variant in design.variants
]


@pytest.mark.parametrize(("design", "variant", "tenant"), CASES, ids=lambda of: getattr(of, "name", of))
def test_a_question_reads_the_rows_of_its_tenant_alone(engine, design, variant, tenant):
    (load,) = design.loads
    with engine.shared_store(*variant.tables) as connection:
        tables = {connection.table(table.name).name: table for table in variant.tables}
        repository = variant.open(connection)
        for record in [*load.sample_records()][::10]:
            with suppress(DocumentConflict):  # a change of a document that is not among them
                load.store_in(repository, record)
        for measured in measure(connection, repository, design.patterns):
            name = measured.pattern.sample[tenant]
            part = repository.names.known_code(tenant, name) if hasattr(repository, "names") else name
            assert {getattr(record, tenant) for record in measured.records} <= {name}
            assert measured.refused or measured.cost.reads
            for read in measured.cost.reads:
                (own,) = tables[read.table].plan(**{tenant: part}).ranges
                assert own.start <= read.rows.start < read.rows.stop <= own.stop
