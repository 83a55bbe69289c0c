"""Large documents, cut into parts: written beside the document's row, shown once that row names them, then removed.

The parts of one revision are a generation, in a row of their own. The document's row names every generation that may
have parts: that of its revision, those being written, and those to be removed.

    store(document)

    1. The row names the new generation as one that is being written, and `unsettled` gets a line for the document.
    2. Put the parts, dated by the name of the generation: when its writer began.
    3. `checkAndPut` the row: the next revision has the new generation. Every other generation is to be removed. It is
       refused if the row does not name the generation as being written any more.
    4. Remove those parts, with the date with which they were put, so that a late put stays hidden.
    5. The row forgets their generations, and the line goes.

A reader gets the row, then the parts of its generation. If some are missing, it reads the row again: it sees the old
document or the new one, never parts of both. If a writer dies, the line stays: `recover` continues with step 4, and
removes the parts of a writer that has not moved for ten minutes. If that writer lives, step 3 refuses it, and it starts
again.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from shared.intents import IntentWriter
from shared.intents.work_in_steps import UnfinishedWork
from shared.keys import InvalidKey, shown
from shared.keys.errors import message_of
from shared.queries import KEYS_ONLY, ServerFilter, scan
from shared.queries.scanning import scan_in_batches
from shared.records import LAST_MS
from shared.tables import MSGPACK, BoundTable, InvalidRecord, InvalidRow
from shared.writes import delete_rows
from shared.writes.batches import remove_row
from shared.writes.clock import Moment

from .deciding import DocumentConflict, after_begin, after_giving_up, after_parts, after_removal
from .keys import PART_CELLS, DocumentOfOwner, GenerationOfDocument, NumberOfPart
from .records import Document
from .stored import GENERATION_BYTES, PartOfDocument, StoredDocument, is_unsettled, pieces

MAX_BODY_BYTES = 512 * 1024
"""The most bytes of a body in one cell. `checkAndPut` sends the cell before and after a change, and a gateway with
framed transport accepts no call of 2 MiB."""
PART_BYTES = 1024 * 1024
MAX_PARTS = 256
NAMES_ONLY = ServerFilter((), b"KeyOnlyFilter()")
"""Returns the cells of a row without their values."""
NOT_SETTLED = "old parts remain; rowbook recover documents removes them"


class DocumentParts:
    """Stores, reads and removes the parts of large documents. Costs are those of `DocumentRepository`."""

    def __init__(
        self,
        writer: IntentWriter[StoredDocument],
        parts: BoundTable[GenerationOfDocument, PartOfDocument],
        unsettled: BoundTable[Any, DocumentOfOwner],
        part_bytes: int,
    ) -> None:
        self._writer = writer
        self.table = parts
        self._part_bytes = part_bytes
        self.unsettled = UnfinishedWork(writer, unsettled, is_unsettled, self.settle, NOT_SETTLED)

    # ---- writes

    def store(self, document: Document) -> None:
        """Stores the next revision of a document in parts. Raises DocumentConflict, and TimeoutError after 10 minutes.

        If `recover` gives up the parts of a writer that lives, the writer starts again.
        """
        data = _cut(document, self._part_bytes)
        stored: StoredDocument | None = None
        while stored is None or not stored.has(document.edit):
            began = self._writer.check_clock()
            generation = began.wall_ms.to_bytes(8, "big") + os.urandom(GENERATION_BYTES - 8)
            key = GenerationOfDocument(document.owner, document.document_id, generation)
            stored = self._writer.write(document, partial(after_begin, document, generation))
            if not stored.has(document.edit):
                self._put(key, data, began)
                try:
                    stored = self._writer.write(document, partial(after_parts, document, generation, len(data)))
                except DocumentConflict:
                    self.remove(key)
                    raise
                if stored is None or stored.generation != generation:
                    self.remove(key)
        self.remove_left(stored)

    def _put(self, key: GenerationOfDocument, data: Sequence[bytes], began: Moment) -> None:
        rows, layout = self.table.rows, self.table.layout
        for number, piece in enumerate(data):
            if self._writer.is_past_window(began):
                raise TimeoutError(f"Document.body: only {number} of {len(data)} parts were stored in ten minutes")
            part = PartOfDocument(key.owner, key.document_id, key.generation, number, piece)
            rows.put(layout.row(key), layout.cells.pack(part), timestamp=begun_ms_of(key.generation))

    def settle(self, row: bytes) -> None:
        """Gives up the parts that are being written of the document in a row, and removes all that it does not have."""
        stored = self._writer.reader.read(row).record
        if stored is not None and stored.writing:
            stored = self._writer.write(stored, partial(after_giving_up, stored.writing))
        if stored is not None:
            self.remove_left(stored)

    def remove_left(self, stored: StoredDocument) -> None:
        """Removes the parts that no revision of a document has any more."""
        if not stored.leaving:
            return
        for generation in pieces(stored.leaving, GENERATION_BYTES):
            self.remove(GenerationOfDocument(stored.owner, stored.document_id, generation))
        self._writer.write(stored, partial(after_removal, stored.leaving))

    def remove(self, key: GenerationOfDocument) -> None:
        """Deletes a generation: what is put later has the same date, and stays hidden. Costs: 1 delete."""
        row, begun_ms = self.table.row(key), begun_ms_of(key.generation)
        if begun_ms > LAST_MS:  # no writer has drawn this name
            remove_row(self.table, row)
        else:
            delete_rows(self.table, [row], begun_ms)

    # ---- generations

    def generations(self, owner: str | None = None) -> Iterator[list[bytes]]:
        """The rows of all generations, or of one owner's, 1,000 at a time, without their parts.

        No scan is open while the caller works on them. Costs: one scan for each 1,000 rows.
        """
        layout = self.table.layout
        (range_,) = (layout.whole_table() if owner is None else layout.plan(owner=owner)).ranges
        for batch in scan_in_batches(self.table.rows, range_, filter=KEYS_ONLY.text, columns=[*layout.cells.columns]):
            yield [row for row, _ in batch]

    def named(self, rows: Iterable[bytes]) -> dict[bytes, bool | InvalidKey | InvalidRow]:
        """Whether the document of each generation names it; an error for a row or a document that cannot be read.

        Costs: one call for each 1,000 rows.
        """
        keys: dict[bytes, GenerationOfDocument] = {}
        named: dict[bytes, bool | InvalidKey | InvalidRow] = {}
        for row in rows:
            try:
                keys[row] = self.table.layout.key.decode(row)
            except InvalidKey as error:
                named[row] = error
        source_rows = {row: self._writer.source.key.row_of(key) for row, key in keys.items()}
        sources = self._writer.reader.read_each(source_rows.values())
        for row, key in keys.items():
            source = sources[source_rows[row]]
            named[row] = source if isinstance(source, InvalidRow) else _names(source.record, key.generation)
        return named

    def numbers(self, key: GenerationOfDocument) -> set[int | None]:
        """The numbers of the parts of a generation that are stored, None for another cell.

        Costs: one scan of their names.
        """
        layout = self.table.layout
        plan = layout.key.plan(owner=key.owner, document_id=key.document_id, generation=key.generation)
        rows = scan(self.table.rows, plan, filter=NAMES_ONLY, columns=layout.cells.columns)
        return {_number_of(column) for _, cells in rows for column in cells}

    def remove_strays(self, owner: str, on_kept: Callable[[InvalidRow], object]) -> int:
        """Removes the generations of an owner that no document names; returns how many others there are.

        Calls `on_kept` with the error of a document that cannot be read.
        """
        others = 0
        for rows in self.generations(owner):
            for row, named in self.named(rows).items():
                if named is False:
                    self.remove(self.table.layout.key.decode(row))
                    continue
                others += 1
                if isinstance(named, InvalidRow):
                    on_kept(named)
        return others

    # ---- reading

    def present(self, documents: list[StoredDocument]) -> list[Document | InvalidRow | None]:
        """Each document with its body, None for one that is deleted; of one in parts, as its row is when all are read.

        Costs: for a document in parts one call for each part, and 1 more if it changes meanwhile.
        """
        return [self._present(stored) for stored in documents]

    def _present(self, stored: StoredDocument | None) -> Document | InvalidRow | None:
        while stored is not None and stored.is_there:
            if (document := self.whole(stored)) is not None:
                return document
            row = self._writer.source.row(stored)
            source = self._writer.reader.read_each([row])[row]
            if isinstance(source, InvalidRow):
                return source
            if source.record is not None and source.record.generation == stored.generation:
                return self._invalid(stored, "its parts are lost")
            stored = source.record
        return None

    def past(self, documents: list[StoredDocument]) -> list[Document | InvalidRow | None]:
        """Each document as it was, None for one that was deleted; an error for one whose parts are damaged or gone."""
        replaced = "was in parts, which a later revision has replaced"
        return [
            (self.whole(stored) or self._invalid(stored, replaced)) if stored.is_there else None for stored in documents
        ]

    def kept(self, documents: list[StoredDocument]) -> list[Document]:
        """Each document as it was, without a body if it was deleted; leaves out those whose parts were replaced.

        Raises InvalidRow for one whose parts cannot be read.
        """
        kept: list[Document] = []
        for stored in documents:
            document = self.whole(stored) if stored.is_there else stored.document(None)
            if isinstance(document, InvalidRow):
                raise document
            if document is not None:
                kept.append(document)
        return kept

    def whole(self, stored: StoredDocument) -> Document | InvalidRow | None:
        """A document with its body; None if parts are missing, an error if they cannot be read.

        Costs: one call for each part.
        """
        if not stored.generation:
            return stored.document(stored.body)
        layout, rows = self.table.layout, self.table.rows
        key = GenerationOfDocument(stored.owner, stored.document_id, stored.generation)
        data: list[bytes] = []
        for number in range(stored.part_count):
            column = PART_CELLS.column(NumberOfPart(number))
            piece = rows.row(layout.row(key), [column]).get(column)
            if piece is None:
                return None
            data.append(piece)
        try:
            body: Any = MSGPACK.unpack(b"".join(data))
            if type(body) is not dict:
                raise ValueError(f"must be a dict (got {shown(body)})")
            return stored.document(cast("dict[str, Any]", body))
        except Exception as error:  # msgpack's errors have no common base
            return self._invalid(stored, f"has parts that cannot be read: {message_of(error)}")

    def _invalid(self, stored: StoredDocument, reason: str) -> InvalidRow:
        table = self._writer.source
        return InvalidRow(table.name, table.row(stored), f"StoredDocument: revision {stored.revision} {reason}")


def _number_of(column: bytes) -> int | None:
    """The number of a part; None for a column that is not one's."""
    with suppress(InvalidKey):
        part: NumberOfPart = PART_CELLS.qualifier.decode(column.partition(b":")[2])
        return part.number
    return None


