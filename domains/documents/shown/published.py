"""Published keys beside the keys of `documents`, and published mistakes with what each of them returns."""

import os
import re
import subprocess
import sys

from shared.designs import Design, scratch_store
from shared.exhibit import Outcome, PublishedKey, ScanTask, Trap
from shared.keys import HashPrefix, InvalidQuestion, KeyLayout, Salt
from shared.queries import scan

from ..deciding import DocumentConflict
from ..keys import DOCUMENTS, TABLES, DocumentOfOwner
from ..records import Document
from ..repository import DocumentRepository
from .variants import history, put_only, salted

# ---- the keys of S0.1, S4.1, S4.4 and S4.5 byte for byte as published: all as text


TERMINATOR = "any text, with the terminator `00 01`; without it user000001 would also match user0000012"
DOCUMENT_ADDED = "added: an owner has several documents"

PUBLISHED = (
    PublishedKey(
        "S4.5",
        "userID+applicationID",
        DOCUMENTS.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001", "document_id": b"app-7"},
        {"owner": TERMINATOR},
    ),
    PublishedKey(
        "S4.1",
        "_id",
        DOCUMENTS.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
    PublishedKey(
        "S0.1",
        "[userid]",
        put_only.PUT_ONLY.layout,
        DocumentOfOwner("user000001", "app-7"),
        {"owner": b"user000001"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
    PublishedKey(
        "S4.4",
        "ffe51364248490",
        salted.SALTED.layout,
        DocumentOfOwner("1364248490", "app-7"),
        {"HashPrefix": b"ffe5", "owner": b"1364248490"},
        {"owner": TERMINATOR, "document_id": DOCUMENT_ADDED},
    ),
)


# ---- seven published mistakes about documents and their keys, each as wrong code beside the right code


WRITERS = 16
CHANGES = 5
NOON_MS = 1_768_219_200_000  # 2026-01-12T12:00:00.000Z


def next_user_is_id_plus_one(_design: Design) -> Outcome:
    """The stop row `2` of user 1 comes after the rows of users 10 to 19; the stop row `10` of user 9 comes before 9."""
    keys = [DocumentOfOwner(str(owner), app) for owner in range(1, 31) for app in ("calendar", "mail", "profile")]

    def of_user(user: int) -> ScanTask[DocumentOfOwner]:
        return ScanTask(keys, lambda key: key.owner == str(user), lambda key: f"user {key.owner}")

    def published(user: int) -> tuple[bytes, bytes]:
        return str(user).encode(), str(user + 1).encode()

    def joined(key: DocumentOfOwner) -> bytes:
        return f"{key.owner}{key.document_id}".encode()

    wrong = of_user(1).run(joined, lambda table: table.scan(*published(1)))
    of_user_9 = of_user(9).run(joined, lambda table: table.scan(*published(9)))
    right = of_user(1).run(DOCUMENTS.layout.row, lambda table: scan(table, DOCUMENTS.layout.plan(owner="1")))
    return Outcome(
        f"the {of_user(1).wanted} documents of user 1, of 30 users",
        f"{wrong.words}; for user 9: {of_user_9.words}",
        right.words,
        (wrong, right),
    )


def hash_of_the_whole_key(design: Design) -> Outcome:
    """Salted with a hash of the whole key, as published, the documents of one owner are scattered."""
    salt = HashPrefix(of=("owner", "document_id"), bytes=4, hex=True, take="last")
    layout = KeyLayout(DocumentOfOwner, salt)
    keys = {DocumentOfOwner(document.owner, document.document_id) for document in design.loads[0].sample_records()}
    of_owner = [key for key in keys if key.owner == "acme"]
    prefixes = {layout.encode(key)[:4] for key in of_owner}
    try:
        layout.plan(owner="acme")
        refused = ""
    except InvalidQuestion:
        refused = ", so the question is refused"
    ranges = salted.SALTED.layout.plan(owner="acme").ranges
    return Outcome(
        f"the {len(of_owner)} documents of acme",
        f"rows under {len(prefixes)} of 65,536 prefixes{refused}",
        f"{len(ranges)} range, with a hash of the owner",
    )


def put_over_what_was_read(_design: Design) -> Outcome:
    """Each writer reads the document, then each stores it with a tag of its own: the last put has only its own tag."""
    first = Document("acme", "user000001", {"tags": []}, NOON_MS)

    def tags_of(repository: DocumentRepository | put_only.Repository) -> int:
        repository.store(first)
        read = [repository.document(first.owner, first.document_id) for _ in range(WRITERS)]
        for number, document in enumerate(read):
            while document is not None:
                tags = [*document.body["tags"], number]
                try:
                    repository.store(document.edited({"tags": tags}, NOON_MS + 1 + number))
                    break
                except DocumentConflict:
                    document = repository.document(first.owner, first.document_id)
        stored = repository.document(first.owner, first.document_id)
        return 0 if stored is None else len(stored.body["tags"])

    wrong = tags_of(put_only.Repository(scratch_store(put_only.TABLES)))
    right = tags_of(DocumentRepository(scratch_store(TABLES)))
    return Outcome(
        f"a tag from each of {WRITERS} writers who have read one document",
        f"{wrong} tag is left",
        f"{right} tags: a stale change is refused, and made again",
    )


def versions_of_one_millisecond(_design: Design) -> Outcome:
    """The cell of a later put with the same timestamp replaces the earlier one: it is the same version."""
    changes = [Document("acme", "user000001", {"step": 1}, NOON_MS)]
    for step in range(2, CHANGES + 1):
        changes.append(changes[-1].edited({"step": step}, NOON_MS))

    def kept(repository: history.Repository | put_only.Repository) -> int:
        for document in changes:
            repository.store(document)
        return len(repository.versions("acme", "user000001", newest=CHANGES))

    wrong = kept(put_only.Repository(scratch_store(put_only.TABLES)))
    right = kept(history.Repository(scratch_store(history.TABLES)))
    return Outcome(
        f"the {CHANGES} changes of a document in one millisecond",
        f"{wrong} version",
        f"{right}, each in a column of its own",
    )


def deleted_with_its_past(_design: Design) -> Outcome:
    """A tombstone hides all earlier versions from a read as of a time before it, too."""
    document = Document("acme", "user000001", {"state": "CA"}, NOON_MS)

    def found(*, with_tombstone: bool) -> int:
        connection = scratch_store(put_only.TABLES)
        repository = put_only.Repository(connection)
        repository.store(document)
        if with_tombstone:
            rows = connection.table(put_only.PUT_ONLY.layout.name)
            rows.delete(put_only.PUT_ONLY.layout.row(document), timestamp=NOON_MS + 1000)
        else:
            repository.store(document.deleted(NOON_MS + 1000))
        return repository.of_owner("acme", as_of_ms=NOON_MS).count()

    return Outcome(
        "a document as of noon, deleted a second later",
        f"{found(with_tombstone=True)} documents: the delete hides the past too",
        f"{found(with_tombstone=False)} document: a revision says that it is deleted",
    )


NODES = 3
SALTED_KEYS = 10_000
TENANTS = 100
PROCESSES = 4
HASH_OF_A_KEY = "import sys; print(hash(sys.argv[1]) % int(sys.argv[2]))"


def salt_of_the_nodes(_design: Design) -> Outcome:
    """With a fourth node most keys get another salt; the salt of the whole key scatters every tenant."""
    keys = [DocumentOfOwner(f"tenant{number % TENANTS}", f"{number:05}") for number in range(SALTED_KEYS)]

    def salts(nodes: int, *of: str) -> list[int]:
        layout = KeyLayout(DocumentOfOwner, Salt(of=of, buckets=nodes))
        return [layout.encode(key)[0] for key in keys]

    whole = "owner", "document_id"
    moved = sum(before != after for before, after in zip(salts(NODES, *whole), salts(NODES + 1, *whole), strict=True))

    def buckets_of_one(salts: list[int]) -> int:
        return len({salt for key, salt in zip(keys, salts, strict=True) if key.owner == keys[0].owner})

    scattered, together = buckets_of_one(salts(NODES, *whole)), buckets_of_one(salts(NODES, "owner"))
    command = [sys.executable, "-c", HASH_OF_A_KEY, "tenant0#00000", "1024"]
    environments = [os.environ | {"PYTHONHASHSEED": str(seed)} for seed in range(1, PROCESSES + 1)]
    hashes = {subprocess.run(command, env=one, capture_output=True, check=True).stdout for one in environments}
    return Outcome(
        f"{SALTED_KEYS:,} keys of {TENANTS} tenants, {NODES} nodes, later {NODES + 1}",
        f"{moved:,} keys change their salt; one tenant is in {scattered} of {NODES} buckets; "
        f"Python's `hash` gives one key {len(hashes)} values in {PROCESSES} processes",
        f"the number of buckets is fixed, so no salt changes; one tenant is in {together} bucket; crc32 is the same in "
        "every process",
    )


PUBLISHED_PATTERN = r"[a-zA-Z0-0\-_#]+"


def pattern_for_keys(_design: Design) -> Outcome:
    """`0-0` is the range from 0 to 0, so the pattern rejects all keys with another digit, the salted ones too."""
    keys = [DocumentOfOwner("acme", f"{number:05}") for number in range(TENANTS)]
    published = [f"{number % NODES}#{key.owner}#{key.document_id}" for number, key in enumerate(keys)]
    taken = [text for text in published if re.fullmatch(PUBLISHED_PATTERN, text)]
    decoded = [DOCUMENTS.layout.key.decode(DOCUMENTS.layout.key.encode(key)) for key in keys]
    return Outcome(
        f"{len(keys)} keys salt#tenant#document, such as {published[1]}",
        f"{len(taken)} of them matches, because all its digits are 0",
        f"{sum(before == after for before, after in zip(keys, decoded, strict=True))} can be stored, as any text can",
    )


TRAPS = (
    Trap("the next user is id + 1", "startRow userID, stopRow userID+1", next_user_is_id_plus_one),
    Trap("a hash of the whole key", "ffe51364248490", hash_of_the_whole_key),
    Trap("a put over what was read", "[userid]: each user has only one record", put_over_what_was_read),
    Trap("two versions in a millisecond", "one record of multiple versions", versions_of_one_millisecond),
    Trap("a delete that hides the past", "the latest version is returned", deleted_with_its_past),
    Trap("a salt of the number of nodes", "salt = hash(original_key) % number_of_nodes", salt_of_the_nodes),
    Trap("a pattern for keys", r"^[a-zA-Z0-0\-_#]+$", pattern_for_keys),
)
