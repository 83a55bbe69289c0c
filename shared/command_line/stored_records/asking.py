"""`rowbook ask`: one question, with the user's own values."""

import shlex
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import happybase
from rich.console import Console

from ...designs import AccessPattern, Design, Measurement, Variant, measure_pattern
from ...designs.arguments import patterns_by_name
from ...designs.patterns import DEFAULT_LIMIT
from ...keys import InvalidQuestion
from ...queries.scanning import MAX_LIMIT
from ...tables import create_tables
from ..named import own_designs, own_settings
from ..named.design_lines import warn
from ..named.designs import find_variants, full_name
from ..named.options import MEMORY
from ..named.stores import open_store, store_to_ask
from ..named.typed_values import arguments, number
from ..screen.wrong_usage import WrongUsage, check_name
from . import ask_output
from .plotting import check_plot, draw_plot


def ask(
    out: Console,
    errors: Console,
    name: str,
    question: str | None,
    fields: list[str],
    *,
    store: str | None,
    limit: str | None,
    cursor: str | None,
    explains: bool,
    plot: str | None = None,
    as_json: bool,
) -> None:
    """Asks the question and prints the answer; without a question, prints those of the design."""
    design, (variant, *_others) = find_variants(name)
    check_plot(plot, as_json=as_json, explains=explains)
    if question is None:
        ask_output.question_list(out, name, design, as_json=as_json)
        return
    patterns = patterns_by_name(design)
    pattern = patterns[check_name("question", question, patterns)][0]
    call_arguments = arguments(pattern, fields)
    page_limit = _page_limit(pattern, limit, cursor, explains)
    opened = _in_memory(variant) if explains else store_to_ask(store, design, variant, writes=False)
    with opened as (connection, variant):
        repository = variant.open(connection)
        try:
            if explains:
                explanation = pattern.ask(repository, **call_arguments).explain(page_limit)
                ask_output.query_explanation(out, connection, variant.tables, explanation, as_json=as_json)
                return
            measurement = measure_pattern(connection, repository, pattern, call_arguments, page_limit, cursor)
            unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)
        except InvalidQuestion as error:
            others = [] if cursor is not None else _answering_variants(design, variant, pattern, call_arguments)
            raise WrongUsage(f"{error}; or ask {', '.join(others)}" if others else str(error)) from None
    command = ["rowbook", "ask", name, question, *fields]
    command += [*own_designs.given_words(), *own_settings.given_words(), *(["--store", store] if store else [])]
    command += ["--limit", limit] if limit else []
    warn(errors, design, variant)
    left_out = [f"left out, probably of a later release: {row}" for row in ask_output.unknown_rows(measurement)]
    unknown = [*unknown, *left_out]
    if plot is not None:
        asked = [word for word in fields if not word.startswith(("since", "until"))]  # the picture names the period
        draw_plot(out, " ".join([name, question, *asked]), measurement.records, plot, unknown)
        return
    ask_output.answer(out, connection, variant.tables, measurement, shlex.join(command), unknown, as_json=as_json)


@contextmanager
def _in_memory(variant: Variant) -> Generator[tuple[happybase.Connection, Variant]]:
    """An empty store without tables: a question that is only explained reads none."""
    with open_store(MEMORY) as connection:
        yield connection, variant


def _page_limit(pattern: AccessPattern, limit: str | None, cursor: str | None, explains: bool) -> int:
    """The number of records per page; WrongUsage for page options if the answer is not a page."""
    options = {"--limit": limit is not None, "--cursor": cursor is not None, "--explain": explains}
    if pattern.answer != "page" and any(options.values()):
        answer = {"first": "one record", "count": "a number"}.get(pattern.answer, "one value")
        given = " and ".join(option for option, is_given in options.items() if is_given)
        raise WrongUsage(f"{pattern.name}: answers with {answer}, so leave out {given}")
    if explains and cursor is not None:
        raise WrongUsage("--explain: shows the reads of the first page, so leave out --cursor")
    return DEFAULT_LIMIT if limit is None else number("--limit", limit, MAX_LIMIT)


def _answering_variants(
    design: Design, refusing: Variant, pattern: AccessPattern, call_arguments: dict[str, Any]
) -> list[str]:
    """The names of the variants to copy that answer a question; each is asked in an empty store.

    If the refusing variant answers there too, its own store has too many rows to sort: then only the variants that need
    not sort are named.
    """
    measurements: dict[str, Measurement] = {}
    for variant in design.variants:
        if variant.is_to_copy or variant is refusing:
            with open_store(MEMORY) as connection, suppress(InvalidQuestion):
                create_tables(connection, variant.tables)
                repository = variant.open(connection)
                measurement = measure_pattern(connection, repository, pattern, call_arguments, pattern.limit)
                measurements[full_name(design, variant)] = measurement
    if measurements.pop(full_name(design, refusing), None) is None:
        return [*measurements]
    return [name for name, measurement in measurements.items() if "order" not in measurement.client_work]
