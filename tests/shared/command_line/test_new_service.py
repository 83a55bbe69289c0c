"""`rowbook new --service`: a package with a service over HTTP, whose own tests ask every question."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.command_line.new_package.copying import type_of
from shared.command_line.new_package.folders import write_folder
from shared.command_line.new_package.making import made_files
from shared.designs import Design
from tests.designs import NAMES, design_named

FRAMEWORKS = ("fastapi", "flask")
TESTS_WITHOUT_QUESTIONS = 4
MOST_LINES = 200
"""Lines that are no endpoint, blank lines and docstrings not counted."""


def service_of(files: dict[str, bytes], module: str) -> str:
    return files[f"mine/service/{module}.py"].decode()


def endpoints(text: str) -> list[str]:
    """The text of each endpoint of the design."""
    return re.split(r"(?m)^(?=@app)", text.partition("# ---- questions\n")[2])[1:]


@pytest.mark.parametrize(
    ("framework", "name"),
    [
        ("fastapi", "orders"),
        *(
            pytest.param(framework, name, marks=pytest.mark.long)
            for framework in FRAMEWORKS
            for name in NAMES
            if (framework, name) != ("fastapi", "orders")
        ),
    ],
)
def test_a_service_answers_every_question_as_its_repository_does(framework: str, name: str, tmp_path: Path) -> None:
    files, _ = made_files("mine", name, service=framework)
    design = design_named(name)
    write_folder(tmp_path / "mine", files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_service.py"]
    done = subprocess.run(command, cwd=tmp_path / "mine", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    (passed,) = re.findall(r"(\d+) passed", done.stdout)
    assert int(passed) > TESTS_WITHOUT_QUESTIONS
    assert_has_endpoints(design, service_of(files, "web"))
    assert ("mine/service/upkeep.py" in files) == (not design.why_no_upkeep(design.main))
    own = "\n".join(data.decode() for file, data in files.items() if file.startswith("mine/service/"))
    for endpoint in endpoints(service_of(files, "web")):
        own = own.replace(endpoint, "")
    code = re.sub(r'(?m)^ *""".*?"""$', "", own, flags=re.DOTALL)
    assert sum(1 for line in code.splitlines() if line.strip()) <= MOST_LINES


def assert_has_endpoints(design: Design, web: str) -> None:
    """Each question that the design itself answers is got, and each kind of record is posted."""
    for pattern in (of for of in design.patterns if hasattr(type_of(design, design.main), of.method.__name__)):
        assert f'@app.get("/{pattern.method.__name__}")' in web
    for load in design.loads:
        assert f'@app.post("/{load.store.__name__}"' in web


def test_paths_functions_and_statuses_have_the_names_that_are_asked_for() -> None:
    files, _ = made_files("mine", "orders", service="fastapi", record="Ticket", words=("seller=vendor",))
    web = service_of(files, "web")
    assert '@app.get("/of_vendor")\ndef of_vendor(' in web
    assert "vendor_id: str" in web
    assert "{TicketConflict: 409, UnknownTicket: 404}" in web
    assert "curl 'http://127.0.0.1:8000/ticket?ticket_number=n-42'" in files["README.md"].decode()


RENAMED = (("messages", "Note", ()), ("feeds", None, ("post=article",)), ("logs", None, ("event=entry",)))


@pytest.mark.long
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("name", "record", "words"),
    [
        *RENAMED,
        ("sessions", "Ticket", ()),
        ("reservations", None, ("hotel=theatre",)),
        ("changes", None, ("source=origin",)),
    ],
)
def test_a_rename_changes_no_name_of_the_service_and_every_import_finds_its_module(
    framework: str, name: str, record: str | None, words: tuple[str, ...], tmp_path: Path
) -> None:
    files, _ = made_files("mine", name, service=framework, record=record, words=words)
    write_folder(tmp_path / "mine", files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_service.py"]
    done = subprocess.run(command, cwd=tmp_path / "mine", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("reservations", "RoomTaken: 409, UnknownRoom: 404"),
        ("changes", "RefusedChange: 409, AnotherWriter: 409"),
        ("tsdb", "TooManyAttempts: 503"),
    ],
)
def test_the_errors_of_a_design_have_their_statuses(name: str, statuses: str) -> None:
    files, _ = made_files("mine", name, service="flask")
    assert f"= {{{statuses}}}\n" in service_of(files, "web")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_service_needs_its_framework_and_no_library_of_the_show(framework: str) -> None:
    files, _ = made_files("mine", "links", service=framework)
    (dependencies,) = re.findall(
        r"^dependencies = \[(.*?)\]\n", files["pyproject.toml"].decode(), re.DOTALL | re.MULTILINE
    )
    assert framework in dependencies
    assert "rowbook[service]" in dependencies
    assert not {"typer", "rich"} & {*re.findall(r"[a-z_]+", dependencies)}


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.long
def test_a_service_runs_on_a_copy_of_the_library(framework: str, tmp_path: Path) -> None:
    files, _ = made_files("mine", "orders", service=framework, vendor="rowkeys")
    assert not any(b"rowbook" in data for file, data in files.items() if file.startswith("mine/service/"))
    write_folder(tmp_path / "mine", files)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_service.py"]
    assert subprocess.run(command, cwd=tmp_path / "mine", capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ("--service django", "--service: must be fastapi or flask (got 'django')"),
        (
            "--service flask --record Request",
            "--record, --rename: the service has the name REQUESTS already; choose another",
        ),
        (
            "--service fastapi --rename numbered=cache",
            "--record, --rename: the service has the name cache already; choose another",
        ),
        ("--service flask --only keys", "--service: needs the whole design, so leave out --only keys"),
    ],
)
def test_a_service_that_cannot_be_made_is_one_line(rowbook, options: str, refusal: str) -> None:
    assert rowbook(f"new mine --from orders {options}") == (2, "", f"{refusal}\n")
