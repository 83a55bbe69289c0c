"""The key explorer and the editable examples of the built site, in a browser."""

import json
import re
from time import perf_counter

import pytest

from tests.designs import NAMES
from tests.domains.test_stories import STORIES
from tests.readmes import ROOT
from tests.site.test_explorer_answers import explained, keys_with_words

pytestmark = [pytest.mark.site, pytest.mark.usefixtures("samples")]
WITHOUT_NUMPY = [name for name in NAMES if name != "tsdb"]
RECORDS = 200


def first_example(name):
    """The first Python block of a design's page, and the output after it."""
    text = (ROOT / "domains" / name / "README.md").read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.DOTALL).groups()
    return code, output


@pytest.fixture
def opened(new_page, site):
    """Opens the page of a design."""

    def open_page(name, **options):
        page = new_page(viewport={"width": 1280, "height": 900}, **options)
        page.goto(f"{site}domains/{name}/index.html")
        return page

    return open_page


@pytest.fixture
def started(opened):
    """Opens the page of a design and starts its explorer."""

    def open_and_start(name, **options):
        page = opened(name, **options)
        start(page)
        return page

    return open_and_start


def start(page):
    page.click("text=Start the key explorer")
    page.wait_for_selector(".explorer[data-shown], .explorer .x-refused, .explorer .x-start:enabled")
    assert page.get_attribute(".explorer", "data-shown"), page.text_content(".explorer")


def ask(page, call, **given):
    return json.loads(page.evaluate("([call, given]) => rowbookExplorer.send(call, given)", [call, given]))


def loaded(page):
    """The files that a page loaded, and how many bytes of each came over the wire."""
    entries = page.evaluate("performance.getEntriesByType('resource').map((one) => [one.name, one.transferSize])")
    return {name.rpartition("/")[2]: size for name, size in entries if "/explorer/" in name}


def test_nothing_is_loaded_before_start_and_then_only_once(opened, capsys):
    page = opened("orders")
    assert sorted(loaded(page)) == ["explorer.css", "explorer.js"]
    began = perf_counter()
    start(page)
    took_s = perf_counter() - began
    info, size = page.evaluate("[rowbookExplorer.python.info, rowbookExplorer.python.bytes]")
    pyodide_s = info["pyodideMs"] / 1000
    with capsys.disabled():
        print(f"\nfrom Start to the first bytes: {took_s / pyodide_s:.2f} of Pyodide's own start ({pyodide_s:.1f} s)")
        print(f"memory: {size / info['pyodideBytes']:.2f} of Pyodide's own ({info['pyodideBytes'] / 1e6:.0f} MB)")
    page.reload()
    start(page)
    assert not [name for name, size in loaded(page).items() if name.endswith(("wasm", ".zip")) and size]


def test_bytes_are_those_of_rowbook_explain(started):
    page = started("orders")
    each = -(-RECORDS // len(NAMES))
    compared = 0
    for name in NAMES:
        for table, values in keys_with_words(name, each, seed=1):
            encoded = ask(page, "encode", design=name, table=table, changes={}, values=values)
            wanted = explained(name, table, values)
            assert {part: encoded[part] for part in ("row", "row_bytes", "parts")} == {
                part: wanted[part] for part in ("row", "row_bytes", "parts")
            }
            compared += 1
    assert compared >= RECORDS


@pytest.mark.parametrize("name", NAMES)
def test_the_explorer_of_each_page_fits_every_reader(started, check_readers, name):
    page = started(name)
    page.click("text=As Python")
    page.wait_for_selector(".explorer pre")
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        check_readers(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_example_of_each_page_prints_what_the_page_says(opened):
    page = opened("orders")
    page.click("text=Edit and run this example")
    page.click("button:text-is('Run')")
    page.wait_for_function("document.querySelector('.editable [role=status]').textContent.startsWith('This is what')")
    assert page.text_content(".x-output").strip() == first_example("orders")[1].strip()
    for name in WITHOUT_NUMPY:
        code, output = first_example(name)
        assert ask(page, "run", code=code) == {"output": output, "is_failed": False}


def test_every_story_prints_what_it_did(started):
    page = started("orders")
    stories = re.split(r"^== (\w+)\n", STORIES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    told = dict(zip(stories[::2], stories[1::2], strict=True))
    assert told.keys() - {*WITHOUT_NUMPY} == {"tsdb"}
    for name in told.keys() & {*WITHOUT_NUMPY}:
        ran = ask(page, "run", code=f"from domains.{name}.example import main\nmain()\n")
        assert (ran["output"].strip(), ran["is_failed"]) == (told[name].strip(), False)


def test_a_key_is_changed_by_keyboard_alone_and_a_link_carries_it(started, new_page):
    page = started("orders")
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
    linked = new_page()
    linked.goto(link)
    start(linked)
    assert linked.text_content(".x-part >> nth=0").startswith("placed_ms")
    state = json.loads(linked.evaluate("document.querySelector('.explorer').dataset.shown"))
    assert state["changes"] == {"order": ["placed_ms", "seller_id", "order_number"]}


def test_a_program_without_end_is_stopped_and_an_error_is_shown(opened):
    page = opened("links")
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


def test_a_browser_without_webassembly_says_so(new_page, site):
    page = new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(f"{site}domains/orders/index.html")
    assert "no WebAssembly" in page.text_content(".explorer")
    assert page.is_disabled("text=Start the key explorer")
