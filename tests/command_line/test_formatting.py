"""The code of a new package is laid out as its formatter would: what is too long for a line has an element in each."""

import libcst
import pytest

from domains.command_line.new_package.formatting import laid_out

LONG = "x" * 60


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (f"({LONG}, {LONG})", ["(", f"    {LONG},", f"    {LONG},", ")"]),
        (f"[{LONG}, *{LONG}]", ["[", f"    {LONG},", f"    *{LONG},", "]"]),
        (f"f({LONG}, *{LONG}, name={LONG})", ["f(", f"    {LONG},", f"    *{LONG},", f"    name={LONG},", ")"]),
        (f"{{'a': {LONG}, **{LONG}}}", ["{", f"    'a': {LONG},", f"    **{LONG},", "}"]),
        (f"f({LONG} for {LONG} in a)", [f"f({LONG} for {LONG} in a)"]),
        ("(a, b)", ["(a, b)"]),
    ],
    ids=["tuple", "list", "call", "dict", "generator", "short"],
)
def test_an_expression_is_laid_out(code, lines):
    assert laid_out(libcst.parse_expression(code)).splitlines() == lines
