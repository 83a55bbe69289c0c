"""Formats of logs that every design reads: none takes a file of a design's own format; EVE is JSON lines."""

import attrs
import pytest

from shared.loading import LOG_FORMATS, Description, read_lines
from shared.loading.detection import FORMATS
from shared.loading.log_formats import EVE
from tests.copies import ROOT
from tests.designs import all_designs

ALERT = (
    '{"timestamp":"2019-01-02T03:50:11.315110+0000","flow_id":52710912,"event_type":"alert","src_ip":"8.42.77.171",'
    '"alert":{"signature":"ET SCAN Potential SSH Scan","severity":2}}'
)
REAL = ROOT.parent / "shared" / "data"


@attrs.frozen
class Alert:
    """What was seen, and from where."""

    host: str
    text: str


def test_eve_is_recognized_and_its_nested_values_are_columns(tmp_path):
    assert [format.name for format in LOG_FORMATS if format.recognizes(ALERT)] == ["eve"]
    assert EVE.recognizes(ALERT.replace("+0000", "").replace('":"', '": "'))
    for other in ('{"timestamp":"2019-01-02","event_type":"x"}', '{"timestamp":"2019-01-02T03:50:11.315110Z"}'):
        assert not EVE.recognizes(other)
    path = tmp_path / "eve.json"
    path.write_text(f"{ALERT}\n{ALERT[:50]}\n")
    said = Description().with_fields(column={"host": "src_ip", "text": "alert.signature"})
    found = [*read_lines(path, Alert, description=said)]
    assert found[0].record == Alert("8.42.77.171", "ET SCAN Potential SSH Scan")
    assert found[1].reason.startswith("is not valid JSON: ")


def test_each_names_the_column_of_its_time():
    assert {format.name: (format.time_column, format.time_unit) for format in LOG_FORMATS} == {
        "syslog": ("time", ""),
        "zeek": ("ts", "s"),
        "eve": ("timestamp", ""),
        "journald": ("__REALTIME_TIMESTAMP", "us"),
    }


def test_their_names_are_those_of_no_other_format():
    others = {format.name for design in all_designs() for load in design.loads for format in load.formats}
    assert others.isdisjoint(format.name for format in FORMATS)


@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_of_the_real_files_only_the_log_of_sshd_is_in_one_of_these_formats():
    taken = {}
    for path in sorted(path for path in REAL.rglob("*.*") if path.is_file() and path.suffix != ".md"):
        with path.open(encoding="utf-8") as file:
            line = file.readline()
        if names := [format.name for format in LOG_FORMATS if format.recognizes(line)]:
            taken[path.name] = names
    assert taken == {"auth_first5000.log": ["syslog"]}
