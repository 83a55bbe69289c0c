"""`rowbook new`: what a package has, what is refused, and that nothing is left half written.

`python -m tests.programs copies` installs packages, and checks their tests and types.
"""

import ast
import errno
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from shared.command_line.named.suite import suite
from shared.command_line.new_package import making
from shared.command_line.new_package.folders import write_folder
from shared.command_line.new_package.making import made_files
from shared.command_line.new_package.name_words import read_renames
from shared.command_line.screen.wrong_usage import CommandFailed, WrongUsage
from shared.intents.slots import holds_intents
from tests.copies import ROOT, story_of
from tests.designs import NAMES, all_designs, design_named, full_name
from tests.programs.pages.new_packages import OLD_NAMES, RENAMED, SHOWN, renames_block

of_each_design = pytest.mark.parametrize(
    "name",
    [NAMES[0], *(pytest.param(name, marks=pytest.mark.long) for name in NAMES[1:])],
    scope="module",
)
"""Runs all such tests of one design after each other, so that its package is made once."""
RIGHT = [full_name(design, variant) for design in all_designs() for variant in design.variants if variant.is_to_copy]


SIZES = ("keys", "questions")


def files_of(origin: str | None, **options) -> dict[str, bytes]:
    return made_files("mine", origin, **options)[0]


@cache
def shown_package(name: str):
    """The package that the page of a design shows, and where it still says old words."""
    shown = SHOWN.get(name)
    return made_files("mine", name, record=shown and shown.record, words=shown.words if shown else ())


def shown_files(name: str) -> dict[str, bytes]:
    return shown_package(name)[0]


# ---- what is in a package


@of_each_design
def test_a_package_has_the_names_that_are_asked_for_and_no_module_of_the_suite(name: str) -> None:
    files = shown_files(name)
    text = b"\n".join(data for name, data in files.items() if name.endswith(".py")).decode()
    assert name not in SHOWN or re.search(rf"\bclass {SHOWN[name].record}\b", text)
    assert re.findall(r"^\s*(?:from|import) (?:shared|domains|tests)\b", text, re.MULTILINE) == []
    assert not any(name in text for name in ("TRAPS", "PUBLISHED", "lacks:"))
    assert design_named(name).in_one_file or "take_if" not in text


@of_each_design
def test_the_story_of_a_package_runs(name: str, tmp_path: Path) -> None:
    assert story_of(shown_files(name), tmp_path / "package")


NAMED = [name for name in NAMES if name != "tsdb"]  # which names what OpenTSDB has


@pytest.mark.long
@pytest.mark.parametrize("name", NAMED)
def test_a_package_names_nothing_that_is_not_there(name: str) -> None:
    assert absent(shown_files(name)) == []


@pytest.mark.long
@pytest.mark.parametrize("origin", [None, *(name for name in RIGHT if name.partition(":")[0] in NAMED)])
def test_a_package_of_any_variant_names_nothing_that_is_not_there(origin: str | None) -> None:
    assert absent(files_of(origin)) == []


def absent(files: dict[str, bytes]) -> list[str]:
    """What a package imports or names between backticks, but neither it nor the library has; and words of the suite."""
    code = {name: data.decode() for name, data in files.items() if name.endswith(".py")}
    (golden,) = (data for name, data in files.items() if name.endswith("keys.json"))
    tables = {*json.loads(golden)}
    there = identifiers(code.values()) | of_library() | tables
    found = [f"{name}: {imported}" for name in code for imported in lacking_imports(name, files)]
    prose = {name: "\n".join(docstrings(text)) for name, text in code.items()}
    for name, text in {**prose, "README.md": files["README.md"].decode()}.items():
        found += [f"{name}: {word}" for word in re.findall(r"\bvariants?\b|\bsuite\b|REFERENCE", text)]
        for span in re.findall(r"`([^`\n]+)`", text):
            if re.fullmatch(r"[\w/]+\.(?:py|json|toml|md)", span):
                is_there = any(f"/{name}".endswith(f"/{span}") for name in [*files, "domains/IDEAS.md"])
                is_there |= (ROOT / span.replace("rowbook/", "shared/", 1)).is_file()
            else:
                looks_like_code = re.fullmatch(r"(?:\w+\.)*\w+(?:\(\))?", span) and re.search(
                    r"[a-z]_|[a-z][A-Z]|\.|\(", span
                )
                is_there = not looks_like_code or {*re.findall(r"[A-Za-z_]\w*", span)} <= there
            found += [] if is_there else [f"{name}: {span}"]
    return found


def docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def identifiers(codes) -> set[str]:
    """The names in some code, and the words in its strings that are not docstrings."""
    found = {"mine", "pytest"}
    for text in codes:
        tree = ast.parse(text)
        prose = {*docstrings(text)}
        for node in ast.walk(tree):
            values = (getattr(node, field, None) for field in ("id", "attr", "arg", "name", "module", "value"))
            found |= {
                word
                for value in values
                if isinstance(value, str) and value not in prose
                for word in re.findall(r"[A-Za-z_]\w*", value)
            }
    return found


