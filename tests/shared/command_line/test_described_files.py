"""`rowbook load` of a file that is described: by options, by a TOML file, and checked before it is stored."""

import json

import pytest

AIR = "Date;Time;CO(GT)\n10/03/2004;18.00.00;2,6\n10/03/2004;19.00.00;?\n11/03/2004;19.00.00;?\nnow;x;1\n"
OPTIONS = (
    "--delimiter ';' --decimal , --zone Europe/Rome --none '?' --map time=Date+Time --map 'value=CO(GT)' "
    "--time-format 'time=%d/%m/%Y %H.%M.%S' --set host=rome --set metric=co"
)


@pytest.fixture
def air(folder):
    """The file `air.csv`."""
    (folder / "air.csv").write_text(AIR, encoding="utf-8")
    return folder


def test_options_are_saved_and_read_again_as_a_description(air, rowbook, ok):
    saved = rowbook(f"load monitoring air.csv --check --save air.toml {OPTIONS}")
    assert saved == rowbook("load monitoring air.csv --check --describe air.toml")
    assert (air / "air.toml").read_text(encoding="utf-8").startswith('delimiter = ";"\ndecimal = ","\n')
    assert rowbook("load monitoring air.csv --describe air.toml --store embedded:air.db --on-error skip")[0] == 0
    (point,) = json.loads(ok("scan monitoring --store embedded:air.db --json"))["records"]
    assert (point["value"], point["time_ms"]) == (2.6, 1_078_938_000_000)


def test_a_check_stores_nothing_and_counts_each_reason_with_an_example(air, rowbook):
    code, out, err = rowbook(f"load monitoring air.csv --check {OPTIONS}")
    first, *reasons = " ".join(out.split()).replace("air.csv: csv", "\nair.csv: csv").split(" lines, such as ")
    assert (code, err, len([*air.iterdir()])) == (1, "", 1)
    assert first.strip() == "air.csv: csv, nothing stored; of a load: 1 record stored, 3 bad lines refused 2"
    assert reasons[0].startswith("air.csv:3: Point.value: must be a number in the range of a float (got None)")
    checked = json.loads(rowbook(f"load monitoring air.csv --check --json {OPTIONS}")[1])
    assert [refused["lines"] for refused in checked["files"][0]["refused"]] == [2, 1]


def test_a_check_counts_lines_together_whose_reasons_differ_only_in_what_the_lines_have(folder, rowbook):
    objects = [{"metric": "m"}, {"metric": "m", "a": 1}, {"metric": "m", "b": "c"}]
    (folder / "a.jsonl").write_bytes(b"\n".join(json.dumps(values).encode() for values in objects))
    (folder / "b.csv").write_bytes(b"host,metric,time_ms,value\nh,\xe9,0,1\nh,\xff,0,1\nh,m,0,1\n")
    for file, lines in (("a.jsonl", [3]), ("b.csv", [2])):
        checked = json.loads(rowbook(f"load monitoring {file} --check --json --set host=h --set time=0")[1])
        assert [refused["lines"] for refused in checked["files"][0]["refused"]] == lines


def test_a_check_tells_which_columns_and_fields_no_value_goes_through(folder, rowbook):
    (folder / "a.csv").write_text("host,event,time_ms,Severity,at.place\nh,e,2026-01-12T08:00,x,y\n", encoding="utf-8")
    out, err = rowbook("load logs a.csv --check --set message=none")[1:]
    assert "\ncolumns that are not read: Severity, at.place\nfields with their default: severity, tie\n" in f"\n{out}"
    note = "times without a zone are read as UTC, such as 2026-01-12T08:00; --zone says which they are in"
    assert err == f"a.csv: {note}\n"
    for said in ("--zone UTC", "--zone +00:00", "--map severity=Severity --time-format time=%Y-%m-%dT%H:%M --zone UTC"):
        assert rowbook(f"load logs a.csv --check --set message=none {said}")[2] == ""
    checked = json.loads(rowbook("load logs a.csv --check --json --set message=none --map severity=at.place")[1])
    assert (checked["files"][0]["unread"], checked["files"][0]["defaulted"]) == (["Severity"], ["tie"])


