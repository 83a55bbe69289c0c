"""The heat of `rowbook review` on any terminal, and of keys of one's own from a file or from stdin."""

import io
import json
import sys

import attrs
import pytest
from rich.cells import cell_len
from rich.console import Console

from shared.command_line.measured import heat_maps
from shared.command_line.named import designs
from shared.exhibit.heat import Writes
from shared.exhibit.heat_recording import recorded_heat
from tests.designs import all_designs, design_named

NAMES = [name for design in all_designs() for name in (design.name, f"{design.name}:{design.variants[-1].name}")]
KEYS = [b"%s\0\1%04d" % (host, number) for number in range(400) for host in (b"a", b"\xc3\xa9", b"b\\")]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "tsdb" else pytest.mark.long) for name in NAMES]
)
def test_the_heat_of_a_design_fits_a_screen_and_has_the_verdict_of_every_table(ok, environment, name):
    environment["COLUMNS"] = "60"
    lines = ok(f"review {name} --only heat").splitlines()
    assert len(lines) <= 70
    assert max(map(cell_len, lines)) <= 60
    (first, *others) = json.loads(ok(f"review {name} --only heat --json"))["variants"]
    recorded = recorded_heat(design_named(name.partition(":")[0]))
    for variant in (first, *others):
        tables = {table["table"]: table["shares"] for table in variant["tables"]}
        assert tables == {table.table: [*table.heat.shares] for table in recorded.of(variant["name"])}
    shown = " ".join(" ".join(lines).split())
    for variant in (first, *others):
        for table in variant["tables"]:
            assert f"{table['table']}: {table['verdict']}" in shown
    assert (" Tables of the other variants " in shown) == bool(others)


def escaped(key):
    return "".join(chr(byte) if 0x20 <= byte < 0x7F and byte != 0x5C else f"\\x{byte:02X}" for byte in key)


@pytest.mark.parametrize(
    ("lines", "options", "name"),
    [
        ([escaped(key) for key in KEYS], "", "-"),
        ([escaped(key).replace("\\xC3\\xA9", "é") for key in KEYS], "", "keys"),
        ([key.hex(" ") + "\r" for key in KEYS], "--form hex", "keys"),
    ],
)
def test_keys_may_be_text_with_escapes_or_hex_in_a_file_or_on_stdin(ok, folder, monkeypatch, lines, options, name):
    data = "\n".join(lines).encode()
    (folder / "keys").write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    shown = json.loads(ok(f"review --keys {name} {options} --json"))
    writes = Writes(KEYS)
    assert shown["keys"] == len(KEYS)
    assert [bytes.fromhex(point) for point in shown["splits"]] == [*writes.points]
    assert [tuple(moment) for moment in shown["moments"]] == [*writes.heat.moments]
    assert shown["verdict"] == writes.heat.verdict


def test_a_first_key_that_is_too_long_for_its_line_is_cut(ok, folder):
    (folder / "keys").write_text("\n".join("x" * 200 + escaped(key) for key in KEYS), encoding="utf-8")
    lines = ok("review --keys keys").splitlines()[-8:-1]
    assert [len(line) for line in lines] == 7 * [100]
    assert all(line.endswith("xxx...") for line in lines)


def test_an_output_without_block_characters_has_digits():
    plain = Console(file=io.TextIOWrapper(io.BytesIO(), "ascii"))
    (line,) = heat_maps._lines(plain, Writes([b"counter"] * 400).heat)
    assert line == "8888888888888888 100% <"


@pytest.mark.long
def test_the_samples_show_the_heat_of_a_design_whose_samples_have_no_generator(ok, folder, monkeypatch):
    (logs,) = (design for design in all_designs() if design.name == "logs")
    (folder / "logs.jsonl").symlink_to(logs.loads[0].samples)
    load = attrs.evolve(logs.loads[0], samples=folder / "logs.jsonl")
    monkeypatch.setattr(designs, "design_named", lambda _name: attrs.evolve(logs, loads=(load,)))
    shown = json.loads(ok("review logs --only heat --json"))
    assert shown["records"] == {"events": len(list(load.sample_records()))}
    assert all(variant["tables"] for variant in shown["variants"])
