"""The releases, made once for all tests of a process, and stores on which several of them work."""

from contextlib import ExitStack

import pytest

from tests.releases.releases import acting, later_release, present_release


@pytest.fixture(scope="session")
def present(tmp_path_factory):
    return present_release(tmp_path_factory.mktemp("present"))


@pytest.fixture(scope="session")
def later(tmp_path_factory):
    return later_release(tmp_path_factory.mktemp("later"))


@pytest.fixture
def url(engine, tmp_path):
    """The URL of an empty store that several processes can open."""
    with engine.url(str(tmp_path / "store.db")) as url:
        yield url


@pytest.fixture
def start(url):
    """Starts processes with a release on this store; they are killed when the test ends."""
    with ExitStack() as started:
        yield lambda release: started.enter_context(acting(release, url))
