"""The sample events."""

import pytest

from domains.logs.design import DESIGN


@pytest.fixture(scope="session")
def samples():
    """The sample events, told apart as `load` does."""
    return list(DESIGN.loads[0].sample_records())
