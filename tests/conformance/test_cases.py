"""Mistakes in a file of cases are refused with the file, the case and the field."""

from pathlib import Path

import pytest

from tests.conformance.cases import InvalidCase, read_cases

CASE = '["1.4"."one"]\n'
READ = 'steps = [{ getRow = "r", gives = [] }]\n'
READ_ON = READ.replace("steps", "on.x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[case", r"a.toml: "),
        ("[table.x]\nfamily = {}\n", r"a.toml: table x: no such field: family"),
        (f"{CASE}step = []\n", r"a.toml: 'one': no such field: step"),
        (CASE, r"a.toml: 'one': wants steps, or the steps on one table"),
        (f"{CASE}steps = []", r"a.toml: 'one': wants steps, or the steps on one table"),
        (f"{CASE}on = {{ x = [1], y = [1] }}", r"a.toml: 'one': wants steps, or the steps on one table"),
        (f"{CASE}{READ}on.x = []", r"a.toml: 'one': no such field: steps"),
        (f"{CASE}{READ}" * 2, r"a.toml: Cannot declare \('1.4', 'one'\) twice"),
        (f"{CASE}{READ}" + f"{CASE}{READ}".replace("1.4", "1.5"), r"a.toml: 'one': also said in a.toml"),
        (f"{CASE}{READ_ON}", r"a.toml: 'one': on: wants a table of the file"),
        (f"[table.x]\n{CASE}rows = []\n{READ_ON}", r"'one': no such field: rows"),
        (f'[table.x]\n{CASE}on.x = [{{ deleteAllRow = "r" }}]', r"'one': on: .* steps that only read"),
        (f'{CASE}steps = [{{ getrow = "r", gives = [] }}]', r"'one': step 1: getrow: is no call"),
        (f'{CASE}steps = [{{ getRow = "r", get = "r", gives = [] }}]', r"step 1: wants one call \(got getRow, get\)"),
        (f'{CASE}steps = [{{ getRow = "r" }}]', r"step 1: getRow: wants one of gives, .* \(got none\)"),
        (f'{CASE}steps = [{{ getRow = "r", gives = [], raises = "IOError" }}]', r"wants one of gives"),
        (f'{CASE}steps = [{{ deleteAllRow = "r", gives = [] }}]', r"step 1: deleteAllRow: wants one of gives"),
        (f'{CASE}steps = [{{ getRow = "r", gives = [], text = "x" }}]', r"step 1: text: belongs to raises"),
        (f'{CASE}steps = [{{ getRow = "{{value}}", values = ["r"] }}]', r"step 1: getRow: wants one of gives, "),
        (
            f'{CASE}steps = [{{ gives = [], calls = [{{ getRow = "r" }}, {{ deleteAllRow = "r" }}] }}]',
            r"deleteAllRow: wants",
        ),
        (f"{CASE}steps = [{{ gives = [], calls = [{{}}] }}]", r"step 1: wants one call \(got none\)"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidCase, match=message):
        read_cases(tmp_path)


def test_a_sentence_is_said_once_in_all_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(CASE + READ, encoding="utf-8")
    with pytest.raises(InvalidCase, match=r"b.toml: 'one': also said in a.toml"):
        read_cases(tmp_path)
