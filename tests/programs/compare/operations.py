"""Operations: calls of Thrift1 with their arguments, written so that they can run anywhere and be made smaller.

Rows are those of the sequence, without the prefix of the place where it runs. Mutations and scans are maps from the
fields of their Thrift struct. A filter is a tree (`filters`) or, where it is meant to be broken, bytes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from attrs import field, frozen

LATEST_MS = 2**63 - 1
"""As a timestamp to write at: the server's clock."""

CLOCK_MS = 5 * 10**12
"""Where the server's clock stands among the timestamps of sequences: they are either far below or far above it."""

UNKNOWN_TABLE = b"nosuch"

FLUSH = ("disableTable", "enableTable")
"""Calls that write what is in memory to files, on a table that is the sequence's own."""

_WRITES = ("mutate", "delete", "atomicIncrement", "increment", "checkAndPut", "append")


@frozen
class Moment:
    """A timestamp after all but the sequence's last `back` + 1 writes, and before these."""

    back: int = 0


@frozen
class Operation:
    """One call with its arguments by their names in `Hbase.thrift`, without the table and the attributes.

    A call that opens a scanner either gives it a name by which later operations call it, or fetches what there is in
    portions of the sizes in `fetch`, over and over until the end, and closes it; None asks for one row by `scannerGet`.
    """

    call: str
    arguments: dict[str, Any]
    table: bytes | None = None
    """Another table than that of the sequence."""
    opens: str | None = None
    fetch: list[int | None] = field(factory=list[int | None])

    @property
    def is_write(self) -> bool:
        """Whether it changes cells."""
        return self.call.startswith(_WRITES)

    @property
    def filter(self) -> Any:
        """The tree of a scan's filter, its text where it is broken, None without."""
        return (self.arguments.get("scan") or {}).get("filterString")


Operations: TypeAlias = Sequence[Operation]


def family_of(column: bytes) -> bytes:
    """The family of a column's name, or of a family's own."""
    return column.partition(b":")[0]


def is_random(operation: Operation) -> bool:
    """Whether HBase itself decides by chance what the operation does."""
    rule = _RANDOM.get(operation.call.removesuffix("Ts"))
    return rule is not None and rule(operation)


def _hides_its_puts(operation: Operation) -> bool:
    """The delete and the put are sent one after the other, and in one millisecond the delete hides the put."""
    if operation.arguments.get("timestamp", LATEST_MS) != LATEST_MS:
        return False
    mutations = operation.arguments["mutations"] or ()
    deleted = {mutation["column"] for mutation in mutations if mutation.get("isDelete")}
    return any(
        not mutation.get("isDelete") and not deleted.isdisjoint((mutation["column"], family_of(mutation["column"])))
        for mutation in mutations
    )


def _fails_its_neighbours(operation: Operation) -> bool:
    """Deleting from a family without a name fails all deletes of the region, and others that are sent with them."""
    batches = operation.arguments["rowBatches"] or ()
    return len({batch["row"] for batch in batches}) > 1 and any(
        mutation.get("isDelete") and not family_of(mutation["column"])
        for batch in batches
        for mutation in batch["mutations"]
    )


def _has_two_clocks(operation: Operation) -> bool:
    """Two columns of a row that it increments have the same timestamp or not."""
    increments = operation.arguments["increments"] or ()
    columns = {(increment["row"], increment["column"]) for increment in increments}
    return len(columns) > len({row for row, _ in columns})


_RANDOM = {"mutateRow": _hides_its_puts, "mutateRows": _fails_its_neighbours, "incrementRows": _has_two_clocks}


@frozen
class Written:
    """A column or a family of a row that an operation puts to or deletes; a column of None is all families."""

    row: bytes
    column: bytes | None
    is_delete: bool = False

    def families(self, of_table: Iterable[bytes]) -> Iterable[bytes]:
        """The families that it touches."""
        return of_table if self.column is None else [family_of(self.column)]

    @property
    def is_whole_family(self) -> bool:
        """Whether it deletes one or more families as a whole."""
        return self.is_delete and (self.column is None or b":" not in self.column)


def written(operation: Operation) -> list[Written]:
    """What an operation writes to, if it is not refused; nothing where an argument was not sent."""
    arguments = operation.arguments
    if None in arguments.values() and operation.call != "checkAndPut":
        return []
    match operation.call.removesuffix("Ts"):
        case "mutateRows" | "mutateRow":
            return [
                Written(batch["row"], mutation["column"], is_delete=mutation.get("isDelete", False))
                for batch in arguments.get("rowBatches", [arguments])
                for mutation in batch["mutations"]
            ]
        case "deleteAll" | "deleteAllRow":
            return [Written(arguments["row"], arguments.get("column"), is_delete=True)]
        case "checkAndPut" if arguments["row"] and arguments["mput"]:
            return [Written(arguments["row"], arguments["mput"]["column"])]
        case "append":
            return [Written(arguments["append"]["row"], column) for column in arguments["append"]["columns"]]
        case "atomicIncrement":
            column = arguments["column"]
            return [Written(arguments["row"], column if b":" in column else column + b":")]
        case "increment" | "incrementRows":
            increments = arguments["increments"] if "increments" in arguments else [arguments["increment"]]
            return [Written(increment["row"], increment["column"]) for increment in increments]
    return []
