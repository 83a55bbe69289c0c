"""The statements that a design's page prints read, in HBase's own shell, the rows that its questions read."""

import re
import secrets
from contextlib import closing

import pytest

from shared.designs import load_samples, measure
from shared.queries import Page
from shared.stores import connect
from shared.tables import create_tables
from tests.designs import all_designs
from tests.programs.hbase.hbase_shell import run_in_shell
from tests.programs.hbase.stores import drop_all, named_with
from tests.programs.pages.question_blocks import row_limit, statements

pytestmark = pytest.mark.hbase


def rows_of(connection, answer) -> int:
    """The rows that the statements of an answer read.

    These are the rows that the answer read, unless it read rows in parts, or merged scans of one table, or dropped rows
    until a page was full, or wanted one record of a range: of each range it then reads only as many rows as it needs,
    and a statement reads up to the limit, or to the end.
    """
    scanned = [read.table for read in answer.reads if not read.is_get]
    is_in_parts = any(b"ColumnPaginationFilter" in (read.filter or b"") for read in answer.cost.reads)
    is_full = isinstance(answer.answer, Page) and answer.answer.cursor is not None
    is_first = answer.pattern.answer == "first" and not any(read.is_get for read in answer.reads)
    if not is_in_parts and not is_first and len(scanned) == len({*scanned}) and not (answer.client_work and is_full):
        return answer.cost.rows_fetched
    prefix = connection.table_prefix + connection.table_prefix_separator
    tables = {read.table: connection.table(read.table.removeprefix(prefix)) for read in answer.reads}
    limit = row_limit(answer)
    return sum(
        len(list(tables[read.table].scan(read.rows.start, read.rows.stop, filter=read.filter, limit=limit)))
        for read in answer.reads
    )


def test_each_printed_statement_reads_in_the_shell_what_its_question_reads(tmp_path) -> None:
    named = named_with("info_url")
    with closing(connect(named.url, table_prefix=f"scans{secrets.token_hex(4)}")) as connection:
        try:
            measured = []
            for design in all_designs():
                create_tables(connection, design.main.tables)
                repository = load_samples(connection, design, design.main)
                answers = measure(connection, repository, design.patterns)
                measured += [answer for answer in answers if not answer.refused]
            wanted = [(answer.pattern.question, rows_of(connection, answer)) for answer in measured]
            script = [line for answer in measured for line in (*statements(answer), 'puts "end of a question"')]
            printed = run_in_shell("\n".join(script), named.info_url, tmp_path)
        finally:
            drop_all(connection)
    *questions, _rest = printed.split("end of a question\n")
    rows = [sum(map(int, re.findall(r"^(\d+) row\(s\)", question, re.MULTILINE))) for question in questions]
    assert [(answer.pattern.question, count) for answer, count in zip(measured, rows, strict=True)] == wanted
