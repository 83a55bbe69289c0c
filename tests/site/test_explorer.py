"""The key explorer and the editable examples of the built site, in a browser."""

import json
import re
from time import perf_counter
from urllib.parse import quote, urldefrag

import pytest

from tests.designs import NAMES
from tests.domains.test_stories import STORIES
from tests.programs.site.staging import NEED_NUMPY, WITH_EXAMPLES, page_of
from tests.site.test_explorer_answers import check_bytes, keys_with_words

pytestmark = [pytest.mark.site, pytest.mark.usefixtures("samples")]
RECORDS = 200


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
    wait_until_shown(page)


def wait_until_shown(page):
    page.wait_for_selector(".explorer[data-shown], .explorer .x-refused, .explorer .x-start:enabled")
    assert page.get_attribute(".explorer", "data-shown"), page.text_content(".explorer")


def ask(page, call, **given):
    return json.loads(page.evaluate("([call, given]) => rowbookExplorer.send(call, given)", [call, given]))


def loaded(page):
    """The files that a page loaded, and how many bytes of each came over the wire."""
    entries = page.evaluate("performance.getEntriesByType('resource').map((one) => [one.name, one.transferSize])")
    return {name.rpartition("/")[2].partition("?")[0]: size for name, size in entries if "/explorer/" in name}


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
            check_bytes(encoded, name, table, values)
            compared += 1
    assert compared >= RECORDS


