"""What the trap of the separator says of Java is what Java does."""

import shutil
import subprocess

import pytest

from domains.messages.traps import java_split

TEXTS = [("a|b|c", "|"), ("a.b", "."), ("u_1__", "_"), ("_u", "_"), ("a", "_")]


def test_a_separator_is_a_pattern_and_empty_strings_at_the_end_are_lost():
    assert [java_split(*text) for text in TEXTS[:3]] == [["a", "|", "b", "|", "c"], [], ["u", "1"]]


@pytest.mark.long
def test_java_splits_texts_so(tmp_path):
    jshell = shutil.which("jshell")
    if jshell is None:
        pytest.skip("needs jshell of Java 17 on the PATH (on Debian openjdk-17-jdk-headless)")
    lines = [f'System.out.println(java.util.Arrays.toString("{text}".split("{by}")));' for text, by in TEXTS]
    ran = subprocess.run(
        [jshell, f"-J-Djava.util.prefs.userRoot={tmp_path}", "--execution", "local", "--no-startup", "-s", "-"],
        input="\n".join([*lines, ""]),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.stdout.splitlines() == [f"[{', '.join(java_split(text, by))}]" for text, by in TEXTS], ran.stderr
