"""A design with two loads and answers of every kind, at the command line: it stands for designs to come."""

import json
from collections.abc import Iterator
from types import ModuleType

import attrs
import pytest

from domains.command_line import designs
from shared.designs import AccessPattern, Design, Load, Variant
from shared.keys import EscapedText, Int64, KeyLayout, part, row_key
from shared.queries import Query
from shared.tables import BoundTable, RecordCells, TableLayout


@attrs.frozen
class Visit:
    path: str
    at_ms: int


@attrs.frozen
class Visitor:
    name: str


@row_key
class VisitOfPath:
    path: str = part(EscapedText, "the path")
    at_ms: int = part(Int64, "milliseconds since 1970 UTC")


@row_key
class VisitorByName:
    name: str = part(EscapedText, "the name")


VISITS = TableLayout("visits", "a visit", KeyLayout(VisitOfPath), RecordCells(Visit, {}, marker="v:x"))
VISITORS = TableLayout("visitors", "a visitor", KeyLayout(VisitorByName), RecordCells(Visitor, {}, marker="v:x"))


class Visits:
    def __init__(self, connection) -> None:
        self._visits, self._visitors = (connection.table(table.name) for table in (VISITS, VISITORS))

    def store_visit(self, visit: Visit) -> None:
        self._visits.put(VISITS.row(visit), VISITS.cells.pack(visit), timestamp=visit.at_ms)

    def store_visitor(self, visitor: Visitor) -> None:
        self._visitors.put(VISITORS.row(visitor), VISITORS.cells.pack(visitor), timestamp=1)

    def of_path(self, path: str) -> Query[Visit]:
        return Query(BoundTable(self._visits.connection, VISITS), VISITS.plan(path=path))

    def first_visit(self, path: str) -> Visit | None:
        return self.of_path(path).first()

    def number_of_visits(self, path: str) -> int:
        return self.of_path(path).count()

    def visits_by_path(self, paths: str) -> dict[str, int]:
        return {path: self.number_of_visits(path) for path in paths.split(",")}

    def all_visitors(self) -> list[Visitor]:
        return [VISITORS.record(row, cells) for row, cells in self._visitors.scan()]


PATTERNS = tuple(
    AccessPattern(question, method, sample)
    for question, method, sample in (
        ("visits of a path", Visits.of_path, {"path": "/"}),
        ("the first visit", Visits.first_visit, {"path": "/"}),
        ("how many visits", Visits.number_of_visits, {"path": "/"}),
        ("visits of paths", Visits.visits_by_path, {"paths": "/,/a"}),
        ("visitors", Visits.all_visitors, {}),
    )
)


@pytest.fixture
def visits(folder, monkeypatch) -> Iterator[Design]:
    (folder / "visits.csv").write_text("path,at_ms\n/,1000\n/,2000\n/a,3000\n")
    (folder / "visitors.csv").write_text("name\nAda\n")
    loads = (
        Load("visits", Visit, Visits.store_visit, folder / "visits.csv"),
        Load("visitors", Visitor, Visits.store_visitor, folder / "visitors.csv"),
    )
    variants = (Variant(ModuleType("keys"), "the only one", tables=(VISITS, VISITORS), open=Visits),)
    design = Design("visits", "Who was where?", loads, PATTERNS, Visits, variants, newest_ms=1)
    monkeypatch.setattr(designs, "NAMES", ("visits",))
    monkeypatch.setattr(designs, "design_named", lambda _name: design)


def test_the_kind_of_an_answer_is_that_of_the_method() -> None:
    assert [pattern.answer for pattern in PATTERNS] == ["page", "first", "count", "value", "value"]


@pytest.mark.usefixtures("visits")
def test_load_reads_the_first_load_unless_another_one_is_named(ok) -> None:
    ok("load visits visits.csv --store embedded:a.db --unit at_ms=ms")
    ok("load visits visitors.csv --as visitors --store embedded:a.db")
    assert "/a" in ok("ask visits of-path path=/a --store embedded:a.db")
    assert "Ada" in ok("ask visits all-visitors --store embedded:a.db")


@pytest.mark.usefixtures("visits")
@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("load visits visitors.csv --as visitor", "unknown load of visits 'visitor': did you mean visitors?"),
        (
            "load visits visitors.csv",
            "visitors.csv: no column path, at_ms for Visit.path, at_ms; map a field to one of: name;"
            " its first line fits --as visitors",
        ),
    ],
)
def test_a_wrong_load_is_one_line(rowbook, line, wrong) -> None:
    code, out, err = rowbook(f"{line} --store embedded:a.db")
    assert (code in (1, 2), out, err) == (True, "", f"{wrong}\n")


@pytest.mark.usefixtures("visits")
@pytest.mark.parametrize(
    ("line", "answer", "shown"),
    [
        ("first-visit path=/", [{"path": "/", "at_ms": 1000}], "1970-01-01T00:00:01.000Z"),
        ("first-visit path=/none", [], "nothing found"),
        ("number-of-visits path=/", [2], "answer\n     2\n"),
        ("visits-by-path paths=/,/a", [{"/": 2, "/a": 1}], "{'/': 2, '/a': 1}"),
        ("all-visitors", [{"name": "Ada"}], "Ada"),
    ],
)
def test_an_answer_may_be_a_record_a_number_a_mapping_or_a_list(ok, line, answer, shown) -> None:
    assert json.loads(ok(f"ask visits {line} --json"))["records"] == answer
    assert shown in ok(f"ask visits {line}")


@pytest.mark.usefixtures("visits")
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("first-visit path=/", "one record"),
        ("number-of-visits path=/", "a number"),
        ("visits-by-path paths=/", "one value"),
    ],
)
def test_only_a_page_takes_a_limit_a_cursor_and_an_explanation(rowbook, line, kind) -> None:
    question = line.partition(" ")[0]
    for options, named in (
        ("--limit 3", "--limit"),
        ("--cursor x", "--cursor"),
        ("--explain", "--explain"),
        ("--explain --limit 3", "--limit and --explain"),
    ):
        wrong = f"{question}: answers with {kind}, without {named}\n"
        assert rowbook(f"ask visits {line} {options}") == (2, "", wrong)


@pytest.mark.usefixtures("visits")
def test_run_shows_the_costs_of_every_kind_of_answer(ok) -> None:
    out = ok("run visits")
    for pattern in PATTERNS:
        assert pattern.question in out
