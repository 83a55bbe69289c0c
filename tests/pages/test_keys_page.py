"""The entries of the keys' page: complete, and the bytes that a JVM makes of their Java."""

import inspect
import re
import shutil
import subprocess
from typing import get_args

import pytest

import shared.keys
from shared.keys import InvalidKey
from shared.keys.codecs import Codec
from shared.keys.prefixes import Prefix
from tests.programs.pages.codec_entries import CODECS, ENTRIES, JAVA_IMPORTS, TRAPS
from tests.programs.pages.keys_page import OUT_OF_RANGE, java_value, refusal
from tests.readmes import ROOT


def test_every_public_codec_and_prefix_has_an_entry():
    public = {
        name
        for name, value in vars(shared.keys).items()
        if isinstance(value, Codec)
        or value in get_args(Prefix)
        or (inspect.isclass(value) and issubclass(value, Codec) and value is not Codec)
    }
    assert {re.match(r"\w+", str(entry))[0] for entry in ENTRIES} == public


def test_the_first_table_names_codecs_and_prefixes_that_exist():
    page = (ROOT / "shared/keys/README.md").read_text(encoding="utf-8")
    rows = " ".join(line for line in page.partition("```")[0].splitlines() if line.startswith("|"))
    names = set(re.findall(r"\b[A-Z]\w+", " ".join(re.findall("`([^`]*)`", rows))))
    assert {"Descending", "Int64", "Salt"} <= names <= vars(shared.keys).keys()


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_a_codec_gives_back_each_value_of_its_entry_and_every_entry_refuses_something(entry):
    assert refusal(entry)
    if entry in CODECS:
        assert [entry.codec.decode(entry.encode(value)) for value in entry.values] == [*entry.values]


def test_what_a_codec_says_of_a_number_out_of_range_is_its_range():
    out_of_range = {entry: OUT_OF_RANGE.fullmatch(refusal(entry)) for entry in CODECS}
    ranges = {entry: (int(match[1]), int(match[2])) for entry, match in out_of_range.items() if match}
    assert len(ranges) > 12
    for entry, (first, last) in ranges.items():
        assert [entry.codec.decode(entry.encode(number)) for number in (first, last)] == [first, last]
        for number in (first - 1, last + 1):
            with pytest.raises(InvalidKey, match=re.escape(f"must be {first}..{last} (got {number})")):
                entry.encode(number)


def test_the_last_format_of_each_kind_of_trap_is_the_only_one_that_sorts_right():
    rights = [trap.form for trap in TRAPS if trap.encode(trap.first) < trap.encode(trap.second)]
    codecs = ("DecimalText(2)", "EscapedText", "Int16", "UInt16", "Float64", "Descending(EscapedText)")
    assert sorted(rights) == sorted([*(f"`{codec}`" for codec in codecs), "two `EscapedText`"])
    assert rights[-1] == TRAPS[-1].form


@pytest.mark.long
def test_java_makes_the_bytes_of_every_entry(tmp_path):
    jshell = shutil.which("jshell")
    if jshell is None:
        pytest.skip("needs jshell of Java 17 on the PATH (on Debian openjdk-17-jdk-headless)")
    cases = [(entry, value) for entry in ENTRIES for value in entry.values]
    blocks = [
        f"{{ {java_value(value)}; System.out.println(HexFormat.of().formatHex(\n{entry.java})); }}"
        for entry, value in cases
    ]
    ran = subprocess.run(
        [jshell, f"-J-Djava.util.prefs.userRoot={tmp_path}", "--execution", "local", "--no-startup", "-s", "-"],
        input="\n".join([JAVA_IMPORTS, *blocks, ""]),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    made = ran.stdout.splitlines()
    assert len(made) == len(cases), ran.stdout + ran.stderr
    wanted = [(str(entry), value, entry.encode(value).hex()) for entry, value in cases]
    assert [(*case[:2], line) for case, line in zip(wanted, made, strict=True)] == wanted
