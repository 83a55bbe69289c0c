"""The built site in Chromium, which only `make verify PARTS=site` builds, and the samples of the explorer."""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.designs import design_named
from tests.programs.site.__main__ import BUILD, SITE
from tests.programs.site.explorer import open_designs
from tests.programs.site.explorer.samples import sample_rows
from tests.programs.site.npm import file_of, npm_package

AXE = (
    "axe-core@4.14.1",
    "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
"""The script that finds what some readers cannot use."""
SERIOUS = """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.length}, such as ${nodes[0].html.slice(0, 150)}`))"""


class _Server(ThreadingHTTPServer):
    """The server of `python -m http.server`, with room for more connections at once than five."""

    request_queue_size = 64


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments):
        """Logs nothing."""


@pytest.fixture(scope="session")
def site():
    """The address of the site, served from a folder that is not the root."""
    with _Server(("127.0.0.1", 0), partial(_Quiet, directory=BUILD)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{SITE.name}/"
        server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    """Debian's Chromium, or another browser of that kind that CHROMIUM names."""
    from playwright.sync_api import sync_playwright  # tests without a browser do without it

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "needs chromium on the PATH, or the path of such a browser in CHROMIUM"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium, site):
    """Makes pages; a test fails if one has errors, or asks for what is not there or is of another host."""
    contexts, problems = [], []

    def note(page, words):
        problems.append(f"{page.url}: {words}")

    def make(may_fail=False, **options):
        contexts.append(chromium.new_context(bypass_csp=True, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(240_000)
        if not may_fail:
            page.on("console", lambda said: note(page, said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: note(page, error))
        page.on("response", lambda response: note(page, f"no {response.url}") if response.status >= 400 else None)
        own = (site, "data:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(own) else note(page, f"asks {request.url}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def check_readers():
    """Fails if a page has something that axe-core calls serious."""
    with npm_package(*AXE) as package:
        script = file_of(package, "axe.min.js").decode()

    def check(page):
        page.evaluate(script)
        assert page.evaluate(SERIOUS) == []

    return check


@pytest.fixture(scope="module")
def samples():
    """The samples that the explorer reads, each made when it is first read."""
    open_designs.open_design.cache_clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(open_designs, "read_rows", lambda name: sample_rows(design_named(name)))
        yield
    open_designs.open_design.cache_clear()
