"""The key explorer in a real browser: Debian's Chromium, driven by playwright (`pip install playwright`)."""

import json
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import perf_counter

import pytest

from tests.designs import NAMES
from tests.domains.test_stories import STORIES
from tests.programs.site.explorer.__main__ import build
from tests.programs.site.explorer.test_answers import _samples, explained, keys_with_words  # noqa: F401
from tests.readmes import ROOT

pytestmark = pytest.mark.long
CHROMIUM = shutil.which("chromium")
WITHOUT_NUMPY = [name for name in NAMES if name != "tsdb"]
RECORDS = 200
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><title>{name}</title>
<style>
:root {{ color-scheme: light dark }} body {{ font: 1rem sans-serif; margin: 1rem; background: Canvas }}
pre {{ overflow-x: auto }}
</style>
</head><body>
<h1>{name}</h1><div class="explorer" data-design="{name}"></div>
<div class="editable" data-design="{name}"><pre>{code}</pre></div><pre class="says">{output}</pre>
<script src="_static/explorer/explorer.js"></script></body></html>
"""


def first_example(name):
    """The first Python block of a design's page, and the output after it."""
    text = (ROOT / "domains" / name / "README.md").read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.DOTALL).groups()
    return code, output


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments):
        """Logs nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a folder with a page for each design, as `python -m http.server` serves it."""
    folder = tmp_path_factory.mktemp("site")
    build(folder / "_static" / "explorer")
    for name in NAMES:
        code, output = (text.replace("&", "&amp;").replace("<", "&lt;") for text in first_example(name))
        (folder / f"{name}.html").write_text(PAGE.format(name=name, code=code, output=output), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    """Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("needs chromium on the PATH")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def context(browser):
    """A profile, whose cache all pages share."""
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    made.set_default_timeout(240_000)
    yield made
    made.close()


@pytest.fixture
def opened(context, site):
    """Opens a page of the site; fails if it asks another host for anything, or has errors."""
    pages, asked, errors = [], [], []

    def open_page(path, starts=True):
        page = context.new_page()
        pages.append(page)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(f"{site}/{path}")
        if starts:
            page.click("text=Start the key explorer")
            page.wait_for_selector(".explorer[data-shown], .explorer .x-refused, .explorer .x-start:enabled")
            assert page.get_attribute(".explorer", "data-shown"), page.text_content(".explorer")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []
    assert errors == []


def ask(page, call, **given):
    return json.loads(page.evaluate("([call, given]) => rowbookExplorer.send(call, given)", [call, given]))


def test_nothing_is_loaded_before_start_and_then_only_what_is_counted(context, site, opened, capsys):
    page = opened("orders.html", starts=False)
    names = "performance.getEntriesByType('resource').map((entry) => entry.name.split('/').pop())"
    assert sorted(page.evaluate(names)) == ["explorer.css", "explorer.js"]
    began = perf_counter()
    page.click("text=Start the key explorer")
    page.wait_for_selector(".explorer[data-shown]")
    took_s = perf_counter() - began
    info, size = page.evaluate("[rowbookExplorer.python.info, rowbookExplorer.python.bytes]")
    pyodide_s = info["pyodideMs"] / 1000
    with capsys.disabled():
        print(f"\nfrom Start to the first bytes: {took_s / pyodide_s:.2f} of Pyodide's own start ({pyodide_s:.1f} s)")
        print(f"memory: {size / info['pyodideBytes']:.2f} of Pyodide's own ({info['pyodideBytes'] / 1e6:.0f} MB)")
    again = opened("orders.html")
    loaded = again.evaluate(names.replace("entry.name.split('/').pop()", "[entry.name, entry.transferSize]"))
    assert not [name for name, size in loaded if name.endswith(("wasm", ".zip")) and size]


def test_bytes_are_those_of_rowbook_explain(opened):
    page = opened("orders.html")
    each = -(-RECORDS // len(WITHOUT_NUMPY))
    compared = 0
    for name in WITHOUT_NUMPY:
        for table, values in keys_with_words(name, each, seed=1):
            encoded = ask(page, "encode", design=name, table=table, changes={}, values=values)
            wanted = explained(name, table, values)
            assert {part: encoded[part] for part in ("row", "row_bytes", "parts")} == {
                part: wanted[part] for part in ("row", "row_bytes", "parts")
            }
            compared += 1
    assert compared >= RECORDS
    assert ask(page, "describe", design="tsdb") == {"refused": "tsdb: needs numpy, which is not part of this page"}


def test_the_example_of_each_page_prints_what_the_page_says(opened):
    page = opened("orders.html", starts=False)
    page.click("text=Edit and run this example")
    page.click("button:text-is('Run')")
    page.wait_for_function("document.querySelector('.editable [role=status]').textContent.startsWith('This is what')")
    assert page.text_content(".x-output").strip() == first_example("orders")[1].strip()
    for name in WITHOUT_NUMPY:
        code, output = first_example(name)
        assert ask(page, "run", code=code) == {"output": output, "is_failed": False}


def test_every_story_prints_what_it_did(opened):
    page = opened("orders.html")
    stories = re.split(r"^== (\w+)\n", STORIES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    told = dict(zip(stories[::2], stories[1::2], strict=True))
    assert told.keys() - {*WITHOUT_NUMPY} == {"tsdb"}
    for name in told.keys() & {*WITHOUT_NUMPY}:
        ran = ask(page, "run", code=f"from domains.{name}.example import main\nmain()\n")
        assert (ran["output"].strip(), ran["is_failed"]) == (told[name].strip(), False)


def test_a_key_is_changed_by_keyboard_alone_and_a_link_carries_it(opened):
    page = opened("orders.html")
    page.focus(".explorer select")
    page.keyboard.press("Tab")
    for _ in range(40):
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        if label == "Move placed_ms left":
            break
        page.keyboard.press("Tab")
    shown = page.evaluate("document.querySelector('.explorer').dataset.shown")
    page.keyboard.press("Enter")
    page.wait_for_function("(shown) => document.querySelector('.explorer').dataset.shown !== shown", arg=shown)
    assert page.text_content(".x-part >> nth=0").startswith("placed_ms")
    assert "needs a value for placed_ms" in page.text_content(".x-refused")
    assert page.evaluate("document.activeElement.closest('.x-part').textContent").startswith("placed_ms")
    link = page.url
    page.select_option("[aria-label='Prefix']", "Salt")
    page.wait_for_function("document.querySelector('.x-row').textContent.includes('1 of 8 buckets')")
    page.click("text=As Python")
    assert "Salt(of='seller_id', buckets=8)" in page.text_content(".explorer pre")
    page.click("text=Reset")
    page.wait_for_selector(".x-refused", state="detached")
    linked = opened(link.rpartition("/")[2])
    assert linked.text_content(".x-part >> nth=0").startswith("placed_ms")
    state = json.loads(linked.evaluate("document.querySelector('.explorer').dataset.shown"))
    assert state["changes"] == {"order": ["placed_ms", "seller_id", "order_number"]}


def test_a_program_without_end_is_stopped_and_an_error_is_shown(opened):
    page = opened("links.html", starts=False)
    page.click("text=Edit and run this example")
    page.fill(".editable textarea", "while True:\n    pass\n")
    page.click("button:text-is('Run')")
    page.click("text=Stop")
    page.wait_for_function("document.querySelector('.editable [role=status]').textContent === 'Stopped'")
    page.fill(".editable textarea", "1 / 0\n")
    page.click("button:text-is('Run')")
    page.wait_for_function("document.querySelector('.x-output').textContent.includes('ZeroDivisionError')")
    page.click(".editable >> text=Reset")
    assert page.input_value(".editable textarea") == first_example("links")[0]


def test_a_browser_without_webassembly_says_so(context, site):
    page = context.new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(f"{site}/orders.html")
    assert "no WebAssembly" in page.text_content(".explorer")
    assert page.is_disabled("text=Start the key explorer")
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways(opened, width, scheme, request):
    page = opened("orders.html")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.click("[aria-label='Move placed_ms left']")
    page.select_option("[aria-label='Prefix']", "Salt")
    page.wait_for_function("document.querySelector('.x-row').textContent.includes('1 of 8 buckets')")
    page.wait_for_function("document.querySelector('.x-heat')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if folder := request.config.getoption("--basetemp"):
        page.screenshot(path=Path(folder) / f"explorer-{width}-{scheme}.png", full_page=True)
