"""Sphinx's settings; the builder copies this file beside the pages."""

import re
from pathlib import Path

from pygments.lexers import TextLexer

project = "rowbook"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub makes them
smartquotes = False  # texts, and what they quote, as they are
html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_search_scorer = str(Path(__file__).with_name("search_order.js"))
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"footer_icons": []}
_EXPLORER = "explorer/explorer.js"


def page_context(app, page, template, context, doctree):
    """Gives headings in the navigation a level, lets the keyboard scroll tables and code, and loads the explorer."""
    captions = context["furo_navigation_tree"]
    context["furo_navigation_tree"] = captions.replace('role="heading"', 'role="heading" aria-level="2"')
    body = context.get("body", "")
    context["body"] = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
    if re.search(r'<div class="(explorer|editable)"', body) and (Path(app.srcdir) / "_static" / _EXPLORER).exists():
        app.add_js_file(_EXPLORER, loading_method="defer")


def setup(app):
    """Called by Sphinx."""
    app.add_lexer("csv", TextLexer)
    app.connect("html-page-context", page_context, priority=900)  # after the theme
