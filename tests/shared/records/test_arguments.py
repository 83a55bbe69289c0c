"""Arguments of questions: one line names argument, wanted and given."""

import pytest

from shared.keys import InvalidQuestion
from shared.records import check_int, check_one_of, check_text


def test_arguments_of_the_right_type_pass():
    check_text("user", "")
    check_int("until_ms", -1)
    check_int("keep", 0, 0)
    check_one_of("filter_at", "client", "server", "client")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_text("user", None), "user: must be text (got None)"),
        (lambda: check_text("user", "", empty=False), "user: must be text, not empty (got '')"),
        (lambda: check_text("user", None, empty=False), "user: must be text, not empty (got None)"),
        (lambda: check_int("until_ms", 1.5), "until_ms: must be an int (got 1.5)"),
        (lambda: check_int("keep", True, 0), "keep: must be 0 or more (got True)"),
        (lambda: check_int("keep", -1, 0), "keep: must be 0 or more (got -1)"),
        (lambda: check_int("keep", -(10**5000), 0), "keep: must be 0 or more (got an int of 16610 bits)"),
        (lambda: check_one_of("at", "x", "server", "client"), "at: must be one of server, client (got 'x')"),
        (lambda: check_one_of("at", ["server"], "server"), "at: must be one of server (got ['server'])"),
    ],
)
def test_other_arguments_are_refused_in_one_line(check, message):
    with pytest.raises(InvalidQuestion) as refused:
        check()
    assert str(refused.value) == message
