"""Options that describe files, as one description; it can be saved as a TOML file, and taken from one."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import tomli_w
from cattrs import Converter

from ...keys.errors import shown
from ...loading import Format, Lines, read_lines
from ...loading.description import Description, FieldDescription, TagDescription, read_description
from ..named.typed_values import number, pairs, time, with_full_names
from ..screen.wrong_usage import WrongUsage

LAST_YEAR = 9999
"""The last year of which a record holds a time."""
MOST_SKIPPED = 1_000_000
"""The most lines of `--skip`."""
MOST_SCALED = 10**12
"""The largest scale of a number."""
_OF_FIELDS = {
    "column": "--map FIELD=COLUMN",
    "value": "--set FIELD=VALUE",
    "default": "--default FIELD=VALUE",
    "unit": "--unit FIELD=s|ms|us",
    "format": "--time-format FIELD=FORMAT",
    "scale": "--scale FIELD=N",
}
"""What an option says of fields, and how it is written."""
_NUMBERS = {"year": ("--year", LAST_YEAR), "skip": ("--skip", MOST_SKIPPED)}


@attrs.frozen
class Reading:
    """How files are read."""

    description: Description

    @classmethod
    def of(
        cls,
        describe: str | None,
        of_fields: Mapping[str, Sequence[str] | None],
        tags: Iterable[str],
        options: Mapping[str, Any],
    ) -> "Reading":
        """By a file of TOML, and by options, which say more or otherwise; None where one is omitted."""
        description = Description() if describe is None else _read(describe)
        said = {name: value for name, value in options.items() if value is not None}
        for name, (option, last) in _NUMBERS.items():
            if name in said:
                said[name] = number(option, said[name], last)
        if said.get("delimiter") in ("\\t", "tab"):  # which no shell makes of '\t'
            said["delimiter"] = "\t"
        if "at" in said:
            time("--at", said["at"])  # refuses a text that is not a time
        fields = {what: pairs(words or (), _OF_FIELDS[what]) for what, words in of_fields.items()}
        scales = {name: number("--scale", text, MOST_SCALED) for name, text in fields.pop("scale", {}).items()}
        with_fields = attrs.evolve(description, **said).with_fields(**fields, scale=scales)
        return cls(attrs.evolve(with_fields, tags={**description.tags, **_tags(tags)}))

    def reader(self) -> Callable[..., Lines[Any]]:
        """`read_lines` by this description; the `_ms` of a field's name may be left out, as in all commands."""

        def read(file: str, *, record_type: type[Any], formats: Sequence[Format]) -> Lines[Any]:
            names = [field.name for field in attrs.fields(record_type)]
            fields: dict[str, FieldDescription] = {}
            tags = dict(self.description.tags)
            for name, field in self.description.fields.items():
                if name in tags:  # `--map road=street` names the column of a tag, too
                    tags[name] = attrs.evolve(tags[name], column=field.column)
                else:
                    fields[name] = field
            named = attrs.evolve(self.description, fields=with_full_names(fields, names), tags=tags)
            return read_lines(file, record_type=record_type, formats=formats, description=named)

        return read

    @contextmanager
    def saved(self, path: str) -> Generator[None]:
        """A block that keeps the description in a file, which must not exist; an error removes it."""
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(written_description(self.description))
        except FileExistsError:
            raise WrongUsage(f"--save: must be a file that does not exist (got {shown(path)})") from None
        except (OSError, ValueError) as error:
            raise WrongUsage(f"--save: {getattr(error, 'strerror', None) or error} (got {shown(path)})") from None
        try:
            yield
        except BaseException:
            Path(path).unlink()
            raise


def written_description(description: Description) -> str:
    """The text of a TOML file that `read_description` reads as this description."""
    return tomli_w.dumps(Converter(omit_if_default=True).unstructure(description))


def _read(path: str) -> Description:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError for bytes that are not UTF-8, and for a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise WrongUsage(f"--describe: must be a file of TOML: {reason} (got {shown(path)})") from None
    return read_description(text, path)


def _tags(words: Iterable[str]) -> dict[str, TagDescription]:
    """The tags with their values; without a value, a tag is in a column."""
    tags: dict[str, TagDescription] = {}
    for word in words:
        tag, equals, value = word.partition("=")
        if not tag or (equals and not value):
            raise WrongUsage(f"--tag: must be TAG or TAG=VALUE (got {shown(word)})")
        tags[tag] = TagDescription(value=value if equals else None)
    return tags
