"""`rowbook do`: work on stored rows that is neither a question nor a load, such as a compaction."""

from typing import Any

import attrs
from rich.console import Console

from ...designs import Design
from ...designs.arguments import shown_arguments
from ...tables import InvalidRow
from ..named.designs import find_variants
from ..named.stores import store_to_ask
from ..named.typed_values import arguments
from ..screen.terminal import json_object, line, wrapped
from ..screen.wrong_usage import WrongUsage, check_name


def do(out: Console, name: str, action: str | None, words: list[str], store: str | None, *, as_json: bool) -> int:
    """Does an action and prints its result; without an action, lists those of the design.

    Returns the exit code: 1 if rows stay as they are because they cannot be read, or if the action is unfinished.
    """
    design, (variant, *_others) = find_variants(name)
    actions = {one.name: one for one in design.actions}
    if not actions:
        raise WrongUsage(f"do {design.name}: this design has no actions")
    if action is None:
        _list_actions(out, name, design, as_json=as_json)
        return 0
    chosen = actions[check_name("action", action, actions)]
    call_arguments = arguments(chosen, words)
    if store is None:
        raise WrongUsage(f"do {name} {action}: needs --store")
    with store_to_ask(store, design, variant) as (connection, stored):
        repository = stored.open(connection)
        result: Any = chosen.method(repository, **call_arguments)
        unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)
    failed: tuple[InvalidRow, ...] = getattr(result, "failed", ())
    unfinished: str = getattr(result, "unfinished", "")
    if as_json:
        json_object(out, {"name": name, "action": action, **attrs.asdict(result)})
    else:
        numbers = {field: value for field, value in attrs.asdict(result, recurse=False).items() if type(value) is int}
        line(out, f"{name} {action}: {', '.join(f'{field} {value}' for field, value in numbers.items())}")
        if unfinished:
            line(out, unfinished)
        if unknown:
            line(out, f"nothing found: {', '.join(unknown)}")
        for row in failed:
            line(out, f"left as it is: {row}")
    return 1 if failed or unfinished else 0


def _list_actions(out: Console, name: str, design: Design, *, as_json: bool) -> None:
    if as_json:
        actions = [{"action": one.name, "arguments": shown_arguments(one), "does": one.words} for one in design.actions]
        json_object(out, {"actions": actions})
        return
    for one in design.actions:
        wrapped(out, f"rowbook do {name} {one.name} {shown_arguments(one)} --store URL", style="bold")
        wrapped(out, f"  {one.words}")
