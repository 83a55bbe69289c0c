"""happybase's own tests, run against the served store: downloaded, with a repaired harness, and not kept."""

import hashlib
import os
import subprocess
import sys
import tarfile
from contextlib import closing
from importlib.metadata import version

import pytest

from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server.thrift_server import ThriftServer
from tests.locks import one_process_at_a_time

RELEASE = "1.3.0"
SHA256 = "43b6275d2865fc1364680a03f085491cd85d8b84db3c5aa94d25186685dfd87e"
TESTS = 27

# The port stays text, and `assert_raises` was of a library that is gone.
REPAIRS = {
    "HAPPYBASE_PORT = os.environ.get('HAPPYBASE_PORT')": "HAPPYBASE_PORT = int(os.environ['HAPPYBASE_PORT'])",
    "import six\n": "import six\nfrom pytest import raises as assert_raises\n",
}


@pytest.fixture(scope="module")
def harness(request, tmp_path_factory):
    """The tests, repaired, in a folder of their own; the download is kept in pytest's cache."""
    if version("happybase") != RELEASE:
        pytest.skip(f"the tests fetched are those of happybase {RELEASE}, installed is {version('happybase')}")
    archive = request.config.cache.mkdir("happybase") / f"happybase-{RELEASE}.tar.gz"
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--retries", "0", "--no-deps")
    command = (*pip, "--no-binary", "happybase", "--dest", archive.parent, f"happybase=={RELEASE}")
    with one_process_at_a_time():
        if not archive.exists():
            fetched = subprocess.run(command, capture_output=True, text=True, check=False)
            if fetched.returncode:
                pytest.skip(f"happybase's source cannot be fetched: {(fetched.stderr.splitlines() or ['?'])[-1]}")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        archive.unlink()
        pytest.fail(f"{archive.name}: is not the release whose tests are known")
    folder = tmp_path_factory.mktemp("happybase")
    with tarfile.open(archive) as source:
        for name in ("test_api.py", "test_util.py"):
            text = source.extractfile(f"happybase-{RELEASE}/tests/{name}").read().decode()
            for broken, repaired in REPAIRS.items():
                assert name == "test_util.py" or text.count(broken) == 1
                text = text.replace(broken, repaired)
            (folder / name).write_text(text)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("transport", ["buffered", "framed"])
def test_happybases_own_tests_pass(harness, transport):
    with closing(EmbeddedConnection(None)) as store, ThriftServer(store.service, transport=transport) as server:
        place = {"HAPPYBASE_HOST": server.host, "HAPPYBASE_PORT": str(server.port)}
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull),
                *("-W", "error::pytest.PytestUnhandledThreadExceptionWarning", "--rootdir", harness, harness),
            ],
            cwd=harness,
            env={**os.environ, **place, "HAPPYBASE_TRANSPORT": transport},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert f"{TESTS} passed" in done.stdout.splitlines()[-1], done.stdout
