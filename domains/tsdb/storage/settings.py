"""The widths of UIDs and the salt of a store: kept in a table of ours, and compared whenever a repository is opened.

OpenTSDB has them in its configuration only. A process with other settings finds no rows, and the others do not find the
rows that it writes. So `tsdb-rowbook` keeps them, under OpenTSDB's names of its options; a running OpenTSDB ignores it:

    row         s:o
    tsdb-uid    the widths, which all tables of points that share these names must have
    tsdb        the widths and the salt

A table that has no settings yet, such as one that OpenTSDB made, is first compared with a bounded number of its rows.
These rows prove:

- Widths: some UID of each kind has the given width, if the first rows of the names show any of that kind. At least one
  row of points decodes, and all its UIDs have names. A key of other widths, or with a salt of another width, has
  another length, its hour in another place, or UIDs without names.
- Buckets: each row that was read, and whose UIDs have names, is in its own bucket. Under another number of buckets at
  most half of all series have the same bucket, so a wrong number may pass in a table of a few series.
- A table without rows proves nothing: then the first process to open it decides.

The settings of a table outlive it. Delete their row before a table of the same name gets others.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import InvalidKey, KeyLayout, successor
from shared.keys.errors import shown_bytes
from shared.queries import KEYS_ONLY
from shared.tables import BoundTable, TableLayout, TableMismatch, put_if
from shared.writes.dictionaries import COUNTER_ROW, ID_FAMILY, NAME_FAMILY

from ..keys import KINDS, RowOfTable, SeriesTables, Widths
from ..records import SeriesPoint, Settings, UidMapping
from .annotations import is_global_row
from .codecs import SeriesSalt
from .uids import Uids

if TYPE_CHECKING:
    import happybase

WIDTH = "tsd.storage.uid.width."
SALT = "tsd.storage.salt."
WIDTH_OF_KIND = dict(zip(KINDS, (f"{WIDTH}metric", f"{WIDTH}tagk", f"{WIDTH}tagv"), strict=True))
"""OpenTSDB's option for the UIDs of each kind."""

NAMES_CHECKED = 100
"""Rows of the table of names that are compared with the widths."""
ROWS_AT_ONCE = 10
"""Rows of points that are read at a time."""
METRICS_TRIED = 10
"""Scans in each bucket, each from the next metric on, until a row decodes and its UIDs have names. If these metrics
have lost their names, the settings are refused."""


class WrongSettings(TableMismatch):
    """Widths or a salt that are not those of the stored rows."""


def settings_of(data: TableLayout[Any, SeriesPoint], names: str, widths: Widths) -> tuple[Settings, Settings]:
    """The settings of a table of names and of a table of points with this layout.

    Raises WrongSettings if the keys of the layout have other widths.
    """
    in_keys = widths_of(data)
    of_names = Settings(names, _options(widths))
    _check_equal(Settings(data.name, _options(in_keys)), Settings(data.name, of_names.options), ", as in its keys")
    salt = salt_of(data)
    of_salt = {f"{SALT}width": 0} if salt is None else {f"{SALT}width": salt.width, f"{SALT}buckets": salt.buckets}
    return of_names, Settings(data.name, of_names.options | of_salt)


def widths_of(data: TableLayout[Any, SeriesPoint]) -> Widths:
    """The widths of the UIDs in a table's keys."""
    pairs: Any = data.key.part_named["tag_uids"].codec
    return Widths(_metric_bytes(data), pairs.name_bytes, pairs.pair_bytes - pairs.name_bytes)


def salt_of(data: TableLayout[Any, SeriesPoint]) -> SeriesSalt | None:
    """The salt of a table's rows, if they have one."""
    return next((prefix for prefix in data.key.prefixes if isinstance(prefix, SeriesSalt)), None)


def _options(widths: Widths) -> dict[str, int]:
    return dict(zip(WIDTH_OF_KIND.values(), attrs.astuple(widths), strict=True))


def kept_options(own: "happybase.Connection", tables: SeriesTables, table: str) -> dict[str, int]:
    """The options that are kept for a table of points or of names; empty if none are. Costs: one get."""
    kept = _kept(BoundTable(own, tables.settings), (Settings(table, {}),))
    return {name: number for settings in kept.values() for name, number in settings.options.items()}


def check_settings(
    connection: "happybase.Connection", own: "happybase.Connection", tables: SeriesTables, uids: Uids, widths: Widths
) -> None:
    """Compares the settings with those that `own`, the connection of `tsdb-rowbook`, keeps for both tables.

    If it keeps none and the stored rows agree, it keeps these.
    Raises WrongSettings, with the kept value and the given one. Of several processes that open new tables at once, one
    keeps its settings, and the others compare theirs with them.
    Costs: one get. The first time also two checkAndPuts, one scan of names, and for each bucket of a salt one or
    more scans of up to 10 rows, each with up to three gets of their names.
    """
    points, names = BoundTable(connection, tables.points), BoundTable(connection, tables.uids)
    kept_settings = BoundTable(own, tables.settings)
    given = settings_of(tables.points, tables.uids.name, widths)
    kept = _kept(kept_settings, given)
    for settings in given:
        if settings.table in kept:
            _check_equal(kept[settings.table], settings)
    if tables.uids.name not in kept:
        _check_names(names, given[0])
    if tables.points.name not in kept:
        _check_rows(points, uids, given[1])
    for settings in given:  # the names first: a process whose widths are refused must not keep its salt
        if settings.table not in kept:
            _keep(kept_settings, settings)


def _kept(table: BoundTable[RowOfTable, Settings], given: tuple[Settings, ...]) -> dict[str, Settings]:
    rows = table.rows.rows(list(map(table.row, given)), columns=[*table.layout.cells.columns])
    return {settings.table: settings for row, cells in rows for settings in table.layout.records(row, cells)}