@cache
def of_library() -> set[str]:
    paths = [*(ROOT / "shared").rglob("*.py")]
    names = {"rowbook", "IDEAS", *(path.stem for path in paths)}
    return identifiers(path.read_text(encoding="utf-8") for path in paths) | names


def lacking_imports(file: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """What a file imports from its package or from the library, and is not there."""
    folders = file.split("/")[:-1]
    for node in ast.walk(ast.parse(files[file])):
        if not isinstance(node, ast.ImportFrom):
            continue
        base = folders[: len(folders) + 1 - node.level] if node.level else []
        module = "/".join([*base, *filter(None, (node.module or "").split("."))])
        for alias in node.names:
            if module.startswith("mine"):
                home = next(filter(files.__contains__, (f"{module}.py", f"{module}/__init__.py")), "")
                tops = {*identifiers([files[home].decode()])} if home else set()
                is_there = alias.name in tops or f"{module}/{alias.name}.py" in files
            elif (node.module or "").startswith("rowbook"):
                is_there = hasattr(import_module(str(node.module).replace("rowbook", "shared", 1)), alias.name)
            else:
                is_there = True
            if not is_there:
                yield f"{node.module}.{alias.name}"


@of_each_design
def test_a_package_has_a_page_and_tests_of_crashes_and_erasures_if_its_design_has_them(name: str) -> None:
    files, design = shown_files(name), design_named(name)
    assert "tests/test_crashes.py" in files or not any(map(holds_intents, design.main.tables))
    assert bool(design.erases) == ("tests/test_erasures.py" in files)
    assert len(files["README.md"].decode().splitlines()) <= 100


@pytest.mark.parametrize("size", ["keys", *(pytest.param(size, marks=pytest.mark.long) for size in SIZES[1:])])
@pytest.mark.parametrize(
    "name", ["orders", *(pytest.param(name, marks=pytest.mark.long) for name in (*NAMES[1:], "orders:hashed-number"))]
)
def test_a_smaller_package_writes_nothing_and_its_tests_pass(name: str, size: str, tmp_path: Path) -> None:
    files = files_of(name, size=size)
    own = {file: data.decode() for file, data in files.items() if re.fullmatch(r"mine/\w+\.py", file)}
    code = "".join(own.values())
    repository = own.get("mine/repository.py", "" if "mine/records.py" in own else code)
    written = {load.store.__name__ for load in design_named(name.partition(":")[0]).loads}
    assert not re.search(rf"def (?:{'|'.join(written)})\(", repository)
    assert size != "keys" or not re.search(r"rowbook\.(?!keys)", code)
    for file in filter(re.compile(r".*\.py").fullmatch, files):
        assert [*lacking_imports(file, files)] == []
    assert code_of_tests(files, tmp_path / "mine") == 0


def code_of_tests(files: dict[str, bytes], folder: Path) -> int:
    """The exit code of the tests of a package."""
    write_folder(folder, files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


@pytest.mark.parametrize(
    "origin",
    [
        "orders",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("orders:hashed-number", "orders:thin-index", "sessions")
        ),
    ],
)
def test_the_service_in_the_readme_of_a_package_opens_a_repository_whose_tables_exist(
    origin: str, tmp_path: Path
) -> None:
    files = files_of(origin)
    write_folder(tmp_path / "mine", files)
    (code,) = re.findall(r"```python\n(.*?)```", files["README.md"].decode(), re.DOTALL)
    code = code.replace("hbase://HOST:PORT", "embedded:") + "assert not [*repository.upkeep.verify()]\n"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "mine", check=True)


def test_a_stored_value_keeps_its_word_and_a_name_between_backticks_has_the_new_one() -> None:
    files = files_of("orders", record="Ticket", words=("placed=started",))
    records, keys = files["mine/records.py"].decode(), files["mine/keys.py"].decode()
    assert 'Literal["placed", ' in records
    assert "started_ms: int" in records
    assert "as `TicketBySeller`" in keys
    assert '"started_ms": "o:t"' in keys
    assert files["mine/samples/orders.csv"].startswith(b"ticket_number,seller_id,buyer_id,started_ms,")


@pytest.mark.parametrize(
    "size", ["keys", *(pytest.param(size, marks=pytest.mark.long) for size in ("questions", "all"))]
)
def test_a_copy_of_the_library_has_what_is_imported_and_runs(size: str, tmp_path: Path) -> None:
    files = files_of("activity", size=size, vendor="rowkeys")
    rooms = {name.split("/")[1] for name in files if name.startswith("rowkeys/") and name.count("/") > 1}
    wanted = {"keys": {"testing", "designs", "tables"}, "questions": {"testing", "designs"}, "all": set[str]()}
    assert not rooms & wanted[size]
    assert code_of_tests(files, tmp_path / "mine") == 0


