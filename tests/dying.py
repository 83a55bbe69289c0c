"""A writer that dies between two mutations, for the crash tests of every domain."""


class WriterDied(Exception):
    """The writer is gone; what it had sent before is stored."""


class DyingConnection:
    """A happybase connection that lets so many mutations through and dies at the next one."""

    def __init__(self, connection, after):
        self._connection = connection
        self.left = after

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
        self._breathe()
        self._table.put(*arguments, **named)

    def delete(self, *arguments, **named):
        self._breathe()
        self._table.delete(*arguments, **named)

    def _breathe(self):
        if self._connection.left == 0:
            raise WriterDied
        self._connection.left -= 1
