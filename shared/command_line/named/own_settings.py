"""The settings of a store's tables in the command line: `--settings NAME=VALUE`, or a file of such lines.

The file may be that of another program, such as OpenTSDB's `opentsdb.conf`: lines with other names are skipped. Like
every file of Java's properties it may have a colon or blanks in place of the equals sign, and comments after `#` or
`!`.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...designs import Design

OPTION = "--settings"

_PROPERTY = re.compile(r"\s*([^\s=:#!]+)\s*[=:]?\s*(.*)")

_given: list[str] = []


def give_settings(words: Iterable[str] = ()) -> None:
    """Sets what `--settings` gives in this command line."""
    _given[:] = words


def given_words() -> list[str]:
    """The words that give the same settings in another command line."""
    return [word for given in _given for word in (OPTION, given)]


def are_given() -> bool:
    """Whether this command line gives settings."""
    return bool(_given)


def given_settings(design: "Design") -> dict[str, str]:
    """The settings that this command line gives, by name; a later value replaces an earlier one."""
    if not _given:
        return {}
    from ..screen.wrong_usage import WrongUsage, check_name

    if design.settings is None:
        raise WrongUsage(f"{OPTION}: the tables of {design.name} have no settings")
    settings: dict[str, str] = {}
    for word in _given:
        name, equals, text = word.partition("=")
        if equals:
            settings[check_name("setting", name.strip(), design.settings.names)] = text.strip()
        else:
            settings |= {**design.settings.omitted_in_file, **_in_file(word, design.settings.names)}
    return settings


def _in_file(path: str, names: Iterable[str]) -> dict[str, str]:
    from ...stores.outcomes.connection_errors import first_line
    from ..screen.wrong_usage import CommandFailed

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [match.groups() for match in map(_PROPERTY.match, file) if match]
    except OSError as error:
        raise CommandFailed(f"{OPTION} {path}: {first_line(error)}; or give NAME=VALUE") from None
    wanted = {*names}
    return {name: text.strip() for name, text in lines if name in wanted}
