"""The stores and the clocks of the tests of writes over several rows, which these tests put through, too."""

from tests.shared.intents.conftest import connection, machine

__all__ = ["connection", "machine"]
