"""An empty store with the table of a variant; what asks for `logs` runs for each of them."""

from contextlib import ExitStack

import pytest

from domains.logs.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def logs(connection, variant):
    return variant.open(connection)


@pytest.fixture
def opened(engine):
    """By the name of a variant, a connection to an empty store with its table, and its repository."""
    by_name = {variant.name: variant for variant in DESIGN.variants}
    with ExitStack() as stores:

        def open_(name):
            connection = stores.enter_context(engine.shared_store(*by_name[name].tables))
            return connection, by_name[name].open(connection)

        yield open_


@pytest.fixture(scope="session")
def samples():
    """The sample events, told apart as `load` does."""
    return list(DESIGN.loads[0].sample_records())
