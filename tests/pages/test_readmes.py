"""What the READMEs say is what the code does: blocks generated, code run, commands tried."""

import re
from contextlib import closing
from types import ModuleType

import pytest
from markdown_it import MarkdownIt
from sybil.document import Document
from sybil.parsers.markdown import PythonCodeBlockParser

from domains.suite import SUITE
from shared.designs import AccessPattern, Measurement, Variant, load_samples, measure
from shared.designs.counting import Cost, Read
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.markdown import MAX_COLUMNS, MAX_LINE, with_blocks
from shared.exhibit.verdicts import LEGEND
from shared.keys.ranges import RowRange
from shared.queries import Page
from shared.stores import connect
from shared.stores.filters import language as filter_language
from shared.tables import ItemCells, create_tables
from tests.designs import all_designs
from tests.few_designs import few_of
from tests.programs.pages.cards import CARD
from tests.programs.pages.cost_blocks import SCANS, across, choice_block, refused_block
from tests.programs.pages.heat_blocks import heat_block
from tests.programs.pages.key_blocks import (
    PUBLISHED,
    columns_block,
    layout_block,
    published_block,
    published_text,
    variants_block,
)
from tests.programs.pages.question_blocks import exemptions_block, questions_block, statements
from tests.programs.pages.stores_page import FILTERS
from tests.programs.readmes import DESIGN_PAGES, JAVA, STEPS_FILE, all_pages
from tests.programs.shown_writes import STEPS
from tests.readmes import READMES, ROOT, named

ALL_READMES = sorted({*READMES, *ROOT.glob("fixtures/**/*.md"), *ROOT.glob("tests/**/*.md")})
PAGES = all_pages()
REGIONS = ROOT / "domains" / "REGIONS.md"
IN_FOLDERS = [design for design in all_designs() if not design.in_one_file]
SHOWING_STEPS = [design for design in all_designs() if design.name in STEPS]
MEASURED = "orders"
"""The design whose pages `make test` measures; each of the others takes seconds."""
LONG_CODE = ("domains/monitoring/REFERENCE.md",)
"""The page whose code takes seconds."""


def is_measured(path):
    """Whether a page or a file beside it shows what questions cost."""
    return (path.parent / "design.py").exists()


def folder_of(design):
    return ROOT / "domains" / design.name


def test_every_readme_with_generated_blocks_is_generated_and_so_is_the_list_of_designs():
    readmes = [path for path in READMES if "<!-- generated: " in path.read_text(encoding="utf-8")]
    made = [folder_of(design) / ("" if design.in_one_file else "shown") / STEPS_FILE for design in SHOWING_STEPS]
    made += [folder_of(design) / file for design in IN_FOLDERS for file in (SCANS, PUBLISHED)]
    made += [folder_of(design) / CARD for design in all_designs()]
    made += [ROOT / "shared" / "keys" / JAVA, ROOT / "llms.txt", SUITE.listing]
    assert sorted(PAGES) == sorted([*readmes, *made])


def marked_long(paths, is_long):
    """Parameters of a test, with the mark `long` if `is_long` of a page."""
    return [pytest.param(path, marks=pytest.mark.long if is_long(path) else (), id=named(path)) for path in paths]


@pytest.mark.parametrize(
    "path",
    marked_long(PAGES, lambda path: path == REGIONS or (is_measured(path) and MEASURED not in path.parts)),
)
def test_what_is_generated_is_what_the_code_prints(path):
    assert path.read_text(encoding="utf-8") == PAGES[path]()


@pytest.mark.parametrize("design", IN_FOLDERS, ids=lambda design: design.name)
def test_what_is_generated_of_a_design_without_a_store_is_what_the_code_prints(design):
    of_keys = (variants_block, columns_block, published_block)
    of_questions = (questions_block, choice_block, exemptions_block, heat_block)
    blocks = {make.__name__.removesuffix("_block"): make(design) for make in (*of_keys, *of_questions)}
    for table in (table for variant in design.variants for table in variant.record_tables):
        blocks.setdefault(f"layout-{table.name.replace('_', '-')}", layout_block(table))
    for page in DESIGN_PAGES:
        text = (ROOT / "domains" / design.name / page).read_text(encoding="utf-8")
        shown = dict(re.findall(r"<!-- generated: (\S+) -->\n(.*?)\n<!-- end -->", text, re.DOTALL))
        assert text == with_blocks(text, shown | blocks)
        assert shown.keys() & blocks.keys()
    assert (folder_of(design) / PUBLISHED).read_text(encoding="utf-8") == published_text(design)


