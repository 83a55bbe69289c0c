"""What the trap of the separator says of Java is what Java 17 answered."""

import pytest

from domains.messages.shown.published import java_split


@pytest.mark.parametrize(
    ("text", "separator", "parts"),
    [
        ("a|b|c", "|", ["a", "|", "b", "|", "c"]),
        ("a.b", ".", []),
        ("u_1__", "_", ["u", "1"]),
        ("_u", "_", ["", "u"]),
        ("a", "_", ["a"]),
    ],
)
def test_a_separator_is_a_pattern_and_empty_strings_at_the_end_are_lost(text, separator, parts):
    assert java_split(text, separator) == parts
