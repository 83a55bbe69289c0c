"""What the published mistakes give, and what the right way gives."""

from domains.counters import traps
from domains.counters.design import DESIGN


def outcome(trap):
    run = trap(DESIGN)
    return run.wrong, run.right


def test_three_appends_are_111_as_text_and_1_as_a_long():
    assert outcome(traps.append_as_a_counter) == ("111; as longs 24 bytes, whose first 8 read as 1 for ever", "3")


def test_three_increments_after_a_lost_reply_are_four():
    assert outcome(traps.increment_after_a_lost_reply) == ("4", "3")


def test_the_key_of_the_text_is_that_of_another_user_in_the_code():
    wrong = "0 counters for ada; user ada_loginCount, who never came, has 3"
    assert outcome(traps.two_keys_for_one_count) == (wrong, "3")


def test_a_delimiter_in_a_name_adds_other_users_to_the_prefix_and_to_the_period():
    assert outcome(traps.delimiter_inside_a_user) == ("3 rows with the prefix, 2 in March", "1 and 1")


def test_one_moment_is_two_dates():
    assert outcome(traps.date_of_a_server) == ("1 on 20240315, 1 on 20240316", "2 on 20240315")


def test_every_trap_is_shown():
    assert len(DESIGN.traps) == 5