@pytest.mark.parametrize("name", NAMES)
def test_the_explorer_of_each_page_fits_every_reader(started, check_readers, name):
    page = started(name)
    page.click("text=As Python")
    page.wait_for_selector(".explorer pre, .explorer details .x-refused")
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        check_readers(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", WITH_EXAMPLES)
def test_every_example_prints_what_its_page_says(new_page, site, path):
    page = new_page()
    page.goto(site + page_of(path).replace(".md", ".html"))
    examples = page.locator(".editable")
    for number in range(examples.count()):
        example = examples.nth(number)
        example.locator("text=Edit and run this example").click()
        example.locator("button:text-is('Run')").click()
        example.locator("[role=status]:text-matches('Same output as on this page|Done')").wait_for()
        is_shown = "Same" in example.locator("[role=status]").text_content()
        assert is_shown or example.locator("+ .highlight-text").count() == 0


def test_every_story_prints_what_it_did(started):
    page = started("orders")
    stories = re.split(r"^== (\w+)\n", STORIES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    told = dict(zip(stories[::2], stories[1::2], strict=True))
    for name in told.keys() - {*NEED_NUMPY}:
        ran = ask(page, "run", code=f"from domains.{name}.example import main\nmain()\n")
        assert (ran["output"].strip(), ran["is_failed"]) == (told[name].strip(), False)


def tab_to(page, text):
    """Presses Tab until what has the focus is called so."""
    for _ in range(200):
        page.keyboard.press("Tab")
        focused = "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)"
        if page.evaluate(focused).strip() == text:
            return
    raise AssertionError(f"no {text} can be reached by Tab")


def change(page, act):
    """Does something that changes the key, and waits until all answers are shown."""
    shown = page.get_attribute(".explorer", "data-shown")
    act()
    page.wait_for_function("(shown) => document.querySelector('.explorer').dataset.shown !== shown", arg=shown)


def test_a_key_is_changed_by_keyboard_alone_and_a_link_carries_it(opened, new_page):
    page = opened("orders")
    tab_to(page, "Start the key explorer")
    page.keyboard.press("Enter")
    wait_until_shown(page)
    tab_to(page, "Move placed_ms left")
    change(page, lambda: page.keyboard.press("Enter"))
    assert page.text_content(".x-part >> nth=0").startswith("placed_ms")
    assert "needs a value for placed_ms" in page.text_content(".explorer")
    assert page.evaluate("document.activeElement.closest('.x-part').textContent").startswith("placed_ms")
    tab_to(page, "Prefix")
    change(page, lambda: page.keyboard.press("S"))  # Salt; a further letter would choose anew
    assert "1 of 8 buckets" in page.text_content(".x-row")
    tab_to(page, "As Python, with names of your own")
    page.keyboard.press("Enter")
    tab_to(page, "Your name for seller_id")
    page.keyboard.type("garage_id")
    page.wait_for_function("document.querySelector('.explorer pre').textContent.includes(\"Salt(of='garage_id'\")")
    tab_to(page, "Question")
    change(page, lambda: page.keyboard.press("m"))
    tab_to(page, "Next page")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.explorer').textContent.includes('Page 2, in key order')")
    assert page.evaluate("document.activeElement.textContent") == "Next page"
    linked = new_page()
    linked.goto(page.url)
    wait_until_shown(linked)
    state = json.loads(linked.get_attribute(".explorer", "data-shown"))
    assert state["changes"] == {
        "order": ["placed_ms", "seller_id", "order_number"],
        "prefix": {"kind": "Salt", "of": "seller_id", "number": 8},
    }
    assert state["names"] == {"seller_id": "garage_id"}


def test_a_row_that_a_delimiter_loses_is_named_and_explained(started):
    page = started("catalog")
    for part in ("shop", "region"):
        change(page, lambda part=part: page.select_option(f"[aria-label='Codec of {part}']", "JoinedText('_')"))
    for shop, region in (("s", "1_n"), ("s_1", "n")):
        page.fill("input[aria-label^='shop:']", shop)
        page.fill("input[aria-label^='region:']", region)
        change(page, lambda: page.click("text=Add this key to the rows"))
    assert "1 row lost: (s_1, n, " in page.text_content(".explorer .x-refused >> nth=0")
    page.click("text=Why, and what to do instead")
    page.wait_for_selector(f"#{urldefrag(page.url)[1]} .editable")


def test_a_program_without_end_is_stopped_and_an_error_is_shown(opened):
    page = opened("links")
    page.click("text=Edit and run this example")
    original = page.input_value(".editable textarea")
    page.fill(".editable textarea", "while True:\n    pass\n")
    page.click("button:text-is('Run')")
    page.click("text=Stop")
    page.wait_for_function("document.querySelector('.editable [role=status]').textContent === 'Stopped'")
    page.fill(".editable textarea", "1 / 0\n")
    page.click("button:text-is('Run')")
    page.wait_for_function("document.querySelector('.x-output').textContent.includes('ZeroDivisionError')")
    page.click(".editable >> text=Reset")
    assert page.input_value(".editable textarea") == original


def run_example(page, code, status):
    page.fill(".editable textarea", code)
    page.click(".editable button:text-is('Run')")
    page.wait_for_selector(f".editable [role=status]:text-is('{status}')")
    return page.text_content(".x-output")


def test_python_starts_again_after_a_program_that_ends_it(opened):
    page = opened("links", may_fail=True)
    page.click("text=Edit and run this example")
    run_example(page, "eval('(' * 5000)", "Failed")
    assert run_example(page, "print(6 * 7)", "Done") == "42\n"
    start(page)
    page.fill(".editable textarea", "while True: pass")
    page.click(".editable button:text-is('Run')")
    page.fill(".x-part input >> nth=0", "o-9")  # asked again when the program is stopped
    page.click(".editable button:text-is('Stop')")
    page.wait_for_function("document.querySelector('.x-part .x-bytes').textContent.startsWith('6f 2d 39')")


def test_a_download_that_fails_can_be_tried_again(opened):
    page = opened("links", may_fail=True)
    page.route("**/python.zip", lambda route: route.fulfill(body="<html>Log in to this network</html>"), times=1)
    page.click("text=Edit and run this example")
    page.click("text=Start the key explorer")
    page.wait_for_selector(".explorer [role=status]:text-matches('python.zip: must have [0-9]+ bytes [(]got 35[)]')")
    page.wait_for_selector(".editable .x-start:enabled")
    start(page)


@pytest.mark.parametrize(
    "state", ["{", '{"table": "no"}', '{"table": "links_of_owner", "changes": {"prefix": "Salt"}}']
)
def test_a_damaged_link_is_said_to_be_one(new_page, site, state):
    page = new_page()
    page.goto(f"{site}domains/links/index.html#explorer={quote(state)}")
    wait_until_shown(page)
    assert page.text_content(".explorer [role=alert]") == "The link is damaged; this is the declared key."


def test_a_browser_without_webassembly_says_so(new_page, site):
    page = new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(f"{site}domains/orders/index.html")
    assert "no WebAssembly" in page.text_content(".explorer")
    assert page.is_disabled("text=Start the key explorer")
