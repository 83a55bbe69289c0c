"""The pytest plugin: stores for tests, in memory or on a real HBase. The wheel holds this file in `rowbook/`.

Each process of pytest loads it in every environment that has rowbook, so it imports the rooms only when a test needs
them. In a wheel `shared` is `rowbook`: `hatch_build.py` renames it in the imports below.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import happybase

    from shared.testing.contracts import OpenSamples
    from shared.testing.engines import Engine


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("rowbook", "stores of rowbook")
    group.addoption(
        "--rowbook-store",
        metavar="URL",
        help="run tests that use rowbook_store, and contracts, on this store, such as hbase://HOST:PORT; "
        "if omitted, in memory",
    )
    group.addoption(
        "--rowbook-golden-keys",
        action="store_true",
        help="write the golden keys and answers of a DesignContract that are not there, and layout.txt anew",
    )


@pytest.fixture(scope="session")
def rowbook_engine(pytestconfig: pytest.Config) -> "Engine":
    """Makes the stores of a run: in memory, or on the store that `--rowbook-store` names."""
    try:
        from shared.testing.engines import Embedded, NamedStore
    except ModuleNotFoundError as error:
        pytest.fail(f"rowbook_engine: needs {error.name}: pip install 'rowbook[testing]'", pytrace=False)
    url = pytestconfig.getoption("rowbook_store")
    return Embedded() if url is None else NamedStore(url)


@pytest.fixture
def rowbook_store(rowbook_engine: "Engine") -> "Iterator[happybase.Connection]":
    """A happybase connection to an empty store of its own; the tables that the test makes there are dropped after it.

    On a real HBase it is a table prefix of its own.
    """
    with rowbook_engine.store() as connection:
        yield connection


@pytest.fixture(scope="session")
def rowbook_samples(rowbook_engine: "Engine") -> "OpenSamples":
    """Opens a store with the samples of a variant of a design, for the contracts."""
    from shared.testing.contracts import open_samples

    return partial(open_samples, rowbook_engine)
