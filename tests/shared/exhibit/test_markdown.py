"""Texts in Markdown: they are read as they were written."""

import pytest
from markdown_it import MarkdownIt

from shared.exhibit.markdown import MAX_LINE, filled, markdown_list, markdown_table, quoted

MARKDOWN = MarkdownIt("commonmark").enable("table")


def tokens(text):
    """The parts of a text, with those that stand within a line."""
    return [part for token in MARKDOWN.parse(text) for part in (token, *(token.children or ()))]


def read(text):
    """A text without the marks of Markdown."""
    return "".join(token.content for token in tokens(text) if token.type in ("text", "code_inline"))


@pytest.mark.parametrize(
    "published",
    [
        'region + "_" + categoryId + "_" + productId',
        "StartRow: MD5(region)_region_000000, StopRow: MD5(region+1)_region+1_*",
        "C:_ts_=1580976517000",
        "List<String> friends",
        "a*b*c, [a](b), \\_, &amp;, ~~x~~",
        "`%013d` of Long.MAX_VALUE - time",
        "two `` in one",
    ],
)
def test_a_quoted_text_with_marks_is_read_as_it_is(published):
    assert read(f"**published**: {quoted(published)}, and _") == f"published: {published}, and _"


@pytest.mark.parametrize("published", ["userId_timestamp", "[bucket][user][Long.MAX_VALUE - timestamp]", "a - b"])
def test_a_quoted_text_without_marks_is_in_quotes(published):
    assert read(quoted(published)) == quoted(published) == f'"{published}"'


@pytest.mark.parametrize("mark", ["-", "+", "*", "#", ">", ">=", "1.", "12)"])
def test_no_line_of_a_paragraph_starts_a_list_or_a_heading(mark):
    for words in range(MAX_LINE):
        text = "a " * words + f"{mark} b"
        for block in (filled(text), *([markdown_list([text])] if words else [])):
            assert sum(token.type == "inline" for token in tokens(block)) == 1, block


def test_a_cell_of_a_table_may_have_its_delimiter_in_code_too():
    table = markdown_table(("a|b", "c"), [("`x|y`", "z")])
    assert [token.content for token in tokens(table) if token.type in ("text", "code_inline")] == [
        "a|b",
        "c",
        "x|y",
        "z",
    ]
