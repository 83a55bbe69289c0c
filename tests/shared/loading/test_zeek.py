r"""Logs of Zeek: columns and types of their `#` lines, what is unset or empty or escaped, and the same as JSON."""

from pathlib import Path

import attrs
import pytest

from shared.loading import LOG_FORMATS, Description, read_lines
from shared.loading.zeek import ZEEK

HEADER = [
    r"#separator \x09",
    "#set_separator\t,",
    "#empty_field\t(empty)",
    "#unset_field\t-",
    "#path\tsmtp",
    "#open\t2024-04-12-19-29-15",
    "#fields\tts\tuid\tid.orig_h\trcptto\ttls\tsubject",
    "#types\ttime\tstring\taddr\tset[string]\tbool\tstring",
]
LINE = "1521911721.789543\tC18H5P2\t10.164.94.120\ta@x,b@y\tT\thi"
VALUES = {"ts": "1521911721.789543", "uid": "C18H5P2", "id.orig_h": "10.164.94.120", "rcptto": ["a@x", "b@y"]}
VALUES |= {"tls": "true", "subject": "hi"}


@attrs.frozen
class Mail:
    """Whom a mail is from, and when."""

    host: str
    time_ms: int
    to: tuple[str, ...] = ()


def rows(*lines):
    return [*ZEEK.read((f"{line}\n" for line in lines), Path("smtp.log"))]


def values(*lines):
    return [found for _, _, found in rows(*lines)]


def test_a_line_has_the_columns_of_its_header_and_comments_are_none():
    assert rows(*HEADER, LINE, "", "#close\t2024-04-12-19-29-17") == [(9, 9, VALUES)]
    assert rows("", "", *HEADER, LINE) == [(11, 11, VALUES)]


def test_what_is_unset_is_none_and_what_is_empty_is_empty():
    assert values(*HEADER, "1.5\t-\t-\t(empty)\tF\t(empty)", "1.5\t-\t-\ta,-\t-\t-") == [
        {"ts": "1.5", "uid": None, "id.orig_h": None, "rcptto": [], "tls": "false", "subject": ""},
        {"ts": "1.5", "uid": None, "id.orig_h": None, "rcptto": ["a", None], "tls": None, "subject": None},
    ]


def test_a_header_says_what_separates_and_what_stands_for_nothing():
    header = [line.replace("\t", "|") for line in HEADER[1:] if line[:6] not in ("#set_s", "#empty", "#unset")]
    header += ["#set_separator|;", "#empty_field|EMPTY", "#unset_field|NONE"]
    assert values(r"#separator \x7c", *header, "1.5|NONE|-|a;b|T|EMPTY") == [
        {"ts": "1.5", "uid": None, "id.orig_h": "-", "rcptto": ["a", "b"], "tls": "true", "subject": ""}
    ]


def test_escaped_characters_are_read_unless_they_are_no_text():
    (found,) = values(*HEADER, r"1.5" "\t" r"\x2d" "\t" r"\xc3\xa9\x09\x5c" "\t" r"a\x2cb,c" "\tT\t" r"\xff\xfe x")
    assert (found["uid"], found["id.orig_h"], found["rcptto"]) == ("-", "é\t\\", ["a,b", "c"])
    assert found["subject"] == r"\xff\xfe x"


def test_files_may_be_joined_and_the_later_ones_have_columns_of_their_own():
    second = [HEADER[0], "#fields\tts\tuid", "#types\ttime\tstring", "2.5\tC2"]
    assert values(*HEADER, LINE, "#close\tx", *second) == [VALUES, {"ts": "2.5", "uid": "C2"}]
    assert values(*HEADER, LINE, *second[1:2], "2.5\tC2") == [VALUES, {"ts": "2.5", "uid": "C2"}]


def test_a_header_may_lack_types():
    assert values(*HEADER[:-1], LINE) == [VALUES | {"rcptto": "a@x,b@y", "tls": "T"}]


def test_a_line_that_does_not_fit_its_header_is_refused():
    wrong_types = "#types must have 6 types, like #fields (got 2)"
    assert values(HEADER[0], LINE) == [f"must follow a line #fields, which names the columns (got {LINE!r})"]
    assert values(*HEADER, "1.5\tC2") == ["must have 6 fields, like #fields (got 2)"]
    assert values(*HEADER[:-1], "#types\ttime\tstring", LINE) == [wrong_types]


def test_json_has_the_same_columns():
    line = '{"ts":1521911721.789543,"uid":"C18H5P2","id.orig_h":"10.164.94.120","rcptto":["a@x"],"tls":true}'
    (found,) = values(line)
    assert found == {"ts": 1521911721.789543, "uid": "C18H5P2", "id.orig_h": "10.164.94.120"} | {
        "rcptto": ["a@x"],
        "tls": True,
    }
    assert values("", "", "{", line)[0].startswith("is not valid JSON: ")


@pytest.mark.parametrize(
    ("line", "is_zeek"),
    [
        (HEADER[0], True),
        ('{"ts":1521911721.789543,"uid":"C18H5P2"}', True),
        ('{"ts":"2018-03-24T17:15:21.789543Z","fuid":"C18H5P2"}', True),
        ('{"_path":"conn","ts":"2018-03-24T17:15:21.789543Z"}', True),
        ('{"ts": 1521911721.0, "uid": "C18H5P2"}', True),
        ('{"ts":1521911721789,"uid":"7"}', False),
        ('{"ts":1521911721,"level":"info","msg":"a log of zap"}', False),
        ("# separator", False),
    ],
)
def test_zeek_is_recognized(line, is_zeek):
    assert [format.name for format in LOG_FORMATS if format.recognizes(line)] == (["zeek"] if is_zeek else [])


def test_records_of_a_log(tmp_path):
    path = tmp_path / "smtp.log"
    path.write_text("\n".join([*HEADER, LINE.replace("789543", "789000")]))
    mapping = {"host": "id.orig_h", "time_ms": "ts", "to": "rcptto"}
    (line,) = read_lines(path, Mail, description=Description().with_fields(column=mapping))
    assert line.record == Mail("10.164.94.120", 1_521_911_721_789, ("a@x", "b@y"))