def test_lines_that_are_bad_in_one_way_are_said_ten_times_and_counted(folder, rowbook):
    bad = "".join(f"h,e,noon {number},m\n" for number in range(25))
    (folder / "a.csv").write_text(f"host,event,time_ms,message\nh,e,0,m\n{bad},e,0,m\n", encoding="utf-8")
    code, out, err = rowbook("load logs a.csv --store embedded: --on-error skip")
    said = [line for line in err.splitlines() if line.startswith("a.csv:")]
    assert (code, out) == (0, "a.csv: csv, 1 record stored, 26 bad lines skipped\n")
    assert [line.split(":")[1] for line in said] == [*map(str, range(3, 13)), "28", "3"]
    assert said[-1].endswith("(got 'noon 0'); 15 more like this are not shown")


def test_a_description_is_not_saved_if_the_load_is_refused(air, rowbook):
    refused = rowbook("load monitoring air.csv --check --save air.toml --delimiter ';' --map host=Hots")
    assert (refused[0], "no column Hots" in refused[2], (air / "air.toml").exists()) == (1, True, False)


def test_an_option_is_said_in_place_of_what_a_description_says(air, rowbook):
    rowbook(f"load monitoring air.csv --check --save air.toml {OPTIONS}")
    for said in ("--map host=Time", "--set host=milano"):
        checked = rowbook(
            f"load monitoring air.csv --describe air.toml --check {said} --save {said.split('=')[1]}.toml"
        )
        assert checked[:2] == rowbook("load monitoring air.csv --check --describe air.toml")[:2]
    assert 'host]\ncolumn = "Time"' in (air / "Time.toml").read_text(encoding="utf-8")
    assert 'host]\nvalue = "milano"' in (air / "milano.toml").read_text(encoding="utf-8")
    both = rowbook("load monitoring air.csv --check --map host=Time --set host=milano")
    assert both[2] == "Point.host: must have a value or a column, not both\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--check --store embedded:", "--store: must be without --check"),
        ("", "Missing option '--store': embedded:FILE or hbase://HOST:PORT; see rowbook load --help"),
        (
            "--check --describe none.toml",
            "--describe: must be a file of TOML: No such file or directory (got 'none.toml')",
        ),
        ("--check --save air.csv", "--save: must be a file that does not exist (got 'air.csv')"),
        ("--check --scale value=0", "--scale: must be 1..1000000000000 (got 0)"),
        ("--check --skip x", "--skip: must be 1..1000000 (got 'x')"),
        ("--check --encoding ebcdic", "encoding: must be one of Python's, such as latin-1 (got 'ebcdic')"),
        ("--check --zone Rome", "zone: must be a time zone of this machine, such as Europe/Rome, or an offset"),
        ("--check --pattern '(a'", "pattern: "),
        (
            "--check --layout 'iis:x'",
            "layout: must be the format string of a program after its name, apache:, nginx: or",
        ),
    ],
)
def test_what_no_description_can_say_is_refused_in_one_line(air, rowbook, words, reason):
    code, out, err = rowbook(f"load monitoring air.csv {words}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(reason)
    assert [path.name for path in air.iterdir()] == ["air.csv"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_in_another_encoding_is_stored_as_the_text_that_it_is(air, ok, encoding):
    (air / "a.csv").write_bytes("host,metric,time_ms,value\nMünchen,co,0,1\n".encode(encoding))
    said = "" if encoding == "utf-16" else f"--encoding {encoding}"  # UTF-16 has a mark
    ok(f"load monitoring a.csv --store embedded:a.db {said}")
    assert "München" in ok("scan monitoring --store embedded:a.db")
