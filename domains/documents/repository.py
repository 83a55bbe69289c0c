"""Documents of owners; one method for each question and each write."""

from functools import partial
from typing import TYPE_CHECKING, Any

from shared.intents import Erasures, ErasuresTable
from shared.keys import InvalidKey, InvalidQuestion, TrailingText, starting_with
from shared.queries import Query, Versions, equal
from shared.records import check_one_of, check_text
from shared.sources import Source
from shared.tables import BoundTable, TableLayout
from shared.upkeep import CombinedUpkeep, Upkeep
from shared.writes import CLOCK, WriterClock

from .deciding import after_store
from .erasing import delete_rows_of_owner, rows_of_owner
from .keys import DOCUMENTS, ERASURES, PARTS, SUMMARIES, UNSETTLED, VERSIONS, GenerationOfDocument
from .parts import PART_BYTES, DocumentParts, check_fits_cell
from .records import CHOSEN, MAX_CHOSEN_CHARACTERS, Document, Summary, paths_of
from .stored import PartOfDocument, StoredDocument
from .verifying import PartsUpkeep

if TYPE_CHECKING:
    import happybase


class DocumentRepository:
    """Stores, changes and finds the documents of owners.

    A document is decided in its own cell, see `shared.intents.writer`: a change is accepted only if it was made from
    the stored revision. The columns of its chosen paths are derived from it, and may show old values until the write is
    complete. If a writer dies, repeating the call or running `upkeep.recover` completes the write.

    Every question names an owner, and reads that owner's range only. Costs are those of `TABLES`.
    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        documents: Source[StoredDocument] = DOCUMENTS,
        parts: TableLayout[GenerationOfDocument, PartOfDocument] = PARTS,
        erasures: ErasuresTable = ERASURES,
        clock: WriterClock = CLOCK,
        *,
        part_bytes: int = PART_BYTES,
    ) -> None:
        self._documents = documents.on(connection, clock)
        self.writer = self._documents.writer
        unsettled = self._documents.table(UNSETTLED)
        self.parts = DocumentParts(self.writer, BoundTable(connection, parts), unsettled, part_bytes)
        rows_of, delete = partial(rows_of_owner, self.writer), partial(delete_rows_of_owner, self.writer, self.parts)
        self._erasures = Erasures(connection, erasures, (self.writer,), rows_of, delete, "documents")
        self.upkeep: Upkeep = CombinedUpkeep(
            self._documents.upkeep, self.parts.unsettled, PartsUpkeep(self.writer, self.parts), self._erasures
        )

    # ---- writes

    def store(self, document: Document) -> None:
        """Stores the next revision of a document: the first one of a new document, or one that `edited` returned.

        Storing the same one again changes nothing. If another writer has changed the document since it was read, that
        is a `DocumentConflict`: read it again, and make the change again. A body of more than 512 KiB is an
        `InvalidRecord`; see `store_in_parts`.
        Costs: 1 get, 3 puts, 1 checkAndPut; 1 delete if the document loses chosen paths. If it was in parts: 2 deletes,
        3 puts, 1 checkAndPut more, and 2 gets.
        """
        check_fits_cell(document)
        self.parts.remove_left(self._documents.write(document, partial(after_store, document)))

    def store_in_parts(self, document: Document) -> None:
        """Stores the next revision of a document of up to 256 MiB, cut into parts of 1 MiB; otherwise as `store`.

        Readers see the old document until all parts are stored. Its versions are not kept.
        Costs: 1 put for each part; before them 1 get, 3 puts and 1 checkAndPut, after them the same and 1 delete. If
        older parts have to be removed: as many again, and 1 delete for them.
        """
        self.parts.store(document)

    # ---- questions

    def document(self, owner: str, document_id: str, as_of_ms: int | None = None) -> Document | None:
        """The document of that owner and id, or None; as it was at a time, if one is given: see `of_owner`.

        Costs: one get, two more if it has changed since that time, and one for each part of a large document.
        """
        return self._found(as_of_ms, owner=owner, document_id=document_id).first()

    def of_owner(self, owner: str, id_prefix: str = "", as_of_ms: int | None = None) -> Query[Document]:
        """The documents of an owner by id; those whose ids start with a prefix, and as they were at a time, if given.

        A time is that of the store, and of each document only the last 10 changes are kept. A document that has changed
        more often since, or was in parts, which were replaced since, is an `InvalidRow`: nothing tells what it was.
        Costs: one scan of a page's rows and one more. Deleted documents are read and dropped. If any of them has
        changed since the time, two calls more, and one for each that has changed ten times.
        """
        return self._found(as_of_ms, owner=owner, document_id=starting_with(id_prefix))

    def _found(self, as_of_ms: int | None, **question: Any) -> Query[Document]:
        with_bodies = self.parts.present if as_of_ms is None else self.parts.past
        return self._documents.ask(**question).as_of(as_of_ms).then(with_bodies)

    def summaries(self, owner: str, id_prefix: str = "") -> Query[Summary]:
        """The chosen paths of an owner's documents, by id.

        Costs: one scan of a page's rows and one more, which fetches the columns of these paths and not the documents.
        """
        return self._documents.ask(SUMMARIES, owner=owner, document_id=starting_with(id_prefix))

    def having(self, owner: str, path: str, value: str) -> Query[Document]:
        """The documents of an owner with this value at a chosen path, by id.

        A document whose change is under way may be missing, and one whose columns were damaged, which `repair` mends.
        One that does not have the value is never among them.
        Costs: one scan of all documents of the owner, of which a server-side filter returns those with the value.
        """
        check_path(path, value)
        columns: Any = SUMMARIES.layout.cells
        chosen = equal(columns, "paths", value, key=path)
        documents = self._documents.ask(owner=owner).filtered(chosen).then(self.parts.present)
        return documents.then(partial(those_having, path, value))

    def versions(self, owner: str, document_id: str, newest: int = 3) -> list[Document]:
        """The newest revisions of a document, newest first; a deletion is one without a body.

        At most 10 are kept, and two changes in one millisecond are one version. Revisions in parts, except the present
        one, are left out. Raises InvalidRow if one of them cannot be read.
        Costs: one call that returns as many whole documents; a second one that returns all 10 if some of these are the
        same revision, which `recover` and the steps of a document in parts write again.
        """
        table = self._documents.table()
        plan = table.plan(owner=owner, document_id=document_id)
        revisions: dict[int, StoredDocument] = {}
        for asked in (newest, VERSIONS):
            versions = [version.record for version in Versions(table, plan, asked)]
            for stored in versions:
                if stored is not None and stored.revision:
                    revisions.setdefault(stored.revision, stored)
            if len(revisions) >= newest or len(versions) < asked:
                break
        return self.parts.kept([*revisions.values()][:newest])

    # ---- upkeep

    def erase(self, owner: str) -> int:
        """Removes every document of an owner, with its versions and parts; returns how many rows remain for now.

        The row of a deleted document remains for 42 minutes, without its values, so that it outlasts every call under
        way. The erasure itself is stored until then, and `upkeep.recover` removes what remains, without a second call.
        If `erase` dies, call it again; it may be called at any time. Documents of other owners stay, even if they
        mention the owner.

        It first recovers pending writes. Raises ClockSkew before anything is deleted.
        Costs: those of `upkeep.recover`; two scans of the owner's documents and one of the owner's parts; for each
        document those of deleting it, and 1 get and 1 delete; one scan of every list.
        """
        check_text("owner", owner, empty=False)
        self.upkeep.recover(older_than_ms=0)
        return self._erasures.erase(owner)


def check_path(path: str, value: str) -> None:
    """Raises InvalidQuestion for a path that is not chosen, and for a value that no column can have."""
    check_one_of("path", path, *CHOSEN)
    try:
        TrailingText.encode(value)
    except InvalidKey as error:
        raise InvalidQuestion(f"value: {error}") from None
    if len(value) > MAX_CHOSEN_CHARACTERS:
        raise InvalidQuestion(f"value: must be at most {MAX_CHOSEN_CHARACTERS} characters (got {len(value)})")


def those_having(path: str, value: str, documents: list[Document]) -> list[Document | None]:
    """The documents that have this value at a chosen path; None for the others."""
    return [document if paths_of(document.body).get(path) == value else None for document in documents]
