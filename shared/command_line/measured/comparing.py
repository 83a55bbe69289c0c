"""`rowbook run NAME --file`: records of one's own in every variant: costs, bytes, hot spots, pictures."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import happybase
from rich.console import Console

from ...designs import AccessPattern, Design, Load, Variant, scratch_store
from ...exhibit.comparison import VariantCosts, measure_variant
from ...exhibit.heat import Heat
from ...exhibit.heat_recording import HeatRecording, heat_file
from ...exhibit.heat_tables import TableHeat, in_order_of_time, table_heats, table_writes, that_matter
from ...keys.errors import message_of
from ...stores.outcomes.connection_errors import first_line
from ..files.describing import Reading
from ..files.load_command import SKIP, chosen_load, read_as
from ..named.designs import find_variants, full_name
from ..named.typed_values import number
from ..screen.progress import doing
from ..screen.terminal import count, heading, line, wrapped
from ..screen.wrong_usage import CommandFailed
from . import run_output, short_run_output
from .arguments_of_records import OwnArguments

LEAST, MOST = 16, 100_000


@attrs.frozen
class OwnLoad(Load):
    """A load whose samples are the user's records."""

    records: Sequence[Any] = attrs.field(kw_only=True, eq=False)

    def sample_records(self) -> Iterator[Any]:
        """The records."""
        return iter(self.records)


def compare(
    out: Console,
    errors: Console,
    name: str,
    files: list[str],
    load_name: str | None,
    reading: Reading,
    limit: str,
    words: list[str],
    pictures: str | None,
    *,
    stops: bool,
    as_json: bool,
) -> None:
    """Stores the first records of some files in memory, in each variant, and writes what they cost there."""
    design, variants = find_variants(name)
    most = number("--limit", limit, MOST, LEAST)
    if pictures is not None and find_spec("svg") is None:
        raise CommandFailed("--pictures: needs svg.py: pip install 'rowbook[pictures]'")
    load = chosen_load(design, load_name, reading)
    records, is_cut = _records(errors, design, load, reading, files, most, stops)
    if len(records) < LEAST:
        raise CommandFailed(f"{', '.join(files)}: must have at least {LEAST} records to compare (got {len(records)})")
    arguments = OwnArguments(load, records, words)
    arguments.check(design.patterns)
    asked, unasked = _own_patterns(design, arguments)
    with TemporaryDirectory() as folder, ExitStack() as opened:
        own = _own_design(design, load, records, asked, Path(folder))
        by_name = {variant.name: variant for variant in own.variants}
        first, *others = (by_name[variant.name] for variant in variants)
        connection = opened.enter_context(closing(scratch_store(first.tables)))
        measured, heats = _measured(errors, own, connection, first, others)
        heat_file(own).write_text(HeatRecording({load.name: len(records)}, False, "", "", tuple(heats)).text(), "utf-8")
        if as_json:
            run_output.costs_as_json(out, [(own, measured)])
        else:
            which = f"the first {count(len(records), 'record')}" if is_cut else count(len(records), "record")
            wrapped(out, f"{which} of {', '.join(files)}{', --limit N compares more' if is_cut else ''}", 0)
            _show(out, connection, own, measured, unasked, heats)
        if pictures is not None:
            _draw(errors if as_json else out, own, heats, Path(pictures))


def _records(
    errors: Console, design: Design, load: Load, reading: Reading, files: list[str], most: int, stops: bool
) -> tuple[list[Any], bool]:
    """The first records of some files that the design itself can store, and whether there are more."""
    read = reading.reader()
    records: list[Any] = []
    with closing(scratch_store(design.main.tables)) as connection:
        repository = design.main.open(connection)
        for file in files:
            transform = load.new_record_transform()
            for read_line in read_as(design, load, read, file):
                if len(records) == most:
                    return records, True
                reason = read_line.reason
                if not reason:
                    try:
                        record = transform(read_line.record)
                        load.store_in(repository, record)
                        records.append(record)
                    except ValueError as error:
                        reason = message_of(error)
                if reason:
                    message = f"{file}:{read_line.number}: {reason}{read_line.span}"
                    if stops:
                        raise CommandFailed(message + SKIP)
                    line(errors, message)
    return records, False


def _own_patterns(
    design: Design, arguments: OwnArguments
) -> tuple[dict[AccessPattern, AccessPattern], dict[str, list[str]]]:
    """The questions with arguments of the user's records, and the arguments that others lack, by question."""
    asked: dict[AccessPattern, AccessPattern] = {}
    unasked: dict[str, list[str]] = {}
    for pattern in design.patterns:
        of_records, missing = arguments.of(pattern)
        if missing:
            unasked[pattern.question] = missing
        else:
            asked[pattern] = attrs.evolve(pattern, sample=of_records)
    return asked, unasked


