"""Files in formats of designs: what each line becomes, what is passed over, what is refused and why."""

import tomllib

import pytest

from domains.activity import Action, Repeats
from domains.activity.formats import FORMATS as FORMATS_OF_ACTIONS
from shared.loading import Description, UnreadableFile, read_lines
from shared.records import show_time
from tests.copies import ROOT
from tests.designs import all_designs

from .test_real_files import REAL, YEARS

FILES = tomllib.loads((ROOT / "tests/domains/foreign_files.toml").read_text("utf-8"))
LOADS = {load.record.__name__: load for design in all_designs() for load in design.loads}
CASES = [
    pytest.param(LOADS[record], fields.split(), file, id=f"{record} {number}")
    for record, fields in FILES["fields"].items()
    for number, file in enumerate(FILES[record])
]


def shown(record, fields):
    """The values of a record in one line, times in words."""
    values = [(name, getattr(record, name)) for name in fields]
    words = [show_time(value) if name.endswith("_ms") else str(value) for name, value in values]
    return "|".join(words).replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")


@pytest.mark.parametrize(("load", "fields", "file"), CASES)
def test_a_line_is_as_many_records_as_it_says_or_passed_over_or_refused(tmp_path, load, fields, file):
    path = tmp_path / "server" / "any.log"
    path.parent.mkdir()
    path.write_bytes(file["lines"].encode())
    said = Description(format=file.get("format", "auto"), year=file.get("year"))
    given = {"formats": load.formats, "description": said}
    if "refused" in file:
        with pytest.raises(UnreadableFile, match=file["refused"]):
            read_lines(path, load.record, **given)
        return
    numbered, found = load.new_record_transform(), []
    for line in read_lines(path, load.record, **given):
        words = f"{line.reason}{line.span}" if line.record is None else shown(numbered(line.record), fields)
        found.append(f"{line.number} {words}")
    for line, wanted in zip(found, file["found"].splitlines(), strict=True):
        start = wanted.removesuffix("...")
        assert line == wanted or (start != wanted and line.startswith(start))


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_a_real_log_has_2463_actions_in_2327_lines_of_which_1402_differ_in_user_and_second():
    path = REAL / "audit" / "auth_first5000.log"
    lines = [*read_lines(path, Action, formats=FORMATS_OF_ACTIONS, description=Description(year=YEARS[path.name]))]
    actions = [*map(Repeats(), (line.record for line in lines))]
    moments = {(action.user, action.time_ms) for action in actions}
    assert (len({line.number for line in lines}), len({*actions}), len(moments)) == (2_327, 2_463, 1_402)
    assert len({action.user for action in actions}) == 52
