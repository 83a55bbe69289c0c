"""The statements that a design's page prints read, in HBase's own shell, the rows that its questions read."""

import re
import secrets
from contextlib import closing

import pytest

from domains.designs import DESIGNS
from shared.designs import load_samples, measure
from shared.stores import connect
from shared.tables import create_tables
from tests.hbase.hbase_shell import run_in_shell
from tests.hbase.named import INFO_VARIABLE, named_hbase
from tests.hbase.stores import drop_all
from tests.readmes import statements

pytestmark = pytest.mark.hbase


def rows_of(connection, answer) -> int:
    """The rows that an answer read; if it read rows in parts, those of its ranges, which the statements read whole."""
    if not any(b"ColumnPaginationFilter" in (read.filter or b"") for read in answer.cost.reads):
        return answer.cost.rows_fetched
    prefix = connection.table_prefix + connection.table_prefix_separator
    return sum(
        len(list(connection.table(read.table.removeprefix(prefix)).scan(read.rows.start, read.rows.stop)))
        for read in answer.reads
    )


def test_each_printed_statement_reads_in_the_shell_what_its_question_reads(tmp_path) -> None:
    named = named_hbase()
    if named.info_url is None:
        pytest.skip(f"the HBase that was named has no {INFO_VARIABLE}")
    with closing(connect(named.url, table_prefix=f"scans{secrets.token_hex(4)}")) as connection:
        try:
            measured = []
            for design in DESIGNS:
                create_tables(connection, design.main.tables)
                repository = load_samples(connection, design, design.main)
                measured += [
                    answer for answer in measure(connection, repository, design.patterns) if not answer.refused
                ]
            wanted = [(answer.pattern.question, rows_of(connection, answer)) for answer in measured]
            script = [line for answer in measured for line in (*statements(answer), 'puts "end of a question"')]
            printed = run_in_shell("\n".join(script), named.info_url, tmp_path)
        finally:
            drop_all(connection)
    *questions, _rest = printed.split("end of a question\n")
    rows = [sum(map(int, re.findall(r"^(\d+) row\(s\)", question, re.MULTILINE))) for question in questions]
    assert [(answer.pattern.question, count) for answer, count in zip(measured, rows, strict=True)] == wanted
