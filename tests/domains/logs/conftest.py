"""An empty store with the table of a variant; what asks for `logs` runs for each of them."""

import pytest

from domains.logs.design import DESIGN


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def logs(connection, variant):
    return variant.open(connection)


@pytest.fixture(scope="session")
def samples():
    """The sample events, told apart as `load` does."""
    return list(DESIGN.loads[0].sample_records())
