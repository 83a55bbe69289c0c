"""The log of a Unix host as actions: what each line becomes, what is passed over, what is refused."""

import pytest

from domains.activity import Action, Repeats
from domains.activity.formats import FORMATS
from shared.loading import read_lines
from shared.records import show_time
from tests.domains.test_real_files import REAL, YEARS

FROM = "from 203.0.113.9 port 54259 ssh2"
START = "Jan  5 08:07:31 web-1 "
MONDAY = "2026-01-05T08:07:31.000Z"
NO_HOST = "must start with a time and a host, such as Jan  5 08:07:31 web-1 (got '-- cut --')"
LINES = [
    (f"sshd[1]: Accepted publickey for ada {FROM}: RSA SHA256:AbCd", "ada|sshd accepted|web-1|203.0.113.9"),
    (f"sshd[1]: Failed password for ada {FROM}", "ada|sshd failed|web-1|203.0.113.9"),
    (f"sshd[1]: Failed password for invalid user admin {FROM}", "admin|sshd failed|web-1|203.0.113.9"),
    (f"sshd[1]: Failed none for x from 1.2.3.4 port 5 {FROM}", "x from 1.2.3.4 port 5|sshd failed|web-1|203.0.113.9"),
    ("sshd[1]: Invalid user admin from 203.0.113.7", "admin|sshd invalid|web-1|203.0.113.7"),
    ("sudo:   ada : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/id -u", "ada|sudo command|web-1|"),
    ("sudo:   ada : 3 incorrect password attempts ; COMMAND=/bin/id", "ada|sudo command|web-1|"),
    ("CRON[9]: pam_unix(cron:session): session opened for user root by (uid=0)", "root|CRON session opened|web-1|"),
    ("systemd: pam_unix(systemd-user:session): session closed for user ada", "ada|systemd session closed|web-1|"),
    ("su(pam_unix)[1597]: session opened for user cyrus by (uid=0)", "cyrus|su session opened|web-1|"),
    ("su(pam_unix)[1597]: session closed for user cyrus", "cyrus|su session closed|web-1|"),
]
PASSED_OVER = [
    "sshd[1]: Connection closed by 203.0.113.7 port 40022 [preauth]",
    f"su[2]: Accepted password for ada {FROM}",
    "su[2]: session opened for user ada by (uid=0)",
    "sshd(pam_unix)[3]: authentication failure; logname= uid=0 euid=0 tty=NODEVssh ruser= rhost=203.0.113.7",
    "systemd-logind[3]: New seat seat0.",
    "kernel without a colon",
    "",
]


@pytest.fixture
def read(tmp_path):
    """Reads a text as a file of 2026, equal actions with ties of their own."""

    def lines(text):
        path = tmp_path / "auth.log"
        path.write_text(text, encoding="utf-8")
        repeats = Repeats()
        of_file = read_lines(path, Action, formats=FORMATS, year=2026)
        found = [(line.number, repeats(line.record) if line.record else line.reason) for line in of_file]
        assert of_file.ignored == of_file.count - text.count("\n\n") - len({number for number, _ in found})
        return found

    return lines


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_a_line_that_names_a_user_is_an_action_with_the_whole_message(read, line, wanted):
    ((_number, action),) = read(f"{START}{line}\n")
    assert "|".join([action.user, action.verb, action.object, action.source]) == wanted
    assert show_time(action.time_ms) == MONDAY
    assert action.detail == line.partition(": ")[2].strip()


def test_lines_without_a_user_are_passed_over_and_those_that_are_not_of_syslog_refused(read):
    good = f"{START}{LINES[0][0]}"
    results = read("\n".join([good, *(START + line for line in PASSED_OVER), "", "-- cut --", good]))
    assert [number for number, _ in results] == [1, 3 + len(PASSED_OVER), 4 + len(PASSED_OVER)]
    assert results[1][1] == NO_HOST
    assert read(f"{good}\n{START}sshd[1]: Invalid user  from 203.0.113.7\n")[1] == (
        2,
        "Action.user: must be text, not empty (got '')",
    )


def test_a_repeated_message_is_as_many_actions_each_a_row_of_its_own(read):
    once = f"{START}sshd[1]: Failed password for root {FROM}\n"
    again = f"{START}sshd[1]: message repeated 2 times: [ Failed password for root {FROM}]\n"
    results = read(once + again)
    actions = [action for _, action in results]
    assert [number for number, _ in results] == [1, 2, 2]
    assert len({action.tie for action in actions}) == 3
    assert {(action.user, action.detail) for action in actions} == {("root", f"Failed password for root {FROM}")}
    assert read(once + again) == results


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_a_real_log_has_2463_actions_in_2327_lines_of_which_1402_differ_in_user_and_second():
    path = REAL / "audit" / "auth_first5000.log"
    lines = [*read_lines(path, Action, formats=FORMATS, year=YEARS[path.name])]
    actions = [*map(Repeats(), (line.record for line in lines))]
    moments = {(action.user, action.time_ms) for action in actions}
    assert (len({line.number for line in lines}), len({*actions}), len(moments)) == (2_327, 2_463, 1_402)
    assert len({action.user for action in actions}) == 52
