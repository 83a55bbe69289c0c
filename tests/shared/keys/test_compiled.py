"""The docstring of `compiled.py` shows a function as it is generated, for the key class that `layout.py` shows."""

import inspect
import re
from textwrap import dedent

import shared.keys
from shared.keys import KeyLayout, compiled, layout


def indented_block(module_docstring: str, first_line: str) -> str:
    """The block of a docstring, indented by four spaces, that starts with a line."""
    match = re.search(rf"^    {re.escape(first_line)}\n(?:(?:    .*)?\n)*", module_docstring, re.MULTILINE)
    assert match is not None
    return dedent(match[0]).rstrip() + "\n"


def test_the_docstring_shows_encode_as_it_is_generated():
    scope = {name: getattr(shared.keys, name) for name in shared.keys.__all__}
    exec(indented_block(layout.__doc__ or "", "@row_key"), scope)
    shown = indented_block(compiled.__doc__ or "", "def encode(key):")
    assert shown == inspect.getsource(KeyLayout(scope["OrderBySeller"]).encode)
