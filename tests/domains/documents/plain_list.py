"""Documents in a plain list: what every variant has to answer."""

import attrs
from hypothesis import strategies as st

from domains.documents import CHOSEN, Document, Summary
from domains.documents.design import LATER_MS
from domains.documents.keys import VERSIONS
from domains.documents.records import paths_of
from domains.documents.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.testing import PlainList

WITHOUT_PATHS = ("history", "put-only")


class PlainDocuments:
    """The questions of `DocumentRepository`. The store dates its versions when they are stored, long after `NOW_MS`."""

    def __init__(self, variant, documents):
        self.variant = variant
        self.revisions = {}
        if variant == "put-only":  # the last put of each millisecond, the newest millisecond first
            documents = {(of.owner, of.document_id, of.changed_ms): of for of in documents}.values()
            documents = sorted(documents, key=lambda document: document.changed_ms)
        for document in documents:
            self.revisions.setdefault((document.owner, document.document_id), []).insert(0, document)

    def present(self, owner, id_prefix, as_of_ms):
        """The newest revision of each document of an owner, by id."""
        of_store = self.variant not in WITHOUT_PATHS
        until_ms = LATER_MS if as_of_ms is None else as_of_ms
        found = []
        for (of, document_id), revisions in sorted(self.revisions.items()):
            if of == owner and document_id.startswith(id_prefix):
                by_then = [one for one in revisions if (LATER_MS if of_store else one.changed_ms) <= until_ms]
                found += [one for one in by_then[:1] if not one.is_deleted]
        return found

    def document(self, owner, document_id, as_of_ms=None):
        found = [one for one in self.present(owner, document_id, as_of_ms) if one.document_id == document_id]
        return found[0] if found else None

    def of_owner(self, owner, id_prefix="", as_of_ms=None):
        return self.present(owner, id_prefix, as_of_ms)

    def summaries(self, owner, id_prefix=""):
        self.check_paths()
        found = self.present(owner, id_prefix, None)
        return [Summary(one.owner, one.document_id, one.revision, paths_of(one.body)) for one in found]

    def having(self, owner, path, value):
        self.check_paths()
        return [one for one in self.present(owner, "", None) if paths_of(one.body).get(path) == value]

    def versions(self, owner, document_id, newest=3):
        if newest > VERSIONS and self.variant != "history":
            raise InvalidQuestion("keeps ten")
        return self.revisions.get((owner, document_id), [])[:newest]

    def check_paths(self):
        if self.variant in WITHOUT_PATHS:
            raise InvalidQuestion("has no columns")


def as_revisions(drawn):
    """Random documents as changes of each other: the next revisions of those with the same owner and id."""
    latest, changes = {}, []
    for document, is_deleted in zip(*drawn, strict=False):
        key = document.owner, document.document_id
        body = {} if is_deleted else {**document.body, "n": len(changes)}
        revision = latest[key].revision + 1 if key in latest else 1
        latest[key] = Document(*key, body, document.changed_ms, revision, is_deleted)
        changes.append(latest[key])
    return changes


@attrs.frozen
class DocumentList(PlainList):
    """A plain list of documents."""

    @property
    def records(self) -> st.SearchStrategy[list[Document]]:
        """Changes of documents, each of which follows the one before."""
        owners, ids, bodies, times = map(
            st.sampled_from, map(self.values.get, ("owner", "document_id", "body", "changed_ms"))
        )
        one = st.builds(Document, owners, ids, bodies, times)
        deletions = st.lists(st.sampled_from([False, False, False, True]), min_size=20, max_size=20)
        return st.tuples(st.lists(one, max_size=20), deletions).map(as_revisions)


TIMES_MS = [0, 1, 1000, 86_400_000]
LONG = "x" * 257
PLAIN_LIST = DocumentList(
    DESIGN,
    PlainDocuments,
    {
        "owner": ["a", "ab", "u-1", "é"],
        "document_id": ["a", "ab", "1", "é"],
        "body": [
            {},
            {"state": "CA"},
            {"state": "it's", "name": {"last": "Ng"}},
            {"state": 5},
            {"state": True, "name": "x"},
            {"state": LONG},
        ],
        "changed_ms": TIMES_MS,
        "id_prefix": ["", "a", "ab", "?"],
        "as_of_ms": [*TIMES_MS, LATER_MS],
        "path": CHOSEN,
        "value": ["CA", "it's", "5", "true", "", "Ng"],
        "newest": [1, 2, 3, VERSIONS, VERSIONS + 1],
    },
)
