"""An empty store with the table of a variant; what asks for `points` runs for each of them."""

import pytest

from domains.monitoring.design import DESIGN
from domains.monitoring.loads import POINTS


@pytest.fixture(params=DESIGN.variants, ids=lambda variant: variant.name)
def variant(request):
    return request.param


@pytest.fixture
def points(connection, variant):
    return variant.open(connection)


@pytest.fixture(scope="session")
def samples():
    return list(POINTS.sample_records())
