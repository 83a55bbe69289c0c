"""OpenTSDB's options in the command line: `--settings` as the tables of a variant, with their names, widths and salt.

    tsd.storage.hbase.data_table = tsdb
    tsd.storage.hbase.uid_table = tsdb-uid
    tsd.storage.uid.width.metric = 3          also .tagk and .tagv
    tsd.storage.salt.width = 1                0 for no salt
    tsd.storage.salt.buckets = 20             20 if there is a salt and this is omitted
    tsd.storage.fix_duplicates = true         false refuses rows with two numbers of one time, as OpenTSDB does

These are lines of its `opentsdb.conf`. An option that is omitted has the value that `tsdb-rowbook` keeps for these
tables (`settings.py`), otherwise that of the variant. The last one is not kept: it says how rows are read. A file that
omits it means false, as to OpenTSDB.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.designs import StoreSettings, Variant
from shared.keys import InvalidKey, shown
from shared.stores import connect
from shared.tables import create_tables

from .keys import SETTINGS, SeriesTables, Widths, data_table, uid_tables
from .repository import TsdbRepository
from .storage.codecs import SeriesSalt
from .storage.qualifiers import Duplicates
from .storage.settings import SALT, WIDTH_OF_KIND, WrongSettings, kept_options, settings_of, widths_of

if TYPE_CHECKING:
    import happybase

DATA_TABLE, UID_TABLE = "tsd.storage.hbase.data_table", "tsd.storage.hbase.uid_table"
SALT_WIDTH, SALT_BUCKETS = f"{SALT}width", f"{SALT}buckets"
FIX_DUPLICATES = "tsd.storage.fix_duplicates"
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_TABLE = re.compile(r"(?:[A-Za-z0-9_]+:)?[A-Za-z0-9_][A-Za-z0-9_.-]*")
_OPTION_OF_FIELD = dict(zip(("Widths.metrics", "Widths.tagk", "Widths.tagv"), WIDTH_OF_KIND.values(), strict=True)) | {
    "SeriesSalt.width": SALT_WIDTH,
    "SeriesSalt.buckets": SALT_BUCKETS,
}
"""OpenTSDB's option of each field that refuses numbers."""


def variant_with(
    variant: Variant, options: Mapping[str, str], connection: "happybase.Connection | None" = None
) -> Variant:
    """The variant with the tables that these options describe; with a connection, also those that its store keeps.

    Its repository can read a store without `tsdb-rowbook`, too. Raises InvalidKey.
    """
    tables = variant.tables
    assert isinstance(tables, SeriesTables)
    data = options.get(DATA_TABLE, tables.points.name)
    names = options.get(UID_TABLE, tables.uids.name)
    for option, name in ((DATA_TABLE, data), (UID_TABLE, names)):
        if not _TABLE.fullmatch(name):
            raise InvalidKey(f"{option}: must be the name of a table (got {shown(name)})")
    if names == data:
        raise InvalidKey(f"{UID_TABLE}: must be another table than {DATA_TABLE} (got {shown(names)})")
    of_names, of_points = settings_of(tables.points, names, widths_of(tables.points))
    numbers = of_names.options | of_points.options
    if connection is not None and _has_settings(connection):
        numbers |= kept_options(connection, tables, names) | kept_options(connection, tables, data)
    numbers |= {name: _number(name, options[name]) for name in _OPTION_OF_FIELD.values() if name in options}
    try:
        widths = Widths(*(numbers[option] for option in WIDTH_OF_KIND.values()))
        salt = None
        if width := numbers[SALT_WIDTH]:
            salt = SeriesSalt(width, numbers[SALT_BUCKETS]) if SALT_BUCKETS in numbers else SeriesSalt(width)
    except InvalidKey as error:
        field, _, reason = str(error).partition(":")
        raise InvalidKey(f"{_OPTION_OF_FIELD[field]}:{reason}") from None
    uids, reverse = uid_tables(names)
    stored = tables._replace(points=data_table(data, widths, salt), uids=uids, names=reverse)
    opened = partial(
        _opened,
        tables=stored,
        widths=widths,
        duplicates="newest" if _boolean(FIX_DUPLICATES, options.get(FIX_DUPLICATES, "true")) else "strict",
        are_given=not options.keys().isdisjoint(_OPTION_OF_FIELD.values()),
    )
    return attrs.evolve(variant, tables=stored, open=opened)


def _boolean(name: str, text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise InvalidKey(f"{name}: must be true or false (got {shown(text)})")
    return _BOOLEANS[text.lower()]


def _number(name: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise InvalidKey(f"{name}: must be a number (got {shown(text)})")
    return int(text)


def _has_settings(connection: "happybase.Connection") -> bool:
    return SETTINGS.name.encode() in connection.tables()


def _opened(
    connection: "happybase.Connection", tables: SeriesTables, widths: Widths, duplicates: Duplicates, are_given: bool
) -> TsdbRepository:
    """The repository, which must only read if the store has no `tsdb-rowbook`: that table is then in memory.

    `are_given`: whether the caller gave widths or a salt, and not only names.
    """
    own = connection
    if not _has_settings(connection):
        own = connect("embedded:")
        create_tables(own, [tables.settings, tables.deletions])
    try:
        return TsdbRepository(connection, tables, widths=widths, own=own, duplicates=duplicates)
    except WrongSettings as error:
        if are_given:
            raise
        raise WrongSettings(f"{error}; --settings opentsdb.conf gives those of your OpenTSDB") from None


OPTIONS = StoreSettings(
    (DATA_TABLE, UID_TABLE, *_OPTION_OF_FIELD.values(), FIX_DUPLICATES),
    variant_with,
    SETTINGS,
    omitted_in_file={FIX_DUPLICATES: "false"},
)
