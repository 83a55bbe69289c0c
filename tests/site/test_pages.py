"""Every page of the built site in a browser: how it looks, what it needs, and where its links lead."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tests.designs import NAMES
from tests.programs.site.__main__ import SITE

pytestmark = pytest.mark.site
PAGES = sorted(str(page.relative_to(SITE)) for page in SITE.rglob("*.html"))
WIDTHS = (390, 1024, 1600)
TOO_WIDE = """Math.max(...["html", ".content"] // the theme lets a narrow content scroll
    .map((name) => document.querySelector(name)).map((element) => element.scrollWidth - element.clientWidth))"""
BROKEN = "[...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src)"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_every_screen_and_reader(new_page, site, check_readers, path):
    page = new_page()
    page.goto(site + path)
    assert page.evaluate(BROKEN) == []
    for scheme, checked in (("light", (390, 1600)), ("dark", (1600,))):  # axe finds the same at other widths
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(TOO_WIDE) <= 0, (scheme, width)
            if width in checked:
                check_readers(page)


class _Document(HTMLParser):
    """The ids of a page, and where its links lead."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = {""}, set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        if tag == "a" and "href" in given:
            self.links.add(given["href"])


@cache
def _document(path):
    return _Document(Path(path).read_text(encoding="utf-8"))


def test_every_link_leads_somewhere():
    followed = 0
    for page in map(SITE.joinpath, PAGES):
        for link in _document(page).links:
            if re.match(r"\w+:", link):
                continue
            target, anchor = map(unquote, urldefrag(link))
            file = (page.parent / target).resolve() if target else page
            file = file / "index.html" if file.is_dir() else file
            assert file.is_relative_to(SITE), (page, link)
            assert file.is_file(), (page, link)
            assert file.suffix != ".html" or anchor in _document(file).ids, (page, link)
            followed += 1
    assert followed > len(PAGES)


def _first_found(page, base, words):
    page.goto(f"{base}search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    return page.evaluate("document.querySelector('#search-results li a').href").split("?")[0].split("#")[0]


def test_search_finds_each_design_first(new_page, site):
    page = new_page()
    for design in NAMES:
        assert _first_found(page, site, design) == f"{site}domains/{design}/index.html"


def test_search_needs_no_server(chromium):
    page = chromium.new_page()  # its console has an error for each page that it may not fetch
    assert _first_found(page, f"{SITE.as_uri()}/", NAMES[0]) == f"{SITE.as_uri()}/domains/{NAMES[0]}/index.html"
    page.close()


def test_the_home_page_works_without_scripts(new_page, site):
    page = new_page(java_script_enabled=False)
    page.goto(site)
    for design in NAMES:
        assert page.locator(f'.finder a[href^="domains/{design}/"]').count()
    page.locator("details:has(img) summary").first.click()
    assert page.locator("details[open] img").first.is_visible()
