"""The order in which a scan returns records, compared with the order that a question asks for."""

from collections.abc import Collection, Iterable
from functools import lru_cache
from types import NoneType
from typing import Any

import attrs

from ..keys import InvalidQuestion, KeyLayout, Plan, Rest, Slice
from ..keys.conditions import AnyOf, is_one_value
from ..keys.errors import listed, shown
from ..keys.parts import Part
from ..keys.slice_codecs import share_codec
from ..tables.declarations import items_of
from ..tables.layouts import TableLayout

_WHOLE, _SLICE, _REST = "whole", "slice", "rest"


@attrs.frozen
class _SortedBy:
    """One value by which records are sorted: the whole value, its slice, or the rest within a slice."""

    name: str
    descending: bool
    share: str = _WHOLE
    """`slice 3600` if it is the start of a slice of this length."""
    ordered: bool = True


def direction(
    table: TableLayout[Any, Any], plan: Plan, order: KeyLayout[Any] | None, newest_first: bool | None
) -> tuple[KeyLayout[Any] | None, bool]:
    """The order into which the client must sort (None if the scan has it), and whether to reverse the scan or the sort.

    Without `order`, records come in the order of the table's key. `newest_first` sets the direction of the first part
    that the question leaves open. Raises InvalidQuestion if that is the order of a hash, which has no direction.
    """
    if type(newest_first) not in (bool, NoneType):
        raise InvalidQuestion(f"newest_first: must be true or false (got {shown(newest_first)})")
    if order is None and newest_first is None:
        return None, False
    layout = table.key
    constants = frozenset([name for name, condition in plan.conditions.items() if is_one_value(condition)])
    # A spreading prefix determines the order, unless each of its values has a stream of its own.
    by_hash = bool(layout.spread) and any(stream.prefix_bytes < layout.spread_bytes for stream in plan.streams)
    if by_hash and order is None:
        open_parts = dict.fromkeys(name for prefix in layout.spread for name in prefix.of if name not in constants)
        raise InvalidQuestion(
            f"newest_first: rows of {layout.name} come in the order of a hash; "
            f"give in_order_of before, or a value for {listed(open_parts)}"
        )
    items = items_of(table.cells)
    return _direction(
        layout, items.qualifier if items else None, by_hash, constants, _merged_parts(plan), order, newest_first
    )


@lru_cache(maxsize=256)
def _direction(
    layout: KeyLayout[Any],
    qualifier: KeyLayout[Any] | None,
    by_hash: bool,
    constants: frozenset[str],
    merged_parts: frozenset[str],
    order: KeyLayout[Any] | None,
    newest_first: bool | None,
) -> tuple[KeyLayout[Any] | None, bool]:
    """The result of `direction`; it is the same for all questions that bind the same parts, whatever the values."""
    scanned = [] if by_hash else _scanned(layout, qualifier, constants, merged_parts)
    if order is None:
        return None, bool(scanned and newest_first != scanned[0].descending)
    wanted = _without_redundant_slices([*_slices(order, constants), *_sorted_by(order.parts, constants)])
    turns = bool(newest_first is not None and wanted and newest_first != wanted[0].descending)
    if [(value.name, value.share) for value in scanned[: len(wanted)]] == [
        (value.name, value.share) for value in wanted
    ] and all(value.ordered for value in (*scanned[: len(wanted)], *wanted)):
        reversed_ = {
            given.descending != (value.descending != turns) for given, value in zip(scanned, wanted, strict=False)
        }
        if len(reversed_) <= 1:
            return None, True in reversed_
    return order, turns


def _scanned(
    layout: KeyLayout[Any],
    qualifier: KeyLayout[Any] | None,
    constants: Collection[str],
    merged_parts: Collection[str],
) -> list[_SortedBy]:
    """The values by which a scan is sorted, the most significant first."""
    values = [] if merged_parts else _slices(layout, constants)
    # Streams are merged by the parts after the last merged part.
    first = max((number for number, part in enumerate(layout.parts, 1) if part.name in merged_parts), default=0)
    values += _sorted_by(layout.parts[first:], constants)
    values += _sorted_by(() if qualifier is None else qualifier.parts, constants)
    return _without_redundant_slices(values)


def _merged_parts(plan: Plan) -> frozenset[str]:
    """The parts whose values have streams of their own: those of each merged `any_of` that the ranges bind."""
    merged = [name for name, condition in plan.conditions.items() if isinstance(condition, AnyOf) and condition.merged]
    if not merged:
        return frozenset()
    return frozenset(merged).intersection(name for range_ in plan.ranges[:1] for name, _ in range_.parts)


def _slices(layout: KeyLayout[Any], constants: Collection[str]) -> list[_SortedBy]:
    """The time slices before the parts of a key, unless the whole answer is in one."""
    bucket = layout.time_bucket
    if bucket is None or bucket.of in constants:
        return []
    return [_SortedBy(bucket.of, layout.part_named[bucket.of].codec.descending, f"{_SLICE} {bucket.every_ms}")]


def _without_redundant_slices(values: Iterable[_SortedBy]) -> list[_SortedBy]:
    """The same order without the slices that are followed by their own value, or by its rest."""
    needed: list[_SortedBy] = []
    for value in values:
        if needed and _is_rest_of(needed[-1], value):
            needed.pop()
            value = attrs.evolve(value, share=_WHOLE if value.share == _REST else value.share)
        needed.append(value)
    return needed


def _sorted_by(parts: Collection[Part], constants: Collection[str]) -> list[_SortedBy]:
    values: list[_SortedBy] = []
    for part in parts:
        if part.name not in constants:
            divided = share_codec(part.codec)
            share = _REST if isinstance(divided, Rest) else _WHOLE
            if isinstance(divided, Slice):
                share = f"{_SLICE} {divided.every}"
            values.append(_SortedBy(part.name, part.codec.descending, share, part.codec.ordered))
    return values


def _is_rest_of(slices: _SortedBy, value: _SortedBy) -> bool:
    """Whether a value follows its own slices, so that both together are in its order."""
    return slices.share.startswith(_SLICE) and (slices.name, slices.descending) == (value.name, value.descending)
