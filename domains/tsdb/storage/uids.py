"""The names of series and their UIDs: three dictionaries of `tsdb-uid`, which a running OpenTSDB may write too.

How a UID is assigned, and why no name has two, is in `shared/writes/dictionaries.py`.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shared.keys import InvalidKey, shown
from shared.tables import InvalidRecord, TableLayout
from shared.writes import Dictionary
from shared.writes.dictionaries import CACHED_NAMES

from ..keys import DEFAULT_WIDTHS, METRICS, TAG_NAMES, TAG_VALUES, UIDS, Widths
from ..records import UidMapping
from .codecs import LatinText, TagPairs

if TYPE_CHECKING:
    import happybase

SAFE_PUNCTUATION = "-_./"
"""What a name may hold in addition to letters and digits. Others are refused: OpenTSDB stores Chinese letters as
`?`."""


class UnknownUid(InvalidRecord):
    """A UID in a row, without a name: the dictionary lost it, or never had it."""


class Uids:
    """The UIDs of metrics, tag names and tag values.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    See `Dictionary` for what it remembers.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        table: TableLayout[Any, UidMapping] = UIDS,
        widths: Widths = DEFAULT_WIDTHS,
        cached: int = CACHED_NAMES,
    ) -> None:
        def dictionary(kind: str, id_bytes: int) -> Dictionary:
            return Dictionary(connection, table.name, kind, id_bytes, names=LatinText, cached=cached)

        self.metrics = dictionary(METRICS, widths.metrics)
        self.tag_names = dictionary(TAG_NAMES, widths.tagk)
        self.tag_values = dictionary(TAG_VALUES, widths.tagv)
        self._pairs = TagPairs(widths.tagk, widths.tagv)
        self.pair_bytes = self._pairs.pair_bytes
        """The bytes of the UIDs of a tag and of its value."""

    def assign(self, metric: str, tags: Mapping[str, str]) -> tuple[bytes, bytes]:
        """The UID of a metric and the pairs of UIDs of tags; names without a UID get one.

        Costs: nothing for names that are remembered; see `Dictionary.assign`.
        """
        names = [(self.metrics, metric)]
        names += [pair for name, value in tags.items() for pair in ((self.tag_names, name), (self.tag_values, value))]
        for dictionary, name in names:  # all of them before the first is assigned
            check_name(dictionary.kind, name)
        uids = [dictionary.assign(name) for dictionary, name in names]
        return uids[0], self._pairs.join(dict(zip(uids[1::2], uids[2::2], strict=True)))

    def split(self, pairs: bytes) -> Mapping[bytes, bytes]:
        """The UIDs of tag values by those of tag names."""
        return self._pairs.split(pairs)

    def pairs_of(self, tags: Mapping[str, str]) -> bytes | None:
        """The pairs of UIDs of tags; None if a name has none. Costs: two calls for names that are not remembered."""
        names, values = self.tag_names.ids_of(tags), self.tag_values.ids_of(set(tags.values()))
        if len(names) < len(tags) or any(value not in values for value in tags.values()):
            return None
        return self._pairs.join({names[name]: values[value] for name, value in tags.items()})

    def names_of_tags(self, series: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        """The tags by name of each of these pairs of UIDs. Raises UnknownUid.

        Costs: two calls for each 1,000 UIDs that are not remembered.
        """
        uids_of = {pairs: self._pairs.split(pairs) for pairs in series}
        names = self._named(self.tag_names, {uid for tags in uids_of.values() for uid in tags})
        values = self._named(self.tag_values, {uid for tags in uids_of.values() for uid in tags.values()})
        return {pairs: {names[name]: values[value] for name, value in tags.items()} for pairs, tags in uids_of.items()}

    def named(self, series: Iterable[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        """The series whose UIDs all have names. A series is the UID of a metric and the pairs of UIDs of its tags.

        Costs: three calls for each 1,000 UIDs that are not remembered.
        """
        tags_of = {(metric, pairs): self._pairs.split(pairs) for metric, pairs in series}
        metrics = self.metrics.names_of({metric for metric, _ in tags_of})
        names = self.tag_names.names_of({uid for tags in tags_of.values() for uid in tags})
        values = self.tag_values.names_of({uid for tags in tags_of.values() for uid in tags.values()})
        return {
            one
            for one, tags in tags_of.items()
            if one[0] in metrics and names.keys() >= tags.keys() and values.keys() >= {*tags.values()}
        }

    def _named(self, dictionary: Dictionary, uids: set[bytes]) -> dict[bytes, str]:
        names = dictionary.names_of(uids)
        for uid in sorted(uids - names.keys()):
            raise UnknownUid(f"{dictionary.kind}: must be a UID with a name (got {uid.hex(' ')})")
        return names


def check_name(kind: str, name: str) -> None:
    """Raises InvalidKey for a name that OpenTSDB does not store, or that it stores as another one."""
    if type(name) is not str or not _is_name(name):
        wanted = f"letters of ISO 8859-1, digits and {' '.join(SAFE_PUNCTUATION)}"
        raise InvalidKey(f"{kind}: a name must be {wanted} (got {shown(name)})")


@lru_cache(CACHED_NAMES)
def _is_name(text: str) -> bool:
    """Whether OpenTSDB stores a name as it is."""
    return bool(text) and all(map(is_safe, text))


def is_safe(character: str) -> bool:
    """Whether a name may have this character."""
    if character.isascii():
        return character.isalnum() or character in SAFE_PUNCTUATION
    return character.isalpha() and ord(character) < 256
