"""The releases, made once for all tests of a process, and stores on which several of them work."""

from contextlib import ExitStack
from functools import cache

import pytest

from shared.testing.engines import EMBEDDED
from tests.releases.releases import EARLIER, LATER, acting, changed_release, earlier_release
from tests.shared.stores.hbase.thrift2_gateway import both_gateways


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Makes the release of this tree with some edits, and maybe with a module beside it; each is made once."""

    @cache
    def release(edits=(), module=""):
        return changed_release(tmp_path_factory.mktemp("release"), edits, module)

    return release


@pytest.fixture(scope="session")
def before(tmp_path_factory):
    """The release of an earlier commit."""
    release = earlier_release(tmp_path_factory.mktemp("release"))
    return release or pytest.skip(f"the history of this checkout does not have the commit {EARLIER}")


@pytest.fixture(scope="session")
def later(made):
    return made(LATER, "later")


@pytest.fixture
def url(engine):
    """The URL of an empty store. The embedded one is served, because an earlier release cannot open its file."""
    if engine.name == EMBEDDED:
        with both_gateways() as (connection, _store):
            yield f"hbase://127.0.0.1:{connection.port}?thrift2_port={connection.thrift2_port}"
    else:
        with engine.url() as url:
            yield url


@pytest.fixture
def start(url):
    """Starts processes with a release on this store; they are killed when the test ends."""
    with ExitStack() as started:
        yield lambda release: started.enter_context(acting(release, url))