def _keep(table: BoundTable[RowOfTable, Settings], settings: Settings) -> None:
    ((column, value),) = table.layout.cells.pack(settings).items()
    while not put_if(table.rows, table.row(settings), column, None, value):
        if kept := _kept(table, (settings,)).get(settings.table):  # otherwise it was deleted since
            _check_equal(kept, settings)
            return


def _check_equal(kept: Settings, given: Settings, where: str = "") -> None:
    for option in kept.options | given.options:
        if (wanted := kept.options.get(option)) != (value := given.options.get(option)):
            raise _wrong(kept.table, option, f"{wanted}{where}", value)


def _wrong(table: str, option: str, wanted: str, given: int | None) -> WrongSettings:
    return WrongSettings(f"table {table}: {option} must be {wanted} (got {given})")


# ---- what stored rows prove


def _check_names(names: BoundTable[Any, UidMapping], settings: Settings) -> None:
    """Raises WrongSettings if the first names show UIDs of a kind, and none has the given width."""
    columns = [f"{family}:{kind}".encode() for family in (ID_FAMILY, NAME_FAMILY) for kind in KINDS]
    widths: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
    rows = names.rows.scan(columns=columns, limit=NAMES_CHECKED, batch_size=NAMES_CHECKED)
    for row, cells in rows:
        for column, value in cells.items():
            family, _, kind = column.decode().partition(":")
            if row != COUNTER_ROW or family == NAME_FAMILY:
                widths[kind][len(row if family == NAME_FAMILY else value)] += 1
    for kind, option in WIDTH_OF_KIND.items():
        if widths[kind] and (given := settings.options[option]) not in widths[kind]:
            ((width, _),) = widths[kind].most_common(1)
            raise _wrong(settings.table, option, f"{width}, as in its UIDs", given)


def _check_rows(points: BoundTable[Any, SeriesPoint], uids: Uids, settings: Settings) -> None:
    """Raises WrongSettings if no row that is read is one of points with names, or if one is in a wrong bucket."""
    data, first_reason = points.layout, ""
    is_proven = False
    for start, stop in _buckets(salt_of(data)):
        for rows in _sampled_rows(points, start, stop):
            keys, reason = _keys_with_names(rows, data, uids)
            first_reason = first_reason or reason
            for row, key in keys.items():
                if (wanted := data.row(key)) != row:
                    raise _wrong_bucket(data, row, wanted, settings)
            if keys:
                is_proven = True
                break
    if first_reason and not is_proven:
        given = ", ".join(f"{option} {number}" for option, number in settings.options.items())
        raise WrongSettings(f"table {data.name}: must be rows of {given} (got {first_reason})")


def _buckets(salt: SeriesSalt | None) -> Iterator[tuple[bytes, bytes | None]]:
    """The ranges of all buckets, and that of the rows after the last bucket."""
    if salt is None:
        yield b"", None
        return
    buckets = salt.every_value()
    yield from ((bucket, successor(bucket)) for bucket in buckets)
    if (after := successor(buckets[-1])) is not None:
        yield after, None


def _sampled_rows(points: BoundTable[Any, SeriesPoint], start: bytes, stop: bytes | None) -> Iterator[list[bytes]]:
    """Some rows of a range: its first ones, then those of the next metrics."""
    metric_end = points.layout.key.prefix_bytes + _metric_bytes(points.layout)
    for _ in range(METRICS_TRIED):
        read = points.rows.scan(
            start,
            stop,
            columns=points.layout.cells.columns,
            filter=KEYS_ONLY.text,
            limit=ROWS_AT_ONCE,
            batch_size=ROWS_AT_ONCE,
        )
        rows = [row for row, _ in read]
        if rows:
            yield rows
        after = successor(rows[-1][:metric_end]) if rows else None
        if after is None or (stop is not None and after >= stop):
            return
        start = after


def _keys_with_names(
    rows: list[bytes], data: TableLayout[Any, SeriesPoint], uids: Uids
) -> tuple[dict[bytes, Any], str]:
    """The keys of the rows whose UIDs all have names, and the first reason why a row was left out, if one was.

    The salt is not compared.
    """
    reason = ""
    unsalted = KeyLayout(data.key.key_class)
    salt_bytes = data.key.prefix_bytes
    keys: dict[bytes, Any] = {}
    for row in rows:
        if is_global_row(row, _metric_bytes(data), salt_bytes):
            continue
        try:
            keys[row] = unsalted.decode(row[salt_bytes:])
        except InvalidKey as error:
            reason = reason or f"row {shown_bytes(row)}: {error}"
    named = uids.named((key.metric_uid, key.tag_uids) for key in keys.values())
    for row, key in list(keys.items()):
        if (key.metric_uid, key.tag_uids) not in named:
            reason = reason or f"row {shown_bytes(row)}: a UID without a name"
            del keys[row]
    return keys, reason


def _metric_bytes(data: TableLayout[Any, SeriesPoint]) -> int:
    return data.key.part_named["metric_uid"].codec.width_bytes or 0


def _wrong_bucket(data: TableLayout[Any, SeriesPoint], row: bytes, wanted: bytes, settings: Settings) -> WrongSettings:
    salt_bytes = data.key.prefix_bytes
    return WrongSettings(
        f"table {data.name}: {SALT}buckets must be the number by which the salt of row {shown_bytes(row)} is"
        f" {row[:salt_bytes].hex(' ')} (got {settings.options[f'{SALT}buckets']}, by which it is"
        f" {wanted[:salt_bytes].hex(' ')})"
    )
