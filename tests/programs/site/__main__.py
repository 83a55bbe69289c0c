"""Builds the static site in `build/site`, from the same pages as the repository: `make site`.

    python -m tests.programs.site            build it; any warning of Sphinx is an error
    python -m tests.programs.site --smoke    and open a few of its pages in Chromium
    python -m tests.programs.site --check    and open all of them

Sphinx makes the pages, with MyST for Markdown and Furo as the theme. Of the maintained generators it alone has all that
the site needs without a service: a search that needs no server, relative links, errors for links and anchors that lead
nowhere, and pages that are complete without scripts. Material for MkDocs is no longer developed, Zensical is young, and
Starlight is an application of JavaScript that somebody would have to keep up to date. Sphinx and what it needs are
installed in `build/site-environment`. The explorer, which runs the designs' code in the browser, comes from `explorer/`
and needs npm; checks also need node and Chromium, or another browser of that kind that CHROMIUM names.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from argparse import ArgumentParser
from pathlib import Path

from tests.designs import NAMES
from tests.programs.site.explorer.__main__ import build as build_explorer
from tests.programs.site.staging import EXPLORER, ROOM, ROOT, stage

BUILD = ROOT / "build"
SITE, SOURCE, ENVIRONMENT = (BUILD / name for name in ("site", "site-source", "site-environment"))
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r")
SMOKE = ("", "domains/orders/", "domains/links/", "domains/orders/keys.py.html", "domains/GLOSSARY.html")
"""The pages of the short check: the home page, two designs, code, and a page without pictures."""


def make_environment(for_checks: bool) -> None:
    """Installs what the site needs, and what its checks need, unless that is done."""
    python = ENVIRONMENT / "bin" / "python"
    if _is_new("requirements.txt"):
        print("Installing into build/site-environment what the site needs: requirements.txt", flush=True)
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        _run(python, *PIP, ROOM / "requirements.txt")
        _note("requirements.txt")
    if for_checks and _is_new("package-lock.json"):
        for name in ("package.json", "package-lock.json"):
            shutil.copy(ROOM / name, ENVIRONMENT)
        _run("npm", "ci", "--silent", "--no-audit", "--no-fund", cwd=ENVIRONMENT)
        _note("package-lock.json")


def _is_new(name: str) -> bool:
    noted = ENVIRONMENT / f"{name}.installed"
    return not noted.exists() or noted.read_text() != _digest(name)


def _note(name: str) -> None:
    (ENVIRONMENT / f"{name}.installed").write_text(_digest(name))


def _digest(name: str) -> str:
    return hashlib.sha256((ROOM / name).read_bytes()).hexdigest()


def _run(*command: str | Path, cwd: Path = ROOT) -> None:
    if code := subprocess.run(command, cwd=cwd, check=False).returncode:
        sys.exit(code)


def build() -> None:
    """Builds all pages of the site, because Sphinx would not say again what is wrong in one that it has read before."""
    for folder in (SOURCE, SITE, EXPLORER):
        shutil.rmtree(folder, ignore_errors=True)
    build_explorer(EXPLORER)
    stage(SOURCE)
    strict = ("-W", "--keep-going", "--quiet", "--jobs", "auto", "--fresh-env", "--doctree-dir", SOURCE / ".doctrees")
    _run(ENVIRONMENT / "bin" / "sphinx-build", *strict, SOURCE, SITE)


def check(pages: list[str]) -> None:
    """Opens pages in a browser, from a folder that is served below `/site/`."""
    asked = {"pages": pages, "designs": NAMES}
    asked["browser"] = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    shutil.copy(ROOM / "check_pages.mjs", ENVIRONMENT)  # beside the packages that it imports
    serve = (sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", BUILD)
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            port = re.findall(r"port (\d+)", server.stdout.readline())[0]
            asked["url"] = f"http://127.0.0.1:{port}/{SITE.name}/"
            _run("node", "check_pages.mjs", json.dumps(asked), cwd=ENVIRONMENT)
        finally:
            server.terminate()


def main() -> None:
    """Builds the site, and checks it if asked to."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    checks = parser.add_mutually_exclusive_group()
    checks.add_argument("--smoke", action="store_true", help="check a few pages in a browser")
    checks.add_argument("--check", action="store_true", help="check all pages in a browser")
    options = parser.parse_args()
    make_environment(options.smoke or options.check)
    build()
    if options.smoke:
        check([*SMOKE])
    elif options.check:
        check(sorted(page.relative_to(SITE).as_posix() for page in SITE.rglob("*.html")))


if __name__ == "__main__":
    main()