@pytest.mark.long
def test_the_library_comes_along_under_another_name_with_its_licence_and_types() -> None:
    files = files_of(None, vendor="rowkeys")
    assert files["rowkeys/LICENSE"].startswith(b"MIT No Attribution")
    assert "typings/happybase/__init__.pyi" in files
    code = b"\n".join(data for name, data in files.items() if name.endswith(".py")).decode()
    assert re.findall(r"^\s*(?:from|import) (?:shared|rowbook)\b", code, re.MULTILINE) == []


# ---- what is refused


@pytest.mark.parametrize(
    "words", ["seller=class", "seller", "seller=a-b", "seller=", "seller=_", "seller=Größe", "seller=a,buyer=b"]
)
def test_a_rename_that_cannot_be_done_is_one_line(words: str) -> None:
    with pytest.raises(WrongUsage, match=rf"^--rename: must be OLD=NEW, .* \(got '{words}'\)$"):
        read_renames(None, "Order", (words,))


@pytest.mark.parametrize(
    ("record", "words", "got"),
    [
        (None, ("seller=garage", "Seller=lot"), "seller one new name (got seller=garage and Seller=lot)"),
        ("Visit", ("order=ticket",), "Order one new name (got Order=Visit and order=ticket)"),
    ],
)
def test_a_name_that_would_get_two_new_ones_is_refused(record: str | None, words: tuple[str, ...], got: str) -> None:
    with pytest.raises(WrongUsage, match=f"^--record, --rename: must give {re.escape(got)}$"):
        read_renames(record, "Order", words)


def test_all_renames_that_cannot_be_done_are_told_at_once() -> None:
    words = ("nothing=something", "sellers=parties", "seller=party", "buyer=party")
    with pytest.raises(WrongUsage) as raised:
        files_of("orders", words=words)
    for told in (
        "--record, --rename: nothing: no name of the package has these words; sellers: ",
        "sellers: no name of the package has these words; did you mean seller?",
        "buyer_id and seller_id would both become party_id",
    ):
        assert told in str(raised.value)


def test_the_names_that_the_page_shows_are_those_of_the_package() -> None:
    shown = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", renames_block(), re.MULTILINE)
    renamed = made_files("mine", "orders", record=RENAMED.record, words=RENAMED.words)[0]
    before, after = (
        identifiers(data.decode() for name, data in files.items() if name.endswith(".py"))
        for files in (files_of("orders"), renamed)
    )
    assert {*OLD_NAMES} == {old for old, _new in shown} <= before
    assert {new for _old, new in shown} <= after
    assert not {old for old, new in shown if old != new} & after


def test_the_name_of_the_record_is_a_rename_of_its_words() -> None:
    assert read_renames("Visit", "Order", ("seller=lot",)) == read_renames(None, "Order", ("order=visit", "seller=lot"))


def test_the_lines_with_old_words_are_told() -> None:
    files, left = shown_package("orders")
    for name, numbers in left.items():
        lines = files[name].decode().splitlines()
        assert all(re.search(r"(order|place|seller|buyer)", lines[number - 1], re.IGNORECASE) for number in numbers)
    code = files["mine/repository.py"].decode()
    assert 'f"Ticket.ticket_number: no order' in code
    assert 'f"Ticket.{field.name}: order' in code
    assert not re.search(r"\bOrder[A-Z.]", code)


def test_a_package_within_rowbook_is_refused_with_a_place_outside(
    rowbook, ok, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ok("new tickets").splitlines()
    assert lines[0].endswith(", a copy of activity; --from NAME copies another design")
    assert len(lines) == 2
    within = suite()._replace(folder=folder / "rowbook" / "domains")
    monkeypatch.setattr(making, "suite", lambda: within)
    (folder / "rowbook").mkdir()
    got = f"must be outside of rowbook, such as {folder / 'alarms'} (got '{folder / 'rowbook' / 'alarms'}')"
    assert rowbook("new rowbook/alarms --from logs:salted") == (2, "", f"PATH: {got}\n")
    assert [*(folder / "rowbook").iterdir()] == []


def test_the_command_that_finds_old_words_finds_the_lines_that_are_counted(ok) -> None:
    *_others, told, command = ok("new tickets --from orders --record Alarm").splitlines()
    found = subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout.splitlines()
    assert told.startswith(f"old words are left in {len(found)} lines of prose")


@pytest.mark.parametrize("vendor", ["class", "json", "rowbook", "mine", "happybase"])
def test_a_copy_of_the_library_needs_a_name_that_is_free(vendor: str) -> None:
    with pytest.raises(WrongUsage, match=r"^--vendor"):
        files_of(None, vendor=vendor)


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("held", "held/file", "link", "none/new"):
        with pytest.raises(CommandFailed):
            write_folder(tmp_path / name, {"file": b""})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held", "link"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_nothing_is_left_of_a_folder_that_is_not_written_whole(error: BaseException, tmp_path: Path) -> None:
    class Files(dict[str, bytes]):
        def items(self):
            yield "first", b"1"
            raise error

    with pytest.raises((KeyboardInterrupt, CommandFailed)):
        write_folder(tmp_path / "new", Files())
    assert list(tmp_path.iterdir()) == []
