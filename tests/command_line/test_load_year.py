"""`rowbook load --year`: files whose times have no year."""

import pytest

from shared.records import parse_time
from tests.copies import ROOT

AUTH = ROOT / "fixtures" / "counters" / "auth.log"
ACCESS = ROOT / "fixtures" / "counters" / "access.log"


def days(rowbook, url, user):
    code, out, _err = rowbook(f"ask counters days user={user} --store '{url}' --json")
    assert code == 0
    return out


def test_the_year_is_that_of_the_first_line_and_goes_on_over_new_year(rowbook, new_url):
    url = new_url()
    code, out, err = rowbook(f"load counters {AUTH} --year 2025 --store '{url}'")
    assert (code, out, err) == (0, f"{AUTH}: sshd, 4 records stored\n", "")
    answer = days(rowbook, url, "ada")
    for day in ("2025-12-31", "2026-01-01"):
        assert str(parse_time(day)) in answer


def test_failed_log_ins_are_loaded_by_the_name_of_their_format(rowbook, new_url):
    code, out, _err = rowbook(f"load counters {AUTH} --format sshd-failed --year 2026 --store '{new_url()}'")
    assert (code, out) == (0, f"{AUTH}: sshd-failed, 4 records stored\n")


def test_without_a_year_the_file_is_refused_in_one_line_and_nothing_is_stored(rowbook, folder):
    code, out, err = rowbook(f"load counters {AUTH} --store embedded:a.db --on-error skip")
    assert (code, out) == (1, "")
    assert err == f"{AUTH}: is read as sshd log, whose times have no year: give --year, that of its first line\n"
    assert not (folder / "a.db").exists()


def test_a_year_for_a_file_whose_times_have_one_is_wrong_usage(rowbook):
    code, out, err = rowbook(f"load counters {ACCESS} --year 2026 --store embedded:")
    assert (code, out) == (2, "")
    assert err == f"{ACCESS}: is read as combined log, whose times have a year: leave out --year (got 2026)\n"


def test_of_two_files_the_one_whose_times_have_a_year_is_refused_with_what_is_stored(rowbook):
    code, _out, err = rowbook(f"load counters {AUTH} {ACCESS} --year 2026 --store embedded:")
    assert code == 1
    assert err.endswith("leave out --year (got 2026); 4 records stored before\n")


@pytest.mark.parametrize("year", ["0", "10000", "26.5", "", "MMXXVI"])
def test_a_year_is_a_number_of_up_to_four_digits(rowbook, year):
    code, _out, err = rowbook(f"load counters {AUTH} --year '{year}' --store embedded:")
    assert code == 2
    assert err.startswith("--year: must be ")


def test_a_day_that_the_year_lacks_is_a_bad_line(rowbook, folder):
    line = " web-1 sshd[1]: Accepted password for ada from 203.0.113.9 port 1 ssh2\n"
    (folder / "auth.log").write_text(f"Feb 28 12:00:00{line}Feb 29 12:00:00{line}", encoding="utf-8")
    assert rowbook("load counters auth.log --year 2024 --store embedded:")[0] == 0
    code, _out, err = rowbook("load counters auth.log --year 2023 --store embedded:")
    assert (code, err.splitlines()) == (
        1,
        [
            "auth.log:2: Login.time_ms: must be a time of 2023, the year counted from that of the first line "
            "(got 'Feb 29 12:00:00'); --on-error skip goes on; 1 record stored before"
        ],
    )
