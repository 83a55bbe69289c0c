"""What a shell completes, and what help texts say of words and options."""

import pytest

from shared.command_line.commands.app import PANELS

COMMANDS = [name for panel in PANELS.values() for name in panel]


@pytest.fixture
def completed(ok, environment):
    """What bash completes after some words; it cuts them at their equals signs."""

    def run(*words):
        line = " ".join(["rowbook", *words])
        environment.update(COMP_WORDS=line, COMP_CWORD=str(len(words)), _ROWBOOK_COMPLETE="complete_bash")
        return ok("").split()

    return run


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        (["run", "logs:s"], ["logs:salted", "logs:slices"]),
        (["ask", "orders", "of"], ["of-seller", "of-buyer"]),
        (["ask", "orders", "of-seller", "s"], ["seller_id=", "since_ms=", "status="]),
        (["ask", "orders", "of-seller", "seller_id", "=", "a", "u"], ["until_ms="]),
        (["ask", "orders", "of-seller", "status", "=", "p"], ["placed", "paid"]),
        (["ask", "orders", "of-seller", "status=p"], ["status=placed", "status=paid"]),
        (["ask", "orders", "none", "s"], []),
        (["explain", "orders", "status=ca"], ["status=cancelled"]),
        (["scan", "logs:salted", "l"], ["logs_salted"]),
        (["scan", "orders", "orders_by_seller", "s"], ["seller_id=", "status="]),
        (["do", "tsdb", "c"], ["compact"]),
        (["load", "orders", "a.csv", "--map", "p"], ["placed_ms="]),
        (["ddl", "tsdb", "--settings", "tsd.storage.salt."], ["tsd.storage.salt.width=", "tsd.storage.salt.buckets="]),
        (["ddl", "orders", "--settings", "tsd"], []),
        (["explain", "none", "a"], []),
    ],
    ids=" ".join,
)
def test_a_shell_completes_names_fields_and_values(completed, words, completions):
    assert completed(*words) == completions


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_arguments_by_what_they_are(ok, command):
    shown = ok(f"{command} --help")
    assert not {*"<>{"} & {*shown}
    assert "list[" not in shown
    assert "field=value" not in shown


@pytest.mark.parametrize(
    ("line", "is_shown"), [("load tsdb", True), ("load", True), ("load orders", False), ("ask logs:salted", False)]
)
def test_settings_stand_in_the_help_only_if_they_do_something(ok, line, is_shown):
    assert ("--settings" in ok(f"{line} --help")) == is_shown
