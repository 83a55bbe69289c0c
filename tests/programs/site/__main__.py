"""Builds the static site in `build/site`, from the same pages as the repository: `make site`.

    python -m tests.programs.site            build it; any warning of Sphinx is an error
    python -m tests.programs.site --smoke    and open a few of its pages in Chromium
    python -m tests.programs.site --check    and make all tests of tests/site that need a browser

Sphinx makes the pages, with MyST for Markdown and Furo as the theme. Of the maintained generators it alone has all that
the site needs without a service: a search that needs no server, relative links, errors for links and anchors that lead
nowhere, and pages that are complete without scripts. Material for MkDocs is no longer developed, Zensical is young, and
Starlight is an application of JavaScript that somebody would have to keep up to date. Sphinx and what it needs are
installed in `build/site-environment`. The explorer, which runs the designs' code in the browser, comes from `explorer/`
and needs npm; checks also need Chromium, or another browser of that kind that CHROMIUM names.
"""

import shutil
import subprocess
import sys
import venv
from argparse import ArgumentParser
from pathlib import Path

from tests.programs.site.explorer.__main__ import build as build_explorer
from tests.programs.site.staging import EXPLORER, ROOM, ROOT, stage
from tests.programs.verify import PARALLEL

BUILD = ROOT / "build"
SITE, SOURCE, ENVIRONMENT = (BUILD / name for name in ("site", "site-source", "site-environment"))
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r")
TESTS = "tests/site"
SMOKE = (
    *(
        f"{TESTS}/test_pages.py::test_a_page_fits_every_screen_and_reader[{page}]"
        for page in ("index.html", "domains/orders/index.html", "domains/orders/keys.py.html", "domains/GLOSSARY.html")
    ),
    f"{TESTS}/test_pages.py::test_every_link_leads_somewhere",
    f"{TESTS}/test_pages.py::test_the_home_page_works_without_scripts",
    f"{TESTS}/test_explorer.py::test_a_key_is_changed_by_keyboard_alone_and_a_link_carries_it",
)
"""The short check: the home page, a design, code, and a page without pictures; all links; the explorer."""


def make_environment() -> None:
    """Installs Sphinx and what it needs, unless that is done."""
    noted = ENVIRONMENT / "installed.txt"
    wanted = (ROOM / "requirements.txt").read_text(encoding="utf-8")
    if noted.exists() and noted.read_text(encoding="utf-8") == wanted:
        return
    print("Installing into build/site-environment what the site needs: requirements.txt", flush=True)
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    _run(ENVIRONMENT / "bin" / "python", *PIP, ROOM / "requirements.txt")
    noted.write_text(wanted, encoding="utf-8")


def _run(*command: str | Path) -> None:
    if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(code)


def build() -> None:
    """Builds all pages of the site, because Sphinx would not say again what is wrong in one that it has read before."""
    for folder in (SOURCE, SITE, EXPLORER):
        shutil.rmtree(folder, ignore_errors=True)
    build_explorer(EXPLORER)
    stage(SOURCE)
    strict = ("-W", "--keep-going", "--quiet", "--jobs", "auto", "--fresh-env", "--doctree-dir", SOURCE / ".doctrees")
    _run(ENVIRONMENT / "bin" / "sphinx-build", *strict, SOURCE, SITE)


def main() -> None:
    """Builds the site, and checks it if asked to."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    checks = parser.add_mutually_exclusive_group()
    checks.add_argument("--smoke", action="store_true", help="check a few pages in a browser")
    checks.add_argument("--check", action="store_true", help="check all pages in a browser")
    options = parser.parse_args()
    make_environment()
    build()
    if options.smoke or options.check:
        tests = SMOKE if options.smoke else (TESTS,)
        _run(sys.executable, *PARALLEL, "-m", "site", *tests)


if __name__ == "__main__":
    main()