def _own_design(
    design: Design, load: Load, records: Sequence[Any], asked: Mapping[AccessPattern, AccessPattern], folder: Path
) -> Design:
    """The design with the user's records and questions; what is recorded of it is in a folder of its own."""
    fields: dict[str, Any] = attrs.asdict(load, recurse=False)
    fields["samples"] = folder / load.samples.name
    own_load = OwnLoad(**fields, records=records)

    def own_variant(variant: Variant) -> Variant:
        if variant.wrong is None:
            return variant
        patterns = tuple(asked[pattern] for pattern in variant.wrong.patterns if pattern in asked)
        return attrs.evolve(variant, wrong=attrs.evolve(variant.wrong, patterns=patterns))

    variants = tuple(map(own_variant, design.variants))
    own: dict[str, Any] = {field.name: getattr(design, field.name) for field in attrs.fields(Design)}
    own |= {"loads": (own_load,), "patterns": tuple(asked.values()), "variants": variants}
    return Design(**own)


def _measured(
    errors: Console, design: Design, connection: happybase.Connection, first: Variant, others: Sequence[Variant]
) -> tuple[list[VariantCosts], list[TableHeat]]:
    """The costs of each variant, and where its new rows land; a variant that refuses a record is left out.

    The first one is measured on `connection`, which has its tables.
    """
    records = in_order_of_time([(load, record) for load in design.loads for record in load.sample_records()])
    with doing(errors, design.name) as tell:
        tell(first.name)
        try:
            measured = [measure_variant(connection, design, first)]
        except ValueError as error:
            name = full_name(design, first)
            raise CommandFailed(f"{name}: cannot store these records: {message_of(error)}") from None
        heats = [*table_heats(first, table_writes(first, records))]
        for variant in others:
            tell(variant.name)
            try:
                with closing(scratch_store(variant.tables)) as other:
                    measured.append(measure_variant(other, design, variant))
                heats += table_heats(variant, table_writes(variant, records))
            except ValueError as error:
                line(errors, f"left out: {full_name(design, variant)} cannot store these records: {message_of(error)}")
    return measured, heats


def _show(
    out: Console,
    connection: happybase.Connection,
    design: Design,
    measured: Sequence[VariantCosts],
    unasked: Mapping[str, list[str]],
    heats: Sequence[TableHeat],
) -> None:
    first = measured[0]
    name = full_name(design, first.variant)
    heading(out, "The questions, with values of these records")
    for pattern in design.patterns:
        line(out, f"rowbook ask {name} {pattern.words}")
    for question, missing in unasked.items():
        options = " ".join(f"--with {argument}=" for argument in missing)
        wrapped(out, f"not asked: {question}, because no value of a record fits; give {options}")
    short_run_output.show_one(out, connection, design, first)
    line(out)
    short_run_output.show_choice(out, design, measured)
    heading(out, "Where new rows land")
    seen: dict[tuple[str, Heat], TableHeat] = {}  # a table that variants share, once
    for heat in heats:
        seen.setdefault((heat.table, heat.heat), heat)
    for heat in seen.values():
        wrapped(out, f"{heat.variant}, {heat.table}: {heat.verdict}")
    if not heats:
        wrapped(out, f"{count(first.records, 'record')} are too few to see it")


def _draw(out: Console, design: Design, heats: Sequence[TableHeat], folder: Path) -> None:
    """Draws the pictures of the design itself that need no more than the records."""
    from ...exhibit.pictures.heat_picture import heat_picture
    from ...exhibit.pictures.key_picture import key_picture
    from ...exhibit.pictures.ribbon_picture import ribbon_picture
    from ...exhibit.pictures.tables_picture import tables_picture

    with closing(scratch_store(design.main.tables)) as connection:
        measured = measure_variant(connection, design, design.main)
        drawn = {
            "tables": tables_picture(design, measured, connection) if design.patterns else None,
            "key": key_picture(design, connection),
            "heat": heat_picture(design) if _has_heat(design, heats) else None,
            "ribbon": ribbon_picture(design, measured, connection),
        }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in drawn.items():
            if picture is not None:
                path = folder / f"{name}.svg"
                path.write_text(picture.text(), encoding="utf-8")
                line(out, f"{shlex.quote(str(path))}: {picture.sentence}")
    except OSError as error:
        raise CommandFailed(f"{folder}: {first_line(error)}") from None


def _has_heat(design: Design, heats: Sequence[TableHeat]) -> bool:
    return any(heat.variant == design.name for heat in that_matter(heats))