def test_the_stores_readme_has_every_filter_of_the_language():
    names = {words.partition("(")[0].encode() for words in FILTERS if not re.search("AND|OR|SKIP|WHILE", words)}
    assert names == set(filter_language._SIGNATURES)


def run_python(path, capsys):
    """Runs the blocks of a README, each of which prints what stands below it."""
    document = Document.parse(str(path), PythonCodeBlockParser())
    for example in document.examples():
        example.evaluate()
        shown = re.match(r"\s*```text\n(.*?)```", document.text[example.region.end :], re.DOTALL)
        assert capsys.readouterr().out == (shown[1] if shown else "")


@pytest.mark.parametrize("path", marked_long(READMES, lambda path: named(path) in LONG_CODE))
def test_the_python_in_a_readme_runs_and_prints_what_stands_below_it(path, capsys):
    run_python(path, capsys)


def claims_of_code_that_continues():
    """The sections whose code continues that of another, each as page, heading of the other, and heading."""
    for path in READMES:
        for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            for named_section in re.findall(r"continues\s+that\s+under \[([^]]+)\]", section):
                yield path, named_section, section.splitlines()[0]


CONTINUED = [*claims_of_code_that_continues()]


@pytest.mark.parametrize(("path", "before", "section"), CONTINUED, ids=[claim[2] for claim in CONTINUED])
def test_code_that_continues_that_of_a_section_runs_after_that_section_alone(path, before, section, tmp_path, capsys):
    sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    copy = tmp_path / path.name
    wanted = (text for heading in (before, section) for text in sections if text.startswith(f"{heading}\n"))
    copy.write_text("\n".join(wanted), encoding="utf-8")
    run_python(copy, capsys)


WITH_COSTS = [path for path in READMES if "<!-- generated: costs -->" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_COSTS, ids=named)
def test_every_cost_of_a_readme_has_its_meaning_in_the_glossary(path):
    costs = re.search(r"<!-- generated: costs -->.*?<!-- end -->", path.read_text(encoding="utf-8"), re.DOTALL)
    assert "(../GLOSSARY.md#cost)" in costs[0]
    _header, _line, *rows = (line for line in costs[0].splitlines() if line.startswith("| "))
    shown = {cell.strip() for row in rows if not row.startswith(("| question", "| ---")) for cell in cells_of(row)[1:]}
    assert [words for words in shown - {""} if not any(form.says(words) for form in LEGEND)] == []


def test_the_example_of_each_form_of_a_cost_has_a_meaning_of_its_own():
    glossary = (ROOT / "domains" / "GLOSSARY.md").read_text(encoding="utf-8").partition("## Cost\n")[2]
    assert re.findall(r"^- `(.*?)`: ", glossary.partition("\n## ")[0], re.MULTILINE) == [
        form.example for form in LEGEND
    ]
    for form in LEGEND:
        assert [other for other in LEGEND if other.says(form.example)] == [form]


CONNECTS = 'connect("embedded:", table_prefix="demo")'
ABOUT_STORES = [path for path in READMES if CONNECTS in path.read_text(encoding="utf-8")]


@pytest.mark.hbase
@pytest.mark.parametrize("path", ABOUT_STORES, ids=named)
def test_the_python_about_stores_runs_on_hbase_up_to_what_a_block_marks_as_embedded_only(
    engine, path, tmp_path, capsys
):
    def up_to_the_mark(block):
        return re.sub(r"\n[^\n]*embedded only.*", "\n```", block[0], flags=re.DOTALL)

    with engine.url() as url:
        text = path.read_text(encoding="utf-8").replace(CONNECTS, f'connect("{url}")')
        copy = tmp_path / path.name
        copy.write_text(re.sub(r"```python\n.*?```", up_to_the_mark, text, flags=re.DOTALL), encoding="utf-8")
        run_python(copy, capsys)