def _names(document: StoredDocument | None, generation: bytes) -> bool:
    if document is None:
        return False
    return generation in pieces(document.generation + document.writing + document.leaving, GENERATION_BYTES)


def begun_ms_of(generation: bytes) -> int:
    """When the writer of a generation began, milliseconds since 1970-01-01 UTC: the date of its parts."""
    return int.from_bytes(generation[:8], "big")


def check_fits_cell(document: Document) -> None:
    """Raises InvalidRecord for a document that is too large for one cell."""
    size = len(MSGPACK.pack(document.body))
    if size > MAX_BODY_BYTES:
        advice = "store large values outside and their addresses here, or cut it into parts with store_in_parts"
        raise InvalidRecord(f"Document.body: must have at most {MAX_BODY_BYTES} bytes (got {size}): {advice}")


def _cut(document: Document, part_bytes: int) -> list[bytes]:
    """The packed body in parts. Raises InvalidRecord if there is no body, or if it has too many parts."""
    if document.is_deleted:
        raise InvalidRecord("Document.is_deleted: must be False in parts: delete the document with store")
    data = MSGPACK.pack(document.body)
    if len(data) > MAX_PARTS * part_bytes:
        raise InvalidRecord(f"Document.body: must have at most {MAX_PARTS * part_bytes} bytes (got {len(data)})")
    return [data[start : start + part_bytes] for start in range(0, len(data), part_bytes)]
