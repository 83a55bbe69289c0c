"""A writer that dies between two mutations, for the crash tests of every domain."""


class WriterDied(Exception):
    """The writer is dead; its earlier mutations are stored."""


class DyingConnection:
    """A happybase connection that sends `mutations` mutations and dies at the next one."""

    def __init__(self, connection, mutations):
        self._connection = connection
        self.remaining = mutations

    def table(self, name):
        return DyingTable(self._connection.table(name), self)


class DyingTable:
    """A table of a `DyingConnection`."""

    def __init__(self, table, connection):
        self._table = table
        self._connection = connection

    def __getattr__(self, name):
        return getattr(self._table, name)

    def put(self, *arguments, **named):
        self._count_mutation()
        self._table.put(*arguments, **named)

    def delete(self, *arguments, **named):
        self._count_mutation()
        self._table.delete(*arguments, **named)

    def _count_mutation(self):
        if self._connection.remaining == 0:
            raise WriterDied
        self._connection.remaining -= 1
