"""The journal of systemd: JSON and export, with values that are bytes, several, or too long."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.loading import LOG_FORMATS
from shared.loading.journald import JOURNALD
from shared.loading.text_files import TextFile
from tests.engines import examples

ENTRY = {
    "__CURSOR": "s=4ec1;i=1",
    "__REALTIME_TIMESTAMP": "1719859366807141",
    "_HOSTNAME": "falcon",
    "_PID": "3728",
    "PRIORITY": "3",
    "SYSLOG_IDENTIFIER": "pulseaudio",
    "MESSAGE": "Unable to parse",
}
NAMES = {"host": "falcon", "pid": "3728", "process": "pulseaudio", "severity": "err", "message": "Unable to parse"}


def rows(tmp_path, data):
    path = tmp_path / "journal"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    file = TextFile(path)
    first = file.first_line()
    found = [*JOURNALD.read(file.lines(first, JOURNALD.line_ends), Path("journal"))]
    file.close()
    return found


def exported(entry):
    """An entry as the documentation of the format describes it."""
    pieces = []
    for name, values in entry.items():
        for value in values if isinstance(values, list) else [values]:
            data = value.encode(errors="surrogateescape")
            if b"\n" in data:
                pieces.append(name.encode() + b"\n" + len(data).to_bytes(8, "little") + data + b"\n")
            else:
                pieces.append(name.encode() + b"=" + data + b"\n")
    return b"".join(pieces)


def test_an_entry_has_its_fields_and_the_names_that_syslog_has():
    assert JOURNALD.recognizes(json.dumps(ENTRY))
    assert JOURNALD.recognizes("__CURSOR=s=4ec1;i=1\n")


def test_json_and_export_are_read_as_the_same(tmp_path):
    other = ENTRY | {"MESSAGE": "two\nlines", "_PID": "7"}
    wanted = [ENTRY | NAMES, other | NAMES | {"message": "two\nlines", "pid": "7"}]
    as_json = rows(tmp_path, f"{json.dumps(ENTRY)}\n{json.dumps(other)}\n")
    assert as_json == [(1, 1, wanted[0]), (2, 2, wanted[1])]
    as_export = rows(tmp_path, exported(ENTRY) + b"\n" + exported(other) + b"\n")
    assert [values for _, _, values in as_export] == wanted
    assert [numbers[:2] for numbers in as_export] == [(1, 7), (9, 17)]


def test_a_list_of_bytes_is_the_text_that_they_are(tmp_path):
    data = "a\r\x1b[0mé"
    ((_, _, values),) = rows(tmp_path, json.dumps(ENTRY | {"MESSAGE": [*data.encode()], "X": [255], "Y": ["a", "b"]}))
    assert values["message"] == values["MESSAGE"] == data
    assert (values["X"], values["Y"]) == ("\udcff", ["a", "b"])


def test_a_field_that_occurs_again_is_a_list(tmp_path):
    ((_, _, values),) = rows(tmp_path, exported(ENTRY | {"X": ["a", "b\nc", "d"]}))
    assert values["X"] == ["a", "b\nc", "d"]


def test_an_entry_may_lack_what_has_a_name_in_syslog(tmp_path):
    entry = {"__REALTIME_TIMESTAMP": "1", "_COMM": "cron", "PRIORITY": "9"}
    assert rows(tmp_path, exported(entry)) == [(1, 3, entry | {"process": "cron"})]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no field\n", "must be FIELD=value (got 'no field')"),
        (b"MESSAGE\n\x05\0\0\0\0\0\0\0toolong\n", "MESSAGE: must have its length in eight bytes, then as many bytes"),
        (b"MESSAGE\n\x05\0\0\0", "MESSAGE: must have its length in eight bytes, then as many bytes and a line end"),
        (b"MESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xffx\n", "MESSAGE: must have its length in eight bytes"),
    ],
)
def test_a_wrong_entry_is_refused_and_the_next_one_is_read(tmp_path, data, reason):
    found = rows(tmp_path, exported(ENTRY) + data + b"\n" + exported(ENTRY))
    assert found[0][2].startswith(reason)
    assert [values for _, _, values in found[1:]] == ([ENTRY | NAMES] if data.endswith(b"\n") else [])


def test_an_entry_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("shared.loading.journald.MAX_LINE_CHARACTERS", 300)
    found = rows(tmp_path, exported(ENTRY | {"X": ["x" * 100] * 2}) + b"\n" + exported(ENTRY))
    assert [values for _, _, values in found] == [
        "an entry must have at most 300 characters, line ends included",
        ENTRY | NAMES,
    ]


VALUE = st.one_of(st.text(), st.binary().map(lambda data: data.decode(errors="surrogateescape")))
VALUE = VALUE.filter(lambda text: text.encode(errors="surrogateescape").decode(errors="surrogateescape") == text)


@settings(max_examples=examples(100))
@given(st.lists(st.lists(VALUE, min_size=2), min_size=1))
def test_an_export_holds_any_bytes(tmp_path_factory, entries):
    folder = tmp_path_factory.getbasetemp()
    data = b"\n".join(exported(ENTRY | {"X": values}) for values in entries)
    assert [values["X"] for _, _, values in rows(folder, data)] == entries


def test_only_the_journal_is_recognized_as_such():
    for line, names in {json.dumps(ENTRY): ["journald"], '{"MESSAGE": "x"}': [], "__CURSOR: x": []}.items():
        assert [format.name for format in LOG_FORMATS if format.recognizes(line)] == names
