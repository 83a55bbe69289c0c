"""Stores for the tests of designs: an empty one for a variant, and one with the samples of every variant."""

import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from shared.designs import load_samples
from shared.stores import connect
from shared.tables import create_tables
from shared.tables.recorded_layouts import check_layouts
from shared.testing.contracts import open_samples
from shared.testing.erased_person import MovedTime
from tests.designs import all_designs
from tests.domains.variants import in_each_run
from tests.engines import EMBEDDED
from tests.few_designs import FEW
from tests.programs.hbase.named import locked, shared_store_url

COSTLY = {
    "test_all_variants_that_answer_give_the_same_records_in_one_order_unless_exempt",
    "test_variants_give_one_order_among_records_of_one_time_too_and_no_exemption_or_warning_is_needless",
    "test_the_samples_are_answered_as_a_plain_list_does",
}
HERE = Path(__file__).parent
VARIANTS = {design.name: design.variants for design in all_designs()}
IN_EACH_RUN = {design.name: in_each_run(design) for design in all_designs()}


def pytest_generate_tests(metafunc):
    """Runs a test of one design that needs `variant` for all variants, or for `VARIANTS` of its module.

    A test that is parametrized by `variant` itself is left alone.
    """
    of_design = VARIANTS.get(metafunc.definition.path.parent.name, ())
    variants = getattr(metafunc.module, "VARIANTS", of_design)
    is_chosen = any("variant" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if of_design and "variant" in metafunc.fixturenames and not is_chosen:
        metafunc.parametrize("variant", variants, ids=lambda variant: variant.name)


def pytest_collection_modifyitems(items):
    """Leaves to `make test-long` what a contract tests of a third variant of a design, and of each further one.

    What is `COSTLY` is left to it with all variants, but for a few designs.
    """
    for item in items:
        if item.path.parent == HERE and item.cls is not None:
            design = item.cls.__name__.removeprefix("Test").removesuffix("All").lower()
            variant = item.callspec.params.get("variant") if hasattr(item, "callspec") else None
            is_costly = item.originalname in COSTLY and design not in FEW
            if is_costly or variant not in (None, *IN_EACH_RUN[design]):
                item.add_marker("further")


@pytest.fixture
def connection(engine, variant):
    """An empty store with the tables of the `variant`."""
    with engine.shared_store(*variant.tables) as connection:
        yield connection


@pytest.fixture
def repository(connection, variant):
    """The repository of the `variant` in this store."""
    return variant.open(connection)


orders = messages = feeds = logs = points = repository
"""The same, as the tests of these designs name it."""


@pytest.fixture
def passes(monkeypatch, engine):
    """Lets so many milliseconds pass, for all writers and for the store."""
    if engine.name != EMBEDDED:
        pytest.skip("the time of a real server cannot be moved")
    moved_time = MovedTime()
    monkeypatch.setattr(time, "time_ns", moved_time.time_ns)
    return moved_time


@pytest.fixture
def at_once(monkeypatch):
    """What is deleted is old enough to be forgotten, also on a real server."""
    for module in ("without_intents", "erasing"):
        monkeypatch.setattr(f"shared.intents.{module}.FORGET_MS", -1_000_000)


def shared_samples(design, variant):
    """The URL of a store on HBase with the samples of the variant, which the first test to need them has stored."""
    url = shared_store_url()
    with locked(design.name), locked(f"{design.name}:{variant.name}") as stored:
        if not stored.exists():
            with closing(connect(url)) as connection:
                with locked("tables"):  # so that two processes do not make the same table
                    create_tables(connection, variant.tables)
                load_samples(connection, design, variant)
            stored.touch()
    return url


def is_stored_once(design, variant):
    """Whether its samples must not be loaded twice, which happens to tables that variants share in one store."""
    return any(exemption.fact == "loading" for exemption in (*design.exemptions, *variant.exemptions))


def has_the_tables_of(variant, others):
    """Whether all tables of another variant are also its own: samples that are stored there fill no list that moves."""
    own = {table.name for table in variant.tables}
    return any({table.name for table in other.tables} <= own for other in others)


@pytest.fixture(scope="session")
def rowbook_engine(engine):
    """Contracts make their stores on each engine too."""
    return engine


@pytest.fixture(scope="session")
def rowbook_samples(engine):
    """Opens a store with the samples of a variant: on HBase, where they take seconds, one for all tests if it can.

    A test may store samples there again.
    """

    @contextmanager
    def opened(design, variant):
        earlier = design.variants[: design.variants.index(variant)]
        if engine.name == EMBEDDED or is_stored_once(design, variant) or has_the_tables_of(variant, earlier):
            with open_samples(engine, design, variant) as connection:
                yield connection
        else:
            with closing(connect(shared_samples(design, variant))) as connection:
                check_layouts(connection, variant.tables)  # as `create_tables` does: tests count the other calls
                yield connection

    return opened