def tables_of_readme(path):
    """The tables of a README, each as its lines."""
    return [table.splitlines() for table in re.findall(r"(?:^\|.*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)]


def cells_of(line):
    return re.split(r"(?<!\\)\|", line.strip().strip("|"))


@pytest.mark.parametrize("path", ALL_READMES, ids=named)
def test_a_table_in_a_readme_fits_a_screen(path):
    for table in tables_of_readme(path):
        assert [line for line in table if len(line) > MAX_LINE] == []
        assert {len(cells_of(line)) for line in table} == {len(cells_of(table[0]))}
        assert len(cells_of(table[0])) <= MAX_COLUMNS


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")
"""Markdown as GitHub reads it, with what is escaped apart from other text."""
LEAVES_TEXT = {"text", "softbreak", "code_inline", "strong_open", "strong_close", "link_open", "link_close", "image"}


def marks_in(text):
    """The marks that Markdown finds in a text, except marks of code, bold text, links and pictures."""
    parts = (part for token in MARKDOWN.parse(text) for part in token.children or () if part.type not in LEAVES_TEXT)
    return [part.markup or part.content for part in parts if (part.type, part.content) != ("text_special", part.markup)]


def test_markdown_leaves_the_text_of_a_page_as_it_is():
    """But for words that an author emphasises with asterisks."""
    for path in ALL_READMES:
        text = path.read_text(encoding="utf-8")
        assert {*marks_in(text)} <= {"*"}, named(path)
        for block in re.findall(r"<!-- generated: \S+ -->\n(.*?)<!-- end -->", text, re.DOTALL):
            assert marks_in(block) == [], named(path)
    published = 'region + "_" + categoryId + "_" + productId; MD5(region+1)*region+1*; <T>, \\_, ~~x~~'
    assert marks_in(published) == ["_", "_", "*", "*", "<T>", "\\_", "~~", "~~"]


@pytest.mark.parametrize("path", READMES, ids=named)
def test_the_links_of_a_readme_lead_somewhere(path):
    targets = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def sections(path):
    """The anchors of a README's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)", text, re.MULTILINE)
    }


@pytest.mark.parametrize("path", READMES, ids=named)
def test_a_link_to_a_section_leads_to_its_heading(path):
    links = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", path.read_text(encoding="utf-8"))
    targets = [((path.parent / page) if page else path, section) for page, section in links]
    assert [(named(page), section) for page, section in targets if section not in sections(page.resolve())] == []


def compared(name, ranges=1):
    """The costs of a variant that answers one question from some ranges, and another from one."""
    reads = [Read(b"t", rows, rows) for rows in (RowRange(bytes([n]), bytes([n + 1])) for n in range(ranges))]
    questions = ("q" * 30, reads), ("of all alike", reads[:1])
    measured = [Measurement(AccessPattern(words, len, {}), [], Cost(reads=of_one)) for words, of_one in questions]
    return VariantCosts(Variant(ModuleType(name), "", tables=(), open=len), 1, measured, 1, 1, 1, 0)


@pytest.mark.parametrize(
    ("names", "width", "tables"),
    [
        ("abcdef", 2, ["abcdef"]),
        ("abcdef", 18, ["abcd", "aef"]),
        ("abcdef", 28, ["abc", "ade", "af"]),
        ("abcdefg", 1, ["abcd", "aefg"]),
    ],
)
def test_variants_that_are_too_many_for_one_table_are_in_several_each_with_the_design_itself(names, width, tables):
    variants = [compared(name * width, ranges=1 if name == names[0] else 2) for name in names]
    shown = across(variants)
    assert max(map(len, shown.splitlines())) <= MAX_LINE
    made = [[cells_of(line) for line in table.splitlines()] for table in shown.split("\n\n")]
    assert ["".join(cell.strip()[0] for cell in header[1:]) for header, *_lines in made] == tables
    # A question that costs the same in all variants is in the first table only.
    assert [len(table) for table in made] == [4, *[3] * (len(tables) - 1)]
    assert {cell.strip() for _header, _line, row, *_others in made for cell in row[2:]} == {"2 ranges"}


def test_that_nothing_is_refused_is_said():
    assert refused_block([compared("a")]) == "No variant refuses a question."


def rows_of(connection, printed):
    """The rows that a statement of the HBase shell reads, each with its cells; for several versions a row for each."""

    def data(text):
        return re.sub(r"\\x([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), text).encode("latin-1")

    call, table = re.match(r"(\w+) '(\w+)'", printed).groups()
    rows = connection.table(table)
    until = re.search(r"TIMERANGE => \[0, (\d+)\]", printed)
    before_ms = int(until[1]) if until else None
    if call == "get":
        row, *columns = map(data, re.findall('"(.*?)"', printed))
        if columns:
            versions = int(re.search(r"VERSIONS => (\d+)", printed)[1])
            return [(row, {columns[0]: cell}) for cell in rows.cells(row, columns[0], versions, before_ms)]
        return [(row, cells)] if (cells := rows.row(row, timestamp=before_ms)) else []
    options = dict(re.findall(r"(\w+) => (?:\"(.*?)\"|\w+)", printed))
    limit = re.search(r"LIMIT => (\d+)", printed)
    families = re.search(r"COLUMNS => \[(.*?)\]", printed)
    return rows.scan(
        data(options["STARTROW"]) if "STARTROW" in options else None,
        data(options["STOPROW"]) if "STOPROW" in options else None,
        filter=data(options["FILTER"]) if "FILTER" in options else None,
        columns=[data(name) for name in re.findall("'(.*?)'", families[1])] if families else None,
        timestamp=before_ms,
        limit=int(limit[1]) if limit else None,
        reverse="REVERSED" in options,
    )


def merges(measured):
    """Whether a question scans several ranges of one table side by side."""
    scanned = [read.table for read in measured.reads if not read.is_get]
    return len(scanned) > len({*scanned})


def ends_before_its_range(measured):
    """Whether the answer ends before the range, because the client drops rows of it, or wants one record only."""
    if measured.pattern.answer == "first" and not any(read.is_get for read in measured.reads):
        return True
    return bool(measured.client_work) and isinstance(measured.answer, Page) and measured.answer.cursor is not None


@pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
def test_the_printed_statements_read_the_rows_that_the_questions_read(design):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, design.main.tables)
        repository = load_samples(connection, design, design.main)
        for measured in measure(connection, repository, design.patterns):
            if not measured.refused:
                printed = statements(measured)
                rows = [row for statement in printed for row in rows_of(connection, statement)]
                if any(isinstance(table.cells, ItemCells) for table in design.main.tables):
                    # A page of rows that are read in parts ends within a row; the statement reads whole ranges.
                    assert sum(len(cells) for _row, cells in rows) >= len(measured.records) > 0
                    assert measured.explanation is None or len(rows) >= len(measured.reads)
                elif merges(measured) or ends_before_its_range(measured):
                    # It reads each range only as far as the page goes; the statements read each up to its limit or end.
                    assert len(rows) >= measured.cost.rows_fetched, measured.pattern.question
                else:
                    found = {row for row, _cells in rows} if any("VERSIONS" in of_one for of_one in printed) else rows
                    assert len(found) == measured.cost.rows_fetched, measured.pattern.question
                    assert len(rows) >= len(measured.records) > 0


def test_a_mark_without_its_end_is_refused_and_swallows_nothing():
    text = "<!-- generated: a -->\nold\n\n## Next\n\n<!-- generated: b-5m -->\nold\n<!-- end -->\n"
    with pytest.raises(ValueError, match="2 marks of generated blocks and 1 whole blocks"):
        with_blocks(text, {"a": "new", "b-5m": "new"})
