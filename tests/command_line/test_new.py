"""`rowbook new`: what it refuses, and that it leaves nothing half written; `make test-copies` checks the packages."""

import ast
import errno
import re
from pathlib import Path

import pytest

from domains.command_line.designs import all_designs, full_name
from domains.command_line.new_package.folders import write_folder
from domains.command_line.new_package.making import made_files
from domains.command_line.new_package.shown import SHOWN
from domains.command_line.usage import CommandFailed, WrongUsage
from shared.designs import Design


def files_of(origin: str | None, *, vendor: str | None = None, record: str | None = None, words: tuple[str, ...] = ()):
    return made_files("mine", origin, vendor=vendor, record=record, words=words)[0]


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_package_has_the_names_that_are_asked_for_and_no_module_of_the_suite(design: Design) -> None:
    shown = SHOWN[design.name]
    files = files_of(design.name, record=shown.record, words=shown.words)
    text = b"\n".join(data for name, data in files.items() if name.endswith(".py")).decode()
    assert re.search(rf"\bclass {shown.record}\b", text)
    assert re.findall(r"^\s*(?:from|import) (?:shared|domains)\b", text, re.MULTILINE) == []
    assert not any(name in text for name in ("take_if", "TRAPS", "PUBLISHED", "lacks:"))


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_variant_that_is_not_to_be_copied_is_refused_with_the_reason(design: Design) -> None:
    for variant in design.variants:
        if not variant.is_to_copy:
            with pytest.raises(CommandFailed, match=re.escape(variant.warning)):
                files_of(full_name(design, variant))


def test_a_variant_with_code_of_its_own_is_one_class() -> None:
    code = files_of("messages:by-pair")["mine/repository.py"].decode()
    classes = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef) and "Repository" in node.name]
    assert [node.name for node in classes] == ["MessageRepository"]
    assert classes[0].bases == []
    assert "super()" not in code


def test_the_library_comes_along_under_another_name_with_its_licence_and_types() -> None:
    files = files_of(None, vendor="rowkeys")
    assert files["rowkeys/LICENSE"].startswith(b"MIT No Attribution")
    assert "typings/happybase/__init__.pyi" in files
    code = b"\n".join(data for name, data in files.items() if name.endswith(".py")).decode()
    assert re.findall(r"^\s*(?:from|import) (?:shared|rowbook)\b", code, re.MULTILINE) == []


@pytest.mark.parametrize("words", ["seller", "seller=class", "seller=a-b", "nothing=something", "seller=buyer"])
def test_a_rename_that_cannot_be_done_is_one_line(words: str) -> None:
    with pytest.raises(WrongUsage, match=r"^--rename"):
        files_of("orders", words=(words,))


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
